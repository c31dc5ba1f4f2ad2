"""The lattice of generalisations: one level for each column, and the best node of them all.

``level_codes`` (codes by level), ``class_cells`` (records counted, and rolled up from finer
nodes), ``view`` (what a constraint sees of the classes), ``settle`` (who is suppressed),
``full_search`` (the best node, with its proof), ``local_recoding`` (finer classes for some of the
records); ``constraints`` are the privacy models and ``utilities`` what is to be kept. Before the
search: ``naming`` (columns that a user names), ``wishes`` (models as they are asked for),
``setting_up`` (the file, counted), ``posing`` (what is searched). After it: ``placing`` (who is at
which level, next year, too) and ``writing`` (the release).
"""
