"""Write the table of the committed records into docs/trust.md, between its markers.

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
MARKERS = re.compile(r"(<!-- attack -->\n).*?(<!-- end -->)", re.DOTALL)
PARTS = {"files": "removed files", "limits": "time limits", "fuzz": "fuzzing", "concurrent": "concurrent fits"}

Record = dict[str, Any]


def read(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def table(records: Sequence[Record]) -> str:
    """Render the records as a Markdown table, followed by machine, versions and commits."""
    if not records:
        return "Not measured yet."
    rows = [
        f"| {PARTS.get(record['part'], record['part'])} | {_cell(record['attack'])} | {record['n_trials']:,} | "
        f"{record['n_failures']:,} | {record['seconds']:,.0f} s | {_cell(record['note'])} |"
        for record in records
    ]
    totals = (sum(record[name] for record in records) for name in ("n_trials", "n_failures", "seconds"))
    n_trials, n_failures, seconds = totals
    rows.append(f"| **total** | | **{n_trials:,}** | **{n_failures:,}** | **{seconds:,.0f} s** | |")
    head = [
        "| part | attack | trials | failures | time | outcome |",
        "| --- | --- | ---: | ---: | ---: | --- |",
    ]
    return "\n".join([*head, *rows, "", _environment(records)])


def _cell(text: str) -> str:
    return text.replace("<", "&lt;").replace("|", "\\|").replace("\n", " ")


def _environment(records: Sequence[Record]) -> str:
    last = max(records, key=lambda record: record["made"])
    machine, versions = last["machine"], last["versions"]
    packages = ", ".join(f"{name} {version}" for name, version in versions.items())
    memory = machine["memory_bytes"] / 1e9
    parts: dict[str, dict[str, None]] = {}
    for record in records:
        parts.setdefault(record["commit"], {})[record["part"]] = None
    commits = "; ".join(f"{commit} ({', '.join(of_commit)})" for commit, of_commit in parts.items())
    measured = f"Measured {last['made'][:10]} on {machine['cpus']} cores and {memory:.0f} GB: {packages}."
    return f"{measured} Commits: {commits}."


def fill(page: str, records: Sequence[Record]) -> str:
    """Return the page with the table filled in."""
    return MARKERS.sub(lambda match: f"{match[1]}\n{table(records)}\n\n{match[2]}", page)


def main() -> None:
    PAGE.write_text(fill(PAGE.read_text(encoding="utf-8"), read(RECORDS)), encoding="utf-8")


if __name__ == "__main__":
    main()
