"""Five intruders written from scratch, who must not find more than the tool does."""
