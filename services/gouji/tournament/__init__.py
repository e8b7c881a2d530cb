"""Tournaments: events of many tables in duplicate, from registration to the last standings."""
