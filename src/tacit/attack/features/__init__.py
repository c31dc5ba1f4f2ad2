"""Everything that a record says: features that join the two files, their laws, and one linkage.

A *feature* is something that both files say of a record: a value, its last digits, a difference of
two columns, a prediction of a released column from known ones, a place in the file. A new one is
one small file and a line in ``catalogue``.
"""
