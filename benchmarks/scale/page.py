"""Put the tables of the committed records into docs/scale.md, between the marks that name each.

python benchmarks/scale/page.py
"""

import re
from pathlib import Path

from tables import Measured, gather, table

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "scale.md"
MARKED = re.compile(r"(<!-- scale: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def fill(page: str, measured: Measured) -> str:
    """Return the page with the table of every mark."""
    return MARKED.sub(lambda mark: f"{mark[1]}\n{table(mark[2], measured)}\n\n{mark[3]}", page)


def main() -> None:
    PAGE.write_text(fill(PAGE.read_text(encoding="utf-8"), gather(HERE / "results")), encoding="utf-8")


if __name__ == "__main__":
    main()
