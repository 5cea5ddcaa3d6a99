"""Build the site into site/, which opens from disk: pages, executed examples, API reference; check its links.

python docs/builder/build.py [--out DIR] [--no-examples] [--only PATTERN] [--sources DIR]

Any warning ends the build. The site is built in a temporary folder and moved when it is complete.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
BUILDER = ROOT / "docs" / "builder"
NEEDED = {  # module: package
    "sphinx": "sphinx",
    "pydata_sphinx_theme": "pydata-sphinx-theme",
    "myst_parser": "myst-parser",
    "numpydoc": "numpydoc",
    "sphinx_gallery": "sphinx-gallery",
    "sphinx_copybutton": "sphinx-copybutton",
    "matplotlib": "matplotlib",
    "boruta": "Boruta",
    "polars": "polars",
    "minerva_select": "minerva-select",
}


def main() -> None:
    """Build, check, and move."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "site", help="output folder; its content is replaced")
    parser.add_argument("--no-examples", action="store_true", help="do not run the examples of the gallery")
    parser.add_argument("--only", metavar="PATTERN", default="", help="run only examples whose path contains this")
    parser.add_argument("--sources", type=Path, help="keep sources here, so that the next build reads what changed")
    options = parser.parse_args()
    require_packages()
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="minerva-site-") as folder:
        built = build(options, options.sources or Path(folder))
        replace(options.out, built)
    print(f"{options.out / 'index.html'}: built in {time.monotonic() - start:.0f} s")


def require_packages() -> None:
    """End with the install command if a package is missing."""
    missing = [package for module, package in NEEDED.items() if importlib.util.find_spec(module) is None]
    if missing:
        sys.exit(f"Building the site needs {', '.join(missing)}; install: python -m pip install -e '.[docs]'")


def build(options: argparse.Namespace, folder: Path) -> Path:
    """Build the site in the folder; end if there is a warning or a broken link."""
    import links  # noqa: PLC0415 - needs the packages
    import staging  # noqa: PLC0415

    pages = staging.stage(folder)
    html = folder / "html"
    environment = {
        **os.environ,
        "MINERVA_SITE_SOURCES": str(folder),
        "MINERVA_SITE_ONLY": options.only,
        "MINERVA_SITE_EXAMPLES": str(not options.no_examples),
        "OMP_NUM_THREADS": "1",  # the figures that the pages show are those of one thread
    }
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-c", str(BUILDER)]
    result = subprocess.run(
        [*command, "-d", str(folder / "cache"), str(pages), str(html)], env=environment, check=False
    )
    if result.returncode:
        sys.exit("The site was not built: see the warnings above.")
    if not options.no_examples:
        print(running_times(folder / "examples.xml"))
    faults = links.find_broken(html)
    if faults:
        sys.exit("\n".join(["The site was not built; it has broken links:", *faults]))
    return html


def running_times(record: Path) -> str:
    """Time of every example that ran, and of all, in words."""
    cases = [case for case in ElementTree.parse(record).iter("testcase") if case.find("skipped") is None]
    times = {case.attrib["file"]: float(case.attrib["time"]) for case in cases}
    lines = [f"{seconds:6.1f} s  {Path(name).name}" for name, seconds in times.items()]
    return "\n".join([*lines, f"{sum(times.values()):6.1f} s  {len(times)} examples"])


def replace(out: Path, built: Path) -> None:
    """Put the finished site in place of the old one."""
    new, old = out.with_name(f"{out.name}.new"), out.with_name(f"{out.name}.old")
    for path in (new, old):
        shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(built, new, ignore=shutil.ignore_patterns(".buildinfo*", "objects.inv.tmp"))
    if out.exists():
        out.rename(old)
    new.rename(out)
    shutil.rmtree(old, ignore_errors=True)


if __name__ == "__main__":
    main()
