"""Matchmaking: tickets, which of them make a table, and placing tables. `service.bind` is the way in."""
