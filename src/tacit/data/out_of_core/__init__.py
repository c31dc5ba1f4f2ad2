"""Work on files larger than memory in a memory that does not grow with the file.

One idea a file; every piece of work is an item that depends on itself alone, goes to whoever
``pieces.mapped_by`` names (this thread, an engine's workers), and leaves its records in files:

========================  ==========================================================================
``pieces``                who does the work, and items of ``PIECE`` records
``number_files``          one number per record in files, read in row order
``column_numbers``        a column of a file on the disk as numbers, in the same face
``grouped_files``         records of an item sorted by the item that wants them next (a shuffle)
``placing``               numbers that come in any order, put at their rows
``sorting``               a column in rising order with its rows; ranks, quantiles, medians
``key_counts``            how often each combination of keys occurs, and that of every record
``id_keys``               numbers of people as keys that rise with them, none of which is listed
``unit_numbers``          the unit of each record: rows of persons or households, piece by piece
``row_sort``              whole records in the order of a key that each of them has
``block_sums``            sums whose bits do not depend on who added them
========================  ==========================================================================

None of them knows a protector, a measure or an engine.
"""
