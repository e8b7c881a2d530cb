"""Load: people who play legal Gouji over the public API, at their own pace, and are checked as they play."""
