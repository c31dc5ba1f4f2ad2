"""Many plans on one file: trials, the frontier, and protecting until it is safe."""
