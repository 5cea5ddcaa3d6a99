"""Put the tables of the committed results into docs/paper.md, between the marks that name each.

python experiments/paper/page.py
"""

import re
from pathlib import Path

FOLDER = Path(__file__).parent
PAGE = FOLDER.parents[1] / "docs" / "paper.md"
MARKED = re.compile(r"(<!-- (\S+)\.md -->\n).*?(<!-- end -->)", re.DOTALL)


def fill(page: str, results: Path) -> str:
    """Return the page with the text of every file of results that it names."""

    def table(found: re.Match[str]) -> str:
        return f"{found[1]}\n{(results / f'{found[2]}.md').read_text(encoding='utf-8')}\n{found[3]}"

    return MARKED.sub(table, page)


def main() -> None:
    PAGE.write_text(fill(PAGE.read_text(encoding="utf-8"), FOLDER / "results"), encoding="utf-8")


if __name__ == "__main__":
    main()
