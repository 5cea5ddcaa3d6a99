"""Fit, write the reports and take the pictures of README, docs/report.md and docs/guide/effects.md.

python docs/pictures.py [--quick] [--out DIR] [--only NAME]

The tables of docs/guide/effects.md are in the folder of MINERVA_DATA; without it their pictures stay as they are.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import tempfile
from io import BytesIO
from pathlib import Path

import pandas as pd
from PIL import Image
from playwright.sync_api import Browser, FloatRect, Page, sync_playwright

from minerva_select import MinervaSelector
from minerva_select.problems import card_fraud, equality

PICTURES = Path(__file__).parent / "pictures"
WIDTHS = {"phone": 390, "desktop": 1440}
MAX_HEIGHT = 2600  # pixels; below is the long table of all features
CHARTS = {
    "experiment-a": ("pair_map",),
    "card-fraud": ("contributions", "effects", "path", "pairs", "training"),
    "bank": ("effects",),
    "churn": ("effects", "pair_map"),
    "houses": ("effects", "pair_map"),
}
REAL = {  # file in MINERVA_DATA, target, its name in the pictures, and columns that are left out
    "bank": ("bank_full", "y", "subscribed", ["duration"]),  # known only after the call
    "churn": ("churn", "target", "churned", ["phone number"]),
    "houses": ("537_houses", "target", "price", []),
}
README = "card-fraud"  # report.png is the top of its report, down to the first chart


def main() -> None:
    """Take every picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="use small tables, for a preview in seconds")
    parser.add_argument("--out", type=Path, default=PICTURES, help="output folder")
    parser.add_argument("--only", choices=CHARTS, help="take the pictures of one table")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=browser_arguments())
        for name in [options.only] if options.only else CHARTS:
            table = read_table(name, quick=options.quick)
            if table is None:
                continue  # the pictures of the repository stay
            report = Path(folder) / f"{name}.html"
            MinervaSelector(random_state=0).fit(*table).selection_.report(report)
            take_pictures(browser, report, options.out)
        browser.close()


def read_table(name: str, *, quick: bool) -> tuple[pd.DataFrame, pd.Series] | None:
    """Columns and target of a table; None if it is not on this machine."""
    if name == "experiment-a":  # it has an exact answer
        problem = equality(n_samples=5_000 if quick else 50_000)
        return problem.X, problem.y
    if name == "card-fraud":  # columns of every type
        problem = card_fraud(n_samples=5_000 if quick else 40_000, n_features=12 if quick else 40, rate=0.02)
        return problem.X, problem.y.rename("is_fraud")
    folder = os.environ.get("MINERVA_DATA")
    if folder is None:
        return None
    file, target, label, dropped = REAL[name]
    frame = pd.read_parquet(Path(folder) / "real" / f"{file}.parquet")
    rows = frame.sample(1_000, random_state=0) if quick else frame
    return rows.drop(columns=[target, *dropped]), rows[target].rename(label)


def take_pictures(browser: Browser, report: Path, out: Path) -> None:
    """Take the charts that the pages explain, and of made-up tables the page at both widths, light and dark."""
    is_real = report.stem in REAL
    for device, width in WIDTHS.items():
        for scheme in ("light", "dark"):
            if is_real and (device, scheme) != ("desktop", "light"):
                continue
            page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
            page.goto(report.as_uri())
            for chart in page.get_by_role("img", name=re.compile(r"\w")).all():
                chart.locator("svg").first.wait_for()
            height = min(MAX_HEIGHT, page.evaluate("document.documentElement.scrollHeight"))
            whole: FloatRect = {"x": 0, "y": 0, "width": width, "height": height}
            if not is_real:
                save_screenshot(page, whole, out / f"{report.stem}-{device}-{scheme}.png")
            if (device, scheme) == ("desktop", "light"):
                if report.stem == README:
                    chart = page.locator(".chart").first.bounding_box()
                    save_screenshot(page, {**whole, "height": chart["y"] + chart["height"] + 12}, out / "report.png")
                open_training(page)
                for kind in CHARTS[report.stem]:
                    save_screenshot(page, chart_box(page, kind), out / f"{report.stem}-{kind}.png", margin=20)
            page.close()


def open_training(page: Page) -> None:
    """Unfold the chart of the training, which is drawn then."""
    page.get_by_text("How training went").click()
    page.locator("#training svg").first.wait_for()
    page.evaluate("scrollTo({top: 0, behavior: 'instant'})")  # boxes are measured from the top of the window


def chart_box(page: Page, kind: str) -> FloatRect:
    """Heading, caption and chart; ends 12 pixels short, so that a margin of 20 shows no part of the buttons below."""
    section = page.locator(f"#{kind}").bounding_box()
    chart = page.locator(f"#{kind} .chart").last.bounding_box()
    return {**section, "height": chart["y"] + chart["height"] - section["y"] - 12}


def save_screenshot(page: Page, box: FloatRect, path: Path, margin: int = 0) -> None:
    """Save a part of the page in 256 colors: a third of the bytes without a visible difference."""
    left, top = box["x"] - margin, box["y"] - margin
    clip = {"x": left, "y": top, "width": box["width"] + 2 * margin, "height": box["height"] + 2 * margin}
    picture = Image.open(BytesIO(page.screenshot(full_page=True, clip=clip))).convert("RGB")
    reduced = picture.quantize(
        256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE
    )  # keeps the background exact
    reduced.save(path, optimize=True)


def chromium() -> str:
    """Path of the browser."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        raise SystemExit("Chromium is not installed; run: apt-get install chromium")
    return found


def browser_arguments() -> list[str]:
    """Disable the sandbox for root, for whom it does not start."""
    return ["--no-sandbox"] if os.geteuid() == 0 else []


if __name__ == "__main__":
    main()
