"""Every published table by one command: ``tacit reproduce list | TARGET | all``.

``model`` holds the words, ``targets`` what can be recomputed, ``published`` the printed numbers,
``verdict`` the rule, ``run`` the resumable runner, ``write`` what it leaves behind.
"""
