"""The profiles that come with the package, by name."""
