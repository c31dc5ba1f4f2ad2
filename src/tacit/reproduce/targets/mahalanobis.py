from tacit.reproduce.model import Target

TARGETS: tuple[Target, ...] = ()
