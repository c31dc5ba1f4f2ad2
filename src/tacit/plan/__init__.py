"""Plans: what is done to a file, in which order, and the manifest that lets it be repeated."""
