"""Settings of the paper's experiments, from TOML files."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minerva_select.errors import InputError, unknown_name

EXPERIMENT_NAMES = ("a", "b", "fraud", "mine")

# In a clone, the folder next to src; in an installed package, the copy that the build made
_FOLDERS = (Path(__file__).parents[4] / "experiments" / "paper", Path(__file__).parent / "configurations")


@dataclass(frozen=True)
class Configuration:
    """One experiment.

    Attributes
    ----------
    name : str
        "a", "b", "fraud" or "mine".
    title : str
        Title of its table.
    settings : mapping
        All that determines its results; some values differ in the quick variant.
    published : mapping
        Results of the paper by row; empty if it has none.
    is_quick : bool
        Whether this is the quick variant.
    """

    name: str
    title: str
    settings: Mapping[str, Any]
    published: Mapping[str, Mapping[str, Any]]
    is_quick: bool = False

    def __getitem__(self, setting: str) -> Any:
        return self.settings[setting]


def read_configuration(name: str, *, quick: bool = False, folder: Path | None = None) -> Configuration:
    """Read the settings of an experiment."""
    if name not in EXPERIMENT_NAMES:
        raise unknown_name("experiment", name, EXPERIMENT_NAMES)
    folder = folder or next((one for one in _FOLDERS if one.is_dir()), _FOLDERS[0])
    path = folder / f"{name}.toml"
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"There is no configuration {str(path)!r}; run the command in a clone of MINERVA.") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{str(path)!r} is not valid TOML: {error}.") from None
    title, published, faster = settings.pop("title"), settings.pop("published", {}), settings.pop("quick", {})
    return Configuration(name, title, settings | (faster if quick else {}), published, quick)
