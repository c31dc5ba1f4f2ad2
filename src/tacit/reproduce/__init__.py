"""Every published table by one command: ``tacit reproduce list | TARGET | all``.

``model`` holds the words, ``targets`` what can be recomputed, ``experiments`` how, ``published``
the printed numbers and what kind of run they show, ``judgement`` the rule, ``run`` the resumable
runner, ``unit_runs`` its workers, ``write`` and ``pages`` what it leaves behind.
"""
