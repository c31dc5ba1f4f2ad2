"""Privacy models as constraints of a search, one file for each family."""
