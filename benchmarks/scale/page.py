"""Write the tables of the committed records into docs/scale.md, between the markers that name them.

python benchmarks/scale/page.py
"""

import re
from pathlib import Path

from tables import LatestRecords, gather, table

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "scale.md"
MARKERS = re.compile(r"(<!-- scale: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def fill(page: str, records: LatestRecords) -> str:
    """Return the page with all tables filled in."""
    return MARKERS.sub(lambda match: f"{match[1]}\n{table(match[2], records)}\n\n{match[3]}", page)


def main() -> None:
    PAGE.write_text(fill(PAGE.read_text(encoding="utf-8"), gather(HERE / "results")), encoding="utf-8")


if __name__ == "__main__":
    main()
