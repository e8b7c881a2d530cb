"""Live tables and their logs (`TableService`): `service.bind` puts them into a process."""
