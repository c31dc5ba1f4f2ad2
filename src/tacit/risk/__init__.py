"""Risk: one file a measure."""
