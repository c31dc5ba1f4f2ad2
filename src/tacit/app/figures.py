"""Figures of a preview and of a full run, through the public API: `Plan.apply`, `assess`, `report`, `manifest`."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tacit.frontier import LOSS, Trial
from tacit.report import parts, records, repeat
from tacit.report.words import count, number, percent
from tacit.trials import Outcome, Settings

PREVIEW_COLUMNS = 6
INFORMED = 5_000
"""A quick run tells the intruder the plan up to this many records; that attack weighs all pairs."""
MANY = 20_000
"""Above this many records a quick run tries nearest record alone; more attacks are one choice away."""


def quick(n: int) -> Settings:
    """What a run begins with: seconds, not minutes. Up to ``INFORMED`` records it is what ``tc.compare`` measures."""
    usual = Settings()
    return replace(
        usual,
        attackers=usual.attackers if n <= MANY else usual.attackers[:1],
        risks=(*usual.risks, "k_anonymity"),
        losses=(*usual.losses, "KS", "correlation"),
        informed=n <= INFORMED,
    )


def left_out(n: int) -> str:
    """What a quick run of so many records does not try, in one sentence; '' if nothing."""
    if n <= INFORMED:
        return ""
    fewer = "the intruder does not know the plan" + (" and tries nearest record alone" if n > MANY else "")
    return f"In quick runs on {count(n)} records {fewer}; choose all attacks for what tacit compare tries."


def _mask(plan: Any, data: Any) -> Any:
    """A plan without steps releases the file as it is, minus its identifiers."""
    return plan.apply(data) if plan.steps else data.drop(data.schema.names(role="identifier"))


def _truth(data: Any, masked: Any) -> Any:
    """Files of equal length are aligned by row; a release with other rows cannot be scored by row."""
    from tacit.errors import InputError

    if data.n != masked.n:
        raise InputError(
            f"The plan released {count(masked.n)} of {count(data.n)} records; links can only be counted when every "
            "record is released. Assess such a plan from Python with truth=..."
        )


def preview_of(data: Any, plan: Any, whole: int, bound: float) -> dict[str, Any]:
    from tacit.assess import assess

    masked = _mask(plan, data)
    _truth(data, masked)
    result = assess(data, masked, plan=plan if plan.steps else None, risks=(), losses=(LOSS,))
    changed = [c for c in data.quasi if c in masked.names]
    drawn = records.distributions(data, masked, changed[:PREVIEW_COLUMNS], width=270)
    top, loss = parts.strongest(result), parts.main_loss(result)
    more = len(changed) - len(drawn)
    return {
        "note": f"on {count(data.n)} of {count(whole)} records" if data.n < whole else f"on all {count(whole)} records",
        "risk": percent(top[1].rate) if top else "–",
        "loss": number(loss[1].value) if loss else "–",
        "figures": parts.figures(result),
        "attacks": parts.attack_chart(result, bound, width=560),
        "columns": drawn,
        "remark": (
            "In the whole file an intruder must choose among more records, so the rate there is usually lower; "
            "methods that look for neighbours also do better on more records. "
            if data.n < whole
            else ""
        )
        + (f"{more} more protected columns are not drawn." if more > 0 else ""),
    }


def finish(
    data: Any, plan: Any, source: Path, folder: Path, name: str, bound: float, depth: str,
    progress: Callable[[str, float, float], None],
) -> tuple[dict[str, Any], dict[str, str]]:  # fmt: skip
    """Mask, attack, measure and write one plan; the summary for the page, and where its files lie."""
    import json

    import tacit as tc
    from tacit import manifest, report
    from tacit.app.describe import formulas
    from tacit.assess import assess

    start = time.perf_counter()
    masked = _mask(plan, data)
    _truth(data, masked)
    stem = folder / secrets.token_hex(10)
    ending = source.suffix if source.suffix in (".csv", ".tsv", ".parquet", ".arrow", ".feather") else ".csv"
    files = {"masked": f"{stem}{ending}", "plan": f"{stem}.toml", "manifest": f"{stem}.manifest.json"}
    files |= {"report": f"{stem}.html", "external": f"{stem}.external.html"}
    tc.write(masked, files["masked"])
    made = manifest.describe(plan, source, data, files["masked"], masked, time.perf_counter() - start)
    release = _release_name(name, ending)
    made["input"]["path"], made["output"]["path"] = name, release
    Path(files["manifest"]).write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    Path(files["plan"]).write_text(plan.to_toml() if plan.steps else "", encoding="utf-8")
    asked = quick(data.n) if depth == "quick" else None
    known = plan if plan.steps and (asked is None or asked.informed) else None
    told: dict[str, Any] = (
        {} if asked is None else {"attackers": asked.attackers, "risks": asked.risks, "losses": asked.losses}
    )
    result = assess(data, masked, plan=known, progress=progress, **told)
    progress("writing the report", 1, 1)
    facts: dict[str, Any] = {"name": name, "manifest": made, "bound": bound, "plan": plan if plan.steps else None}
    report.write(result, files["report"], **facts)
    report.write(result, files["external"], external=True, **facts)
    top, verdict = parts.strongest(result), parts.verdict(result, bound)
    summary = {
        "trial": Trial.of(plan, data.n, [Outcome.of(result)]),
        "chance": float(top[1].chance) if top else 0.0,
        "note": left_out(data.n) if asked is not None else "",
        "verdict": {"state": verdict.state, "word": verdict.word, "sentence": verdict.sentence},
        "figures": parts.figures(result),
        "attacks": parts.attack_rows(result),
        "command": repeat.command(result, plan if plan.steps else None, name),
        "python": repeat.python(result, plan if plan.steps else None, name),
        "formulas": formulas(masked.table),
        "release": release,
        "seconds": time.perf_counter() - start,
    }
    return summary, files


def _release_name(name: str, ending: str) -> str:
    return f"{Path(name).stem}-release{ending}"
