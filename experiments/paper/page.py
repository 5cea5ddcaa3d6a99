"""Write the tables of the committed results into docs/paper.md, between the markers that name them.

python experiments/paper/page.py
"""

import re
from pathlib import Path

FOLDER = Path(__file__).parent
PAGE = FOLDER.parents[1] / "docs" / "paper.md"
MARKERS = re.compile(r"(<!-- (\S+)\.md -->\n).*?(<!-- end -->)", re.DOTALL)


def fill(page: str, results: Path) -> str:
    """Return the page with the content of every results file that it names."""

    def table(match: re.Match[str]) -> str:
        return f"{match[1]}\n{(results / f'{match[2]}.md').read_text(encoding='utf-8')}\n{match[3]}"

    return MARKERS.sub(table, page)


def main() -> None:
    PAGE.write_text(fill(PAGE.read_text(encoding="utf-8"), FOLDER / "results"), encoding="utf-8")


if __name__ == "__main__":
    main()
