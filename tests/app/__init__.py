"""The page: its parts alone, and all of it in a real browser."""
