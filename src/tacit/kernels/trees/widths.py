"""How wide the nodes of the kd-tree are; apart from the code for them, which needs numba."""

LANES = 16
"""points in a leaf"""
ARMS = 8
"""children of a node"""
