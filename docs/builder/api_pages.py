"""Write the API reference: one page per public module and one per public name, as reStructuredText."""

from __future__ import annotations

import dataclasses
import enum
import importlib
import inspect
import re
from collections.abc import Iterable, Iterator
from types import ModuleType

PACKAGE = "minerva_select"
# Public modules in the order of the reference; the other public names are in ``__all__`` of each
MODULES = ("", "selectors", "results", "callbacks", "evaluation", "problems", "errors")
TITLES = {
    "": "Selectors, estimates and selections",
    "selectors": "All selectors",
    "results": "Results",
    "callbacks": "Callbacks",
    "evaluation": "Comparing methods, repeating fits",
    "problems": "Problems with known answers",
    "errors": "Errors and warnings",
}
INDEX = """\
API reference
=============

Every public name; what is not listed here is private and may change at any time. :doc:`Releases and deprecations
<../releasing>` says how public names change.

"""


def write_pages() -> dict[str, str]:
    """Pages by file name."""
    homes = find_homes()
    pages = {}
    tables = []
    for suffix in MODULES:
        module = import_module(suffix)
        table = _module_table(suffix, module, homes)
        tables.append(table)
        own = [name for name in public_names(module) if _is_home(module, name, homes)]
        pages |= {f"{module.__name__}.{name}.rst": _page(module, name) for name in own}
        title = module.__name__
        head = f"{title}\n{'=' * len(title)}\n\n"
        pages[f"{title}.rst"] = head + table.partition("\n\n")[2] + _toctree(f"{title}.{name}" for name in own)
    pages["index.rst"] = INDEX + "\n".join(tables) + _toctree(import_module(suffix).__name__ for suffix in MODULES)
    return pages


def _is_home(module: ModuleType, name: str, homes: dict[tuple[int, str], tuple[str, str]]) -> bool:
    return homes[id_of(getattr(module, name), name)] == (module.__name__, name)


def _toctree(pages: Iterable[str]) -> str:
    return "\n.. toctree::\n   :hidden:\n\n" + "".join(f"   {page}\n" for page in pages)


def import_module(suffix: str) -> ModuleType:
    """A public module by its name within the package."""
    return importlib.import_module(f"{PACKAGE}.{suffix}".rstrip("."))


def public_names(module: ModuleType) -> list[str]:
    """Names in ``__all__``; of a module without one, the classes it defines."""
    names = getattr(module, "__all__", None)
    if names is None:
        names = [
            name
            for name, value in vars(module).items()
            if inspect.isclass(value) and value.__module__ == module.__name__
        ]
    return [name for name in names if not name.startswith("_")]


def id_of(value: object, name: str) -> tuple[int, str]:
    """Identity of a public object; two modules may export the same one."""
    return id(value), name


def find_homes() -> dict[tuple[int, str], tuple[str, str]]:
    """The first module that exports a name, by the identity of the object: there its page is."""
    homes: dict[tuple[int, str], tuple[str, str]] = {}
    for suffix in MODULES:
        module = import_module(suffix)
        for name in public_names(module):
            homes.setdefault(id_of(getattr(module, name), name), (module.__name__, name))
    return homes


def canonical_names() -> dict[str, str]:
    """Full public name of every public object by its last part, to resolve references in docstrings."""
    return {name: f"{module}.{name}" for module, name in find_homes().values()}


def _module_table(suffix: str, module: ModuleType, homes: dict[tuple[int, str], tuple[str, str]]) -> str:
    title = TITLES[suffix]
    summary = (inspect.getdoc(module) or "").split("\n\n")[0]
    entries = [".".join(homes[id_of(getattr(module, name), name)]) for name in public_names(module)]
    own = f"{module.__name__}."
    local = [
        entry.removeprefix(own) if entry.rpartition(".")[0] == module.__name__ else f"~{entry}" for entry in entries
    ]
    rows = "\n".join(f"   {entry}" for entry in local)
    return (
        f"{title}\n{'-' * len(title)}\n\n.. currentmodule:: {module.__name__}\n\n"
        f"``{module.__name__}``: {summary}\n\n.. autosummary::\n   :nosignatures:\n\n{rows}\n"
    )


def _page(module: ModuleType, name: str) -> str:
    value = getattr(module, name)
    full = f"{module.__name__}.{name}"
    head = f"{name}\n{'=' * len(name)}\n\n.. currentmodule:: {module.__name__}\n\n"
    if inspect.isclass(value) and issubclass(value, enum.Enum):
        body = f".. autoclass:: {name}(value)\n\n" + _codes(value)
    elif inspect.isclass(value) and issubclass(value, BaseException):
        body = f".. autoexception:: {name}(message)\n"
    elif inspect.isclass(value):
        body = f".. autoclass:: {name}\n" + "".join(_members(value, name))
    elif inspect.isfunction(value):
        body = f".. autofunction:: {name}\n"
    else:
        keys = ", ".join(f"``{key}``" for key in value)
        body = f".. py:data:: {name}\n\n   Mapping by name: {keys}.\n"
    return f"{head}{body}\n.. minigallery:: {full}\n   :add-heading: Examples that use ``{name}``\n"


def _members(value: type, name: str) -> Iterator[str]:
    """Directives of the members of a class that this package defines."""
    fields = {field.name for field in dataclasses.fields(value)} if dataclasses.is_dataclass(value) else set()
    for member in dir(value):
        if member.startswith("_") or member in fields:
            continue
        attribute = inspect.getattr_static(value, member)
        function = getattr(attribute, "__func__", attribute)
        if isinstance(attribute, property):
            if _is_ours(attribute.fget):
                yield f"\n.. autoproperty:: {name}.{member}\n"
        elif inspect.isfunction(function) and _is_ours(function):
            yield f"\n.. automethod:: {name}.{member}\n"


def _codes(value: type[enum.Enum]) -> str:
    """Table of the members of an enum, with the comments of their lines in the source."""
    comments = dict(re.findall(r"^    (\w+) = .*?  # (.*)$", inspect.getsource(value), re.MULTILINE))
    rows = "".join(
        f"   * - ``{value.__name__}.{name}``\n     - ``{member.value}``\n     - {comments.get(name, '')}\n"
        for name, member in value.__members__.items()
    )
    return f".. list-table::\n   :header-rows: 1\n\n   * - member\n     - value\n     - meaning\n{rows}"


def _is_ours(function: object) -> bool:
    module = getattr(inspect.unwrap(function), "__module__", "") if callable(function) else ""
    return str(module).startswith(PACKAGE)
