"""What an experiment of the paper is made of: a TOML file, and its quicker variant."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from minerva_select.errors import InputError, unknown_name

NAMES = ("a", "b", "fraud", "mine")

# In a clone beside the package's source; in an installed package within it, where the build puts a copy
_FOLDERS = (Path(__file__).parents[4] / "experiments" / "paper", Path(__file__).parent / "configurations")


@dataclass(frozen=True)
class Configuration:
    """One experiment: its settings, and the figures that the paper reports for it.

    Attributes
    ----------
    name : str
        "a", "b", "fraud" or "mine".
    title : str
        What its table shows.
    settings : mapping
        Everything that decides its figures; the quick variant has other values for some.
    theirs : mapping
        The paper's figures by row; empty where it has none.
    is_quick : bool
        Whether this is the quick variant.
    """

    name: str
    title: str
    settings: Mapping[str, Any]
    theirs: Mapping[str, Mapping[str, Any]]
    is_quick: bool = False

    def __getitem__(self, setting: str) -> Any:
        return self.settings[setting]

    @cached_property
    def command(self) -> str:
        """What a user types to make the figures again."""
        return f"minerva reproduce {self.name}{' --quick' if self.is_quick else ''}"


def read_configuration(name: str, *, quick: bool = False, folder: Path | None = None) -> Configuration:
    """Read the settings of one experiment.

    Parameters
    ----------
    name : str
        One of ``NAMES``.
    quick : bool
        Whether to take the values of the section ``quick`` where there are some.
    folder : Path, optional
        Where the TOML files are; found when not given.

    Examples
    --------
    >>> read_configuration("a")["rows"], read_configuration("a", quick=True).is_quick
    (50000, True)
    """
    if name not in NAMES:
        raise unknown_name("experiment", name, NAMES)
    path = (folder or _find_folder()) / f"{name}.toml"
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"There is no configuration {str(path)!r}; run the command in a clone of MINERVA.") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{str(path)!r} is not valid TOML: {error}.") from None
    title, theirs, faster = settings.pop("title"), settings.pop("theirs", {}), settings.pop("quick", {})
    return Configuration(name, title, settings | (faster if quick else {}), theirs, quick)


def _find_folder() -> Path:
    return next((folder for folder in _FOLDERS if folder.is_dir()), _FOLDERS[0])
