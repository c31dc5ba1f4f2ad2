"""Attacks on files that are larger than memory, with the links of a file in memory.

Masked records lie in blocks on the disk, cut by a tree of boxes. An original looks in the block
that it falls into, and then in every other block whose box is near enough to hold a record that is
nearer or as near: the nearest record of all, with all its ties, whatever the blocks are.
"""
