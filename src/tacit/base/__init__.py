"""What every room may use: errors, registry, parameters, types, seeds, the result of a measure."""
