"""Generalisation: the intruder knows hierarchies and levels, and compares classes."""

from __future__ import annotations

from tacit.attack.informed.rerun import Rerun


class AwareGeneralisation(Rerun):
    """Put every original into its class, and look for the class in the release.

    Parameters
    ----------
    plan : protector, optional
        The generalisation, with its hierarchies and models; None: nothing was done.
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** The search draws no random numbers, so that it is run again on the originals:
    that gives the class of each, or says that it was suppressed. Candidates are the released
    records of that class, and of the suppressed the blank ones.

    **Guarantee.** No attacker finds more: of a class of k records one in k.

    **Cost.** The search once more, and a nearest run.

    References
    ----------
    Samarati (2001).

    Examples
    --------
    >>> import tacit as tc
    >>> data = tc.Microdata.of({"town": ["Ulm", "Ulm", "Kiel", "Kiel"]}, nominal=["town"])
    >>> wide = tc.protect.Generalisation(k=2)
    >>> AwareGeneralisation(plan=wide).link(data, wide.fit_transform(data)).correct
    2.0
    """

    title = "Knows hierarchies and levels and compares classes"

    method = "generalisation"

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        return self._says(
            "the hierarchies, the levels and who was suppressed, and compares classes"
        )
