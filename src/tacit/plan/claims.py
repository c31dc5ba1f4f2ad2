"""What a plan's private steps claim of its release, and what no claim covers."""

from __future__ import annotations

from tacit.data.microdata import Microdata
from tacit.plan.plan import Plan

Claim = dict[str, object]
"""A claim in plain types, as a manifest holds it."""


def claims(
    plan: Plan,
    data: Microdata,
    masked: Microdata,
) -> list[Claim]:
    """One claim for each differentially private step, with what is outside it.

    Parameters
    ----------
    plan : Plan
        How the file was masked.
    data, masked : Microdata
        The file before, and the release.

    Notes
    -----
    **Definition.** A claim has ``epsilon`` and ``neighbours``, ``columns`` that it covers,
    ``not_private`` (columns of the release that it does not cover), and ``holds_for``: the original
    file, or what the step was given, if a step before it makes a record depend on others. Such a
    step (groups, ranks, frequencies) can move many records when one changes, and then epsilon says
    nothing of the original. Claims of several steps on the same records add their epsilons.
    """
    data = plan.with_roles(data)
    found: list[Claim] = []
    mixing: list[str] = []
    for step, protector in zip(plan.steps, plan.protectors(), strict=True):
        claim = protector.claim(data)
        if claim is not None:
            covered = claim["columns"]
            assert isinstance(covered, list)
            released = [name for name in masked.names if name not in covered]
            holds = "the original file"
            if mixing:
                holds = f"what {' and '.join(mixing)} made of it, not the original file"
            found.append(
                {
                    "method": step.method,
                    **claim,
                    "not_private": released,
                    "holds_for": holds,
                }
            )
            continue
        # a method that treats each record by itself changes no record when another does
        by_itself = protector.scales == "records" and not protector.needs_whole_file()
        if protector.touches(data) and not by_itself:
            mixing.append(step.method)
    return found
