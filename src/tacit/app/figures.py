"""Figures of a preview and of a full run, through the public API: `Plan.apply`, `assess`, `report`, `manifest`."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tacit.report import parts, records, repeat
from tacit.report.words import count, number, percent

PREVIEW_COLUMNS = 6
MANY = 20_000


def quick(n: int) -> dict[str, Any]:
    """What a run begins with: seconds, not minutes. Every other attack and measure is one choice away."""
    return {
        "attackers": ("nearest", "assignment") if n <= MANY else ("nearest",),
        "risks": ("interval", "k_anonymity"),
        "losses": ("PIL", "IL1", "KS", "correlation"),
    }


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
    import tacit as tc

    masked = _mask(plan, data)
    _truth(data, masked)
    result = tc.assess(data, masked, attackers=("nearest", "assignment"), risks=(), losses=quick_losses())
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


def quick_losses() -> tuple[str, ...]:
    """Losses that take no time on a sample."""
    from tacit.loss import registry

    return tuple(name for name in ("PIL",) if name in registry)


def finish(
    data: Any, plan: Any, source: Path, folder: Path, name: str, bound: float, depth: str,
    progress: Callable[[str, float, float], None],
) -> tuple[dict[str, Any], dict[str, str]]:  # fmt: skip
    """Mask, attack, measure and write one plan; the summary for the page, and where its files lie."""
    import json

    import tacit as tc
    from tacit import manifest, report
    from tacit.app.describe import formulas

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
    asked = quick(data.n) if depth == "quick" else {}
    known = plan if plan.steps and depth == "all" else None
    result = tc.assess(data, masked, plan=known, progress=progress, **asked)
    progress("writing the report", 1, 1)
    facts: dict[str, Any] = {"name": name, "manifest": made, "bound": bound, "plan": plan if plan.steps else None}
    report.write(result, files["report"], **facts)
    report.write(result, files["external"], external=True, **facts)
    top, loss = parts.strongest(result), parts.main_loss(result)
    verdict = parts.verdict(result, bound)
    summary = {
        "risk": float(top[1].rate) if top else 1.0,
        "chance": float(top[1].chance) if top else 0.0,
        "loss": float(loss[1].value) if loss else 0.0,
        "score": parts.score_of(result),
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
