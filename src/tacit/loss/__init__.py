"""Loss: one file a measure."""
