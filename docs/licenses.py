"""Write docs/licenses.md: what MINERVA needs to run, in which version it is tested, and under which licence it is.

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
MARKED = re.compile(r"(<!-- licenses: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)
OURS = "minerva-select"
EXTRAS = ("paper", "notebook", "tensorboard", "mlflow")


def required(names: Iterable[str], extra: str = "") -> Iterator[Requirement]:
    """Requirements, as text, that hold on this machine."""
    for text in names:
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
            yield requirement


def closure(direct: Iterable[str]) -> dict[str, set[str]]:
    """Every package that these need, by name, with those that ask for it."""
    asked: dict[str, set[str]] = {}
    waiting = [(requirement, OURS) for requirement in required(direct)]
    while waiting:
        requirement, by = waiting.pop()
        name = canonicalize_name(requirement.name)
        is_new = name not in asked
        asked.setdefault(name, set()).add(by)
        if is_new:
            needs = importlib.metadata.requires(name) or []
            extras = ("", *requirement.extras)
            waiting += [(one, name) for extra in extras for one in required(needs, extra)]
    return asked


def licence(name: str) -> str:
    """The licence that a package's metadata name: its expression, its classifiers, or the first line of its text."""
    metadata = importlib.metadata.metadata(name)
    if expression := metadata.get("License-Expression"):
        return str(expression)
    classifiers = [one.split(" :: ")[-1] for one in metadata.get_all("Classifier", []) if one.startswith("License ::")]
    stated = [one for one in classifiers if one != "OSI Approved"]
    return ", ".join(stated) or (metadata.get("License") or "not stated").strip().splitlines()[0]


def table(asked: dict[str, set[str]]) -> str:
    """Rows of packages: those that MINERVA asks for first."""
    names = sorted(asked, key=lambda name: (OURS not in asked[name], name))
    rows = [
        f"| {name} | {importlib.metadata.version(name).split('+')[0]} | {licence(name)} | "
        f"{', '.join('MINERVA' if by == OURS else by for by in sorted(asked[name], key=lambda by: (by != OURS, by)))} |"
        for name in names
    ]
    return "\n".join(["| package | version | licence | needed by |", "| --- | --- | --- | --- |", *rows])


def tables() -> dict[str, str]:
    """The tables of the page, by mark."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    core = closure(project["dependencies"])
    optional = [one for extra in EXTRAS for one in project["optional-dependencies"][extra]]
    more = {name: by for name, by in closure(optional).items() if name not in core}
    return {"run": table(core), "extras": table(more)}


def fill(page: str) -> str:
    """Return the page with the table of every mark."""
    made = tables()
    return MARKED.sub(lambda mark: f"{mark[1]}\n{made[mark[2]]}\n\n{mark[3]}", page)


if __name__ == "__main__":
    PAGE.write_text(fill(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
