"""Put the table of the committed records into docs/trust.md, between its marks.

python benchmarks/attack/page.py
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "trust.md"
RECORDS = HERE / "results" / "results.jsonl"
MARKED = re.compile(r"(<!-- attack -->\n).*?(<!-- end -->)", re.DOTALL)
PARTS = {"files": "files that go or change", "limits": "time limits", "fuzz": "hostile files", "beside": "two at once"}

Record = dict[str, Any]


def read(path: Path) -> list[Record]:
    """The records, in the order of the file; none where there is no file yet."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def table(records: Sequence[Record]) -> str:
    """What was tried, how often, and what was lost, with where and when it was."""
    if not records:
        return "Not measured yet."
    rows = [
        f"| {PARTS.get(record['part'], record['part'])} | {_cell(record['what'])} | {record['tried']:,} | "
        f"{record['lost']:,} | {record['seconds']:,.0f} s | {_cell(record['note'])} |"
        for record in records
    ]
    tried, lost, seconds = (sum(record[name] for record in records) for name in ("tried", "lost", "seconds"))
    rows.append(f"| **in all** | | **{tried:,}** | **{lost:,}** | **{seconds:,.0f} s** | |")
    head = [
        "| part | what was tried | how often | lost | in | what came of it |",
        "| --- | --- | ---: | ---: | ---: | --- |",
    ]
    return "\n".join([*head, *rows, "", _origin(records)])


def _cell(text: str) -> str:
    return text.replace("<", "&lt;").replace("|", "\\|").replace("\n", " ")


def _origin(records: Sequence[Record]) -> str:
    last = max(records, key=lambda record: record["made"])
    machine, versions = last["machine"], last["versions"]
    packages = ", ".join(f"{name} {version}" for name, version in versions.items())
    memory = machine["memory_bytes"] / 1e9
    parts: dict[str, dict[str, None]] = {}  # in their order, once each
    for record in records:
        parts.setdefault(record["commit"], {})[record["part"]] = None
    commits = "; ".join(f"{commit} ({', '.join(of_commit)})" for commit, of_commit in parts.items())
    made = f"Made {last['made'][:10]} on {machine['cpus']} cores and {memory:.0f} GB: {packages}."
    return f"{made} Commits: {commits}."


def fill(page: str, records: Sequence[Record]) -> str:
    """Return the page with the table."""
    return MARKED.sub(lambda mark: f"{mark[1]}\n{table(records)}\n\n{mark[2]}", page)


def main() -> None:
    PAGE.write_text(fill(PAGE.read_text(encoding="utf-8"), read(RECORDS)), encoding="utf-8")


if __name__ == "__main__":
    main()
