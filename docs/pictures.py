"""Fit, write the reports and photograph them for README and docs/report.md.

python docs/pictures.py [--quick] [--out DIR]
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, FloatRect, Page, sync_playwright

from minerva_select import MinervaSelector
from minerva_select.problems import Problem, card_fraud, equality

PICTURES = Path(__file__).parent / "pictures"
WIDTHS = {"phone": 390, "desktop": 1440}
TALLEST = 2600  # pixels: below, the table of all features goes on and on
CHARTS = {"experiment-a": (), "card-fraud": ("contributions", "path", "pairs", "training")}
README = "card-fraud"  # the top of its report, down to the first chart, is report.png


def main() -> None:
    """Take every picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small tables, for a look at the pages in seconds")
    parser.add_argument("--out", type=Path, default=PICTURES, help="folder of the pictures")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=sandbox())
        for name, problem in problems(quick=options.quick):
            report = Path(folder) / f"{name}.html"
            MinervaSelector(random_state=0).fit(problem.X, problem.y).selection_.report(report)
            photograph(browser, report, options.out)
        browser.close()


def problems(*, quick: bool) -> Iterator[tuple[str, Problem]]:
    """Draw Experiment A, which has an exact answer, and payments with columns of every kind."""
    yield "experiment-a", equality(n_samples=5_000 if quick else 50_000)
    payments = card_fraud(n_samples=5_000 if quick else 40_000, n_features=12 if quick else 40, rate=0.02)
    yield "card-fraud", dataclasses.replace(payments, y=payments.y.rename("is_fraud"))


def photograph(browser: Browser, report: Path, out: Path) -> None:
    """Take a page on a phone and on a desk, in light and in dark, and the charts that docs/report.md explains."""
    for device, width in WIDTHS.items():
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
            page.goto(report.as_uri())
            for chart in page.get_by_role("img", name=re.compile(r"\w")).all():
                chart.locator("svg").first.wait_for()
            height = min(TALLEST, page.evaluate("document.documentElement.scrollHeight"))
            whole: FloatRect = {"x": 0, "y": 0, "width": width, "height": height}
            shoot(page, whole, out / f"{report.stem}-{device}-{scheme}.png")
            if (device, scheme) == ("desktop", "light"):
                if report.stem == README:
                    chart = page.locator(".chart").first.bounding_box()
                    shoot(page, {**whole, "height": chart["y"] + chart["height"] + 12}, out / "report.png")
                for kind in CHARTS[report.stem]:
                    shoot(page, page.locator(f"#{kind}").bounding_box(), out / f"{report.stem}-{kind}.png", margin=20)
            page.close()


def shoot(page: Page, box: FloatRect, path: Path, margin: int = 0) -> None:
    """Write what is in the box in 256 colours: a third of the bytes, and no difference to see."""
    left, top = box["x"] - margin, box["y"] - margin
    clip = {"x": left, "y": top, "width": box["width"] + 2 * margin, "height": box["height"] + 2 * margin}
    picture = Image.open(BytesIO(page.screenshot(full_page=True, clip=clip))).convert("RGB")
    colours = picture.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)  # keeps the ground
    colours.save(path, optimize=True)


def chromium() -> str:
    """Find the browser."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        raise SystemExit("There is no Chromium; apt-get install chromium.")
    return found


def sandbox() -> list[str]:
    """Chromium's sandbox does not start for root."""
    return ["--no-sandbox"] if os.geteuid() == 0 else []


if __name__ == "__main__":
    main()
