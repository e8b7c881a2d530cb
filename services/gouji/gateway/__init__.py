"""Gateway: players' sessions, and where their tables are."""
