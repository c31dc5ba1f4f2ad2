"""Generated bad and odd input to every command: see ``python -m tools.fuzz --help``."""
