"""Groups of records and of columns, for the methods that average or suppress within them."""
