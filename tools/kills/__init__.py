"""Kill, fill the disk, close the folder: see ``python -m tools.kills --help``."""
