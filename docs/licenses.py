"""Write docs/licenses.md: the dependencies of MINERVA with their tested versions and licenses.

python docs/licenses.py
"""

import importlib.metadata
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

HERE = Path(__file__).parent
PAGE = HERE / "licenses.md"
PROJECT = HERE.parent / "pyproject.toml"
MARKER = re.compile(r"(<!-- licenses: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)
OURS = "minerva-select"
EXTRAS = ("paper", "notebook", "tensorboard", "mlflow")


def parse_requirements(lines: Iterable[str], extra: str = "") -> Iterator[Requirement]:
    """Parse requirements and skip those whose marker does not apply to this machine."""
    for text in lines:
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
            yield requirement


def find_dependencies(direct: Iterable[str]) -> dict[str, set[str]]:
    """Direct and indirect dependencies, each with the packages that require it."""
    required_by: dict[str, set[str]] = {}
    pending = [(requirement, OURS) for requirement in parse_requirements(direct)]
    while pending:
        requirement, parent = pending.pop()
        name = canonicalize_name(requirement.name)
        is_new = name not in required_by
        required_by.setdefault(name, set()).add(parent)
        if is_new:
            lines = importlib.metadata.requires(name) or []
            extras = ("", *requirement.extras)
            pending += [(child, name) for extra in extras for child in parse_requirements(lines, extra)]
    return required_by


def find_license(name: str) -> str:
    """License from a package's metadata: its expression, its classifiers, or the first line of its license text."""
    metadata = importlib.metadata.metadata(name)
    if expression := metadata.get("License-Expression"):
        return str(expression)
    classifiers = [
        line.split(" :: ")[-1] for line in metadata.get_all("Classifier", []) if line.startswith("License ::")
    ]
    stated = [license_ for license_ in classifiers if license_ != "OSI Approved"]
    return ", ".join(stated) or (metadata.get("License") or "not stated").strip().splitlines()[0]


def make_table(required_by: dict[str, set[str]]) -> str:
    """Markdown table of packages, direct dependencies first."""
    rows = ["| package | version | license | required by |", "| --- | --- | --- | --- |"]
    for name in sorted(required_by, key=lambda name: (OURS not in required_by[name], name)):
        version = importlib.metadata.version(name).split("+")[0]
        parents = sorted(required_by[name], key=lambda parent: (parent != OURS, parent))
        labels = ", ".join("MINERVA" if parent == OURS else parent for parent in parents)
        rows.append(f"| {name} | {version} | {find_license(name)} | {labels} |")
    return "\n".join(rows)


def make_tables() -> dict[str, str]:
    """The tables of the page by marker."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    core = find_dependencies(project["dependencies"])
    optional = [line for extra in EXTRAS for line in project["optional-dependencies"][extra]]
    additional = {name: parents for name, parents in find_dependencies(optional).items() if name not in core}
    return {"run": make_table(core), "extras": make_table(additional)}


def update_tables(page: str) -> str:
    """Replace the table after each marker."""
    tables = make_tables()
    return MARKER.sub(lambda match: f"{match[1]}\n{tables[match[2]]}\n\n{match[3]}", page)


if __name__ == "__main__":
    PAGE.write_text(update_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
