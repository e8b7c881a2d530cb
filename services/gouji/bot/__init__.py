"""Bots: a seat's observation and a seed in, one action out. Stateless; nothing here knows a table."""
