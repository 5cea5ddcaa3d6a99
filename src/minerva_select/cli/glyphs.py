"""What a screen can write: marks, bars and cuts, in blocks or in plain characters."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

BAR = 8  # cells
_BLOCKS = " ▏▎▍▌▋▊▉█"
_SIGNS = {"✓": "*", "…": "...", "–": "-", "─": "-", "•": "-"}  # and how they look in plain characters


@dataclass(frozen=True)
class Script:
    r"""The characters of an encoding; what it lacks is drawn with others, or spelled out.

    Examples
    --------
    >>> print(Script("ascii").write("café – ✓"))
    caf\xe9 - *
    """

    encoding: str = "utf-8"

    @property
    def is_plain(self) -> bool:
        """Whether blocks and signs are beyond the encoding."""
        try:
            "".join((*_SIGNS, _BLOCKS)).encode(self.encoding)
        except UnicodeEncodeError:
            return True
        return False

    def write(self, words: str) -> str:
        """Text in the characters that there are."""
        if self.is_plain:
            for sign, plain in _SIGNS.items():
                words = words.replace(sign, plain)
        return words.encode(self.encoding, "backslashreplace").decode(self.encoding)

    def bar(self, share: float, width: int = BAR) -> str:
        """Draw a share as a bar.

        Examples
        --------
        >>> Script().bar(0.5), Script().bar(0.3), Script("ascii").bar(0.3)
        ('████', '██▍', '##')
        """
        eighths = round(min(1.0, max(0.0, share)) * width * 8)
        if self.is_plain:
            return "#" * round(eighths / 8)
        return ("█" * (eighths // 8) + _BLOCKS[eighths % 8]).rstrip()

    def cut(self, words: str, width: int, *, inside: bool = False) -> str:
        """Shorten text to so many cells of the screen, with a sign where something is left out.

        Examples
        --------
        >>> Script().cut("adds nothing once it is known", 12), Script().cut("amount_eur", 7, inside=True)
        ('adds nothin…', 'amo…eur')
        """
        if cell_len(words) <= width:
            return words
        sign = self.write("…")
        room = max(0, width - len(sign))
        tail = room // 2 if inside else 0
        return set_cell_size(words, room - tail).rstrip() + sign[:width] + _ending(words, tail)


def _ending(words: str, width: int) -> str:
    """The last characters that fill at most so many cells."""
    start = len(words)
    while start and cell_len(words[start - 1 :]) <= width:
        start -= 1
    return words[start:]
