"""Every published table by one command: ``tacit reproduce list | TARGET | all``.

``model`` holds the words, ``targets`` what can be recomputed, ``experiments`` how, ``published``
the printed numbers, ``judgement`` the rule, ``run`` the resumable runner, ``write`` what it leaves
behind.
"""
