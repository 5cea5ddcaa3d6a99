"""Colours of the figures in light and dark, and what can be read on them."""

from __future__ import annotations

from dataclasses import dataclass

from minerva_select.results import Role


@dataclass(frozen=True)
class Theme:
    """Colours of figures on a light or on a dark page; marks stand out at least 3:1, what is written 4.5:1."""

    ink: str
    soft: str  # axis labels and notes
    line: str  # grid
    paper: str  # what is behind a figure; figures themselves are transparent
    shade: str  # every other stage
    alone: str
    together: str
    substitute: str
    kept: str  # where the method names no roles
    redundancy: str
    neither: str
    synergy: str
    series: tuple[str, ...]  # lines that are told apart by colour, and their names

    def of(self, role: Role | None) -> str:
        """Colour of a role.

        Examples
        --------
        >>> LIGHT.of(Role.TOGETHER) == LIGHT.together, LIGHT.of(None) == LIGHT.kept
        (True, True)
        """
        colours = {Role.ALONE: self.alone, Role.TOGETHER: self.together, Role.SUBSTITUTE: self.substitute}
        return self.kept if role is None else colours[role]


LIGHT = Theme(
    ink="#1d2430",
    soft="#5b6472",
    line="#e7e5df",
    paper="#ffffff",
    shade="rgba(29, 36, 48, 0.045)",
    alone="#0072b2",
    together="#d55e00",
    substitute="#7d8694",
    kept="#0f766e",
    redundancy="#0072b2",
    neither="#f1f0ec",
    synergy="#d55e00",
    series=("#0072b2", "#bb5200", "#00805f", "#a8518a", "#8a6d00", "#6a51a3"),
)
DARK = Theme(
    ink="#e6e9ee",
    soft="#a3acba",
    line="#2b333e",
    paper="#191f27",
    shade="rgba(230, 233, 238, 0.05)",
    alone="#56b4e9",
    together="#f0883e",
    substitute="#8d96a5",
    kept="#5cc8bb",
    redundancy="#56b4e9",
    neither="#28303b",
    synergy="#f0883e",
    series=("#56b4e9", "#f0883e", "#2fc39b", "#dd8fc0", "#d9b430", "#a99be0"),
)


def faint(colour: str, share: float = 0.16) -> str:
    """A colour for areas behind lines and marks.

    Examples
    --------
    >>> faint("#0072b2")
    'rgba(0, 114, 178, 0.16)'
    """
    red, green, blue = _channels(colour)
    return f"rgba({red}, {green}, {blue}, {share})"


def mixed(start: str, end: str, share: float) -> str:
    """The colour at a share of the way from one to another, as plotly mixes those of a scale.

    Examples
    --------
    >>> mixed("#000000", "#ffffff", 0.5)
    '#808080'
    """
    channels = (a + share * (b - a) for a, b in zip(_channels(start), _channels(end), strict=True))
    return "#" + "".join(f"{round(channel):02x}" for channel in channels)


def readable_on(colour: str) -> str:
    """Black or white, whichever stands out more from a colour; at least 4.5:1, as WCAG 2 measures it.

    Examples
    --------
    >>> readable_on("#0072b2"), readable_on("#56b4e9")
    ('#ffffff', '#000000')
    """
    light = sum(w * _linear(c / 255) for w, c in zip((0.2126, 0.7152, 0.0722), _channels(colour), strict=True))
    return "#ffffff" if 1.05 / (light + 0.05) > (light + 0.05) / 0.05 else "#000000"


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
