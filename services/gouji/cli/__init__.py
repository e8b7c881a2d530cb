"""The command `gouji`; the one place that brings the services together."""
