"""Gateway: players' sessions and accounts, and where their tables are."""
