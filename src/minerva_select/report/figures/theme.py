"""Light and dark colors of the figures."""

from __future__ import annotations

from dataclasses import dataclass

from minerva_select.results import Role


@dataclass(frozen=True)
class Theme:
    """Colors on a light or dark page; marks have a contrast of at least 3:1, text of 4.5:1."""

    ink: str
    soft: str  # axis labels and notes
    line: str  # grid
    paper: str  # background; figures are transparent
    shade: str  # of every other stage
    alone: str
    together: str
    substitute: str
    kept: str  # selected, without a role
    redundancy: str
    neither: str
    synergy: str
    series: tuple[str, ...]  # lines with labels

    def of(self, role: Role | None) -> str:
        """Color of a role."""
        color: str = getattr(self, role or "kept")
        return color


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


def make_transparent(color: str, opacity: float = 0.16) -> str:
    """Add an opacity to a color."""
    red, green, blue = _channels(color)
    return f"rgba({red}, {green}, {blue}, {opacity})"


def mix_colors(start: str, end: str, share: float) -> str:
    """Interpolate two colors, as plotly does in a color scale."""
    channels = (a + share * (b - a) for a, b in zip(_channels(start), _channels(end), strict=True))
    return "#" + "".join(f"{round(channel):02x}" for channel in channels)


def text_color(background: str) -> str:
    """Black or white, whichever has more contrast on a background: at least 4.5:1 by WCAG 2."""
    luminance = sum(w * _linear(c / 255) for w, c in zip((0.2126, 0.7152, 0.0722), _channels(background), strict=True))
    return "#ffffff" if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else "#000000"


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)


def _channels(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
