"""Take the pictures of the web page and the report: python docs/screenshots.py (needs chromium)."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]


def main() -> None:
    """Start the page, walk through it, and keep what it looks like."""
    from playwright.sync_api import sync_playwright

    paths = os.pathsep.join(
        filter(None, [str(HERE.parent / "src"), os.environ.get("PYTHONPATH", "")])
    )
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "tacit", "app", "--port", "0", "--no-browser"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=shutil.which("chromium"), args=FLAGS
                )
                for scheme in ("light", "dark"):
                    context = browser.new_context(
                        viewport={"width": 1280, "height": 860}, color_scheme=scheme
                    )
                    context.set_default_timeout(600_000)
                    walk(
                        context.new_page(),
                        found.group(),
                        "" if scheme == "light" else "-dark",
                    )
                browser.close()
        finally:  # leaving the block waits for the server, also after an error
            server.send_signal(signal.SIGINT)


def keep(page: Any, name: str) -> None:
    """A small PNG: 256 colours are enough for flat charts and text."""
    from PIL import Image

    target = HERE / "img" / f"{name}.png"
    page.screenshot(path=target)
    Image.open(target).convert("RGB").quantize(192).save(target, optimize=True)


def walk(page: Any, address: str, suffix: str) -> None:
    for _ in range(100):
        try:
            page.goto(address)
            break
        except Exception:
            page.wait_for_timeout(200)
    if not suffix:
        keep(page, "app-start")
    page.click("#demo")
    page.wait_for_selector("table.raw")
    page.click("text=Next: roles")
    page.select_option("[aria-label='Role of AFNLWGT']", "weight")
    page.wait_for_selector("#undo:not([disabled])")
    if not suffix:
        keep(page, "app-roles")
    page.click("text=Next: protect")
    page.wait_for_selector("#preview .figures")
    page.wait_for_timeout(400)
    keep(page, f"app-protect{suffix}")
    page.click("#run")
    page.wait_for_url("**/compare")
    page.wait_for_selector(".pick")
    page.wait_for_selector("#progress", state="hidden")
    page.fill("#values", "6 12 20 40")
    page.click("#sweep")
    page.wait_for_selector("#live tbody tr:nth-child(5)")
    page.wait_for_selector("#progress", state="hidden")
    page.goto(page.url.replace("compare", "protect"))
    page.select_option("[name='s0.method']", "rank_swapping")
    page.wait_for_selector("[name='s0.p.p']")
    page.goto(page.url.replace("protect", "compare"))
    page.fill("#values", "5 15 30")
    page.click("#sweep")
    page.wait_for_selector("#live tbody tr:nth-child(8)")
    page.wait_for_selector("#progress", state="hidden")
    page.click(".pick[aria-label*='k=20']")
    page.wait_for_selector("tr.chosen:has-text('k=20')")
    page.mouse.move(5, 400)
    keep(page, f"app-compare{suffix}")
    page.click("text=Next: release")
    page.wait_for_selector(".verdict")
    if not suffix:
        keep(page, "app-release")
    with tempfile.TemporaryDirectory() as folder:
        with page.expect_download() as waiting:
            page.click("#get-report")
        waiting.value.save_as(Path(folder, "report.html"))
        base = address.partition("?")[0]
        if not suffix:
            page.goto(f"{base}stream")
            page.select_option("#filter", "microaggregation")
            page.wait_for_load_state()
            page.select_option("#pace", "2000")
            page.click("#start")
            page.wait_for_selector("#live svg[aria-label^='Risk']")
            page.wait_for_timeout(6000)
            keep(page, "app-stream")
            page.click("#stop")
        page.goto(Path(folder, "report.html").as_uri())
        keep(page, f"report{suffix}")


if __name__ == "__main__":
    main()
