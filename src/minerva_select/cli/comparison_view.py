"""A comparison on the screen and as Markdown: two tables, and what a reader should check."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from minerva_select.evaluation import Comparison, FeatureVotes, Score, Standing
from minerva_select.results import Estimate
from minerva_select.text.feature_order import digits_of
from minerva_select.text.formatting import NOT_MEASURED, interval, number, printable

MOST_FEATURES = 30
MOST_SUSPECTS = 3
LONGEST_NAME, SHORTEST_NAME, SHORTEST_HEADER = 40, 16, 4  # cells of a feature's name, and of a method's column


def comparison_lines(comparison: Comparison, width: int = 100) -> list[Text]:
    """Everything that a screen shows of a comparison.

    Parameters
    ----------
    comparison : Comparison
        What :func:`minerva_select.evaluation.compare` handed back.
    width : int
        Columns of the terminal.

    Returns
    -------
    list of rich.text.Text
        One a line, none wider than the terminal but for notes, which wrap.
    """
    lines = [Text(line, style="bold" if place == 0 else "") for place, line in enumerate(_methods(comparison, width))]
    lines += [Text(line, style="dim") for line in legend(comparison)]
    kept = [row for row in comparison.votes() if any(one.share_of_splits(row.feature) for one in comparison.standings)]
    if kept:
        header, rows = _features(comparison, kept[:MOST_FEATURES], width)
        lines += [Text(), *(Text(line, style="bold") for line in header), *map(Text, rows)]
    if len(kept) > MOST_FEATURES:
        lines.append(Text(f"... and {len(kept) - MOST_FEATURES:,} more features that some method keeps", style="dim"))
    notices = notes(comparison)
    return [*lines, *([Text()] if notices else []), *(Text(notice, style="yellow") for notice in notices)]


def method_rows(comparison: Comparison) -> tuple[list[str], list[list[str] | tuple[str, str]]]:
    """Header and rows of the table of methods; one that has no answer is its name and the reason."""
    digits = digits_of(comparison.reference.information.nats if comparison.reference.information else 0.0)
    base = _base(comparison)
    header = ["method", "kept", "agree", "information, nats", comparison.metric, "seconds", "peak MB"]
    rows: list[list[str] | tuple[str, str]] = []
    for row in (*comparison.standings, comparison.reference):
        if row.n_kept is None:
            rows.append((row.label, printable(row.status)))
            continue
        shared = None if base is None or row is comparison.reference else comparison.agreement(row.method, base.method)
        rows.append(
            [
                row.label,
                f"{row.n_kept:g}" if row.n_kept == int(row.n_kept) else f"{row.n_kept:.1f}",
                NOT_MEASURED if shared is None else f"{shared:.0%}",
                _with_ends(row.information, digits),
                _with_ends(row.score, 3),
                number(row.seconds, 1),
                NOT_MEASURED if row.peak_bytes is None else f"{row.peak_bytes / 1e6:,.0f}",
            ]
        )
    return header, rows


def legend(comparison: Comparison) -> list[str]:
    """What the columns of the table of methods are."""
    base = _base(comparison)
    rows = f"{comparison.n_held_out:,} of {comparison.n_rows:,} rows, held out"
    n_splits = len(comparison.reference.kept)
    lines = [
        f"Information about {printable(comparison.target, limit=30)} and {comparison.metric} of gradient boosting: "
        f"on {rows}" + (f", means of {n_splits} splits." if n_splits > 1 else "."),
    ]
    if base is not None:
        lines.append(f"agree: features shared with {base.label}, of all that either keeps. In brackets 95% intervals.")
    return lines


def notes(comparison: Comparison) -> list[str]:
    """What a reader should check, and what the methods say themselves."""
    target = printable(comparison.target, limit=30)
    found = [
        f"Check `{printable(feature, limit=60)}`: alone it carries {share:.0%} of the information found in all "
        f"features; is it known before {target} is?"
        for feature, share in list(comparison.suspects().items())[:MOST_SUSPECTS]
    ]
    for row in (*comparison.standings, comparison.reference):
        found += [f"Note: {row.label}: {printable(note)}" for note in row.notes]
        if row.status and row.n_kept is not None:
            found.append(f"Note: {row.label}: {printable(row.status)}")
    return found


def as_markdown(comparison: Comparison) -> str:
    """The comparison as a page: methods, features, agreement of all pairs, and notes."""
    header, rows = method_rows(comparison)
    filled = [list(row) if isinstance(row, list) else [*row, *[""] * (len(header) - 2)] for row in rows]
    finished = _finished(comparison)
    digits = digits_of(max(comparison.alone.values(), default=0.0))
    features = [
        [vote.feature, *(_mark(row, vote.feature) for row in finished), number(vote.alone_nats, digits)]
        for vote in comparison.votes()
    ]
    pairs = [
        [row.label, *(number(comparison.agreement(row.method, other.method), 2) for other in finished)]
        for row in finished
    ]
    labels = [row.label for row in finished]
    parts = [
        _as_text(f"# Features about {printable(comparison.target)}: methods compared"),
        _markdown_table(header, filled),
        *map(_as_text, (*legend(comparison), *notes(comparison))),
        "## Features\n\n`alone` in nats, from the rows of the selection.",
        _markdown_table(["feature", *labels, "alone"], features),
        "## Agreement\n\nShared features over all features of both, a mean over splits.",
        _markdown_table(["", *labels], pairs),
    ]
    return "\n\n".join(parts) + "\n"


def _methods(comparison: Comparison, width: int) -> list[str]:
    """Lines of the table of methods; a narrow screen goes without memory, then without time and agreement."""
    header, rows = method_rows(comparison)
    lines: list[str] = []
    for hidden in (set(), {6}, {5, 6}, {2, 5, 6}):
        shown = [place for place in range(len(header)) if place not in hidden]
        cells = [[row[place] for place in shown] if isinstance(row, list) else list(row) for row in [header, *rows]]
        lines = _aligned(cells, n_full=len(shown), width=width)
        if max(map(cell_len, lines)) <= width:
            break
    return lines


def _features(comparison: Comparison, votes: Sequence[FeatureVotes], width: int) -> tuple[list[str], list[str]]:
    """Lines of the header and of the table of features, one narrow column a method."""
    finished = _finished(comparison)
    digits = digits_of(max(comparison.alone.values(), default=0.0))
    alone = [number(vote.alone_nats, digits) for vote in votes]
    heads = [_two_lines(row.method) for row in finished]
    sizes = [max(map(len, head)) for head in heads]
    room = width - max(len("alone"), *map(len, alone)) - 2 - len(sizes)
    if sum(sizes) > room - SHORTEST_NAME:
        sizes = [min(size, SHORTEST_HEADER) for size in sizes]
    name_size = max(1, min(LONGEST_NAME, room - sum(sizes), max(cell_len(printable(vote.feature)) for vote in votes)))
    name_size = max(name_size, len("feature"))
    alone_size = max(len("alone"), *map(len, alone))

    def line(name: str, cells: Iterable[str], last: str) -> str:
        middle = " ".join(set_cell_size(cell, size) for cell, size in zip(cells, sizes, strict=True))
        return f"{set_cell_size(name, name_size)} {middle} {last.rjust(alone_size)}".rstrip()

    header = [line("", [head[0] for head in heads], ""), line("feature", [head[1] for head in heads], "alone")]
    rows = [
        line(printable(vote.feature, limit=name_size), (_mark(row, vote.feature) for row in finished), last)
        for vote, last in zip(votes, alone, strict=True)
    ]
    return [text for text in header if text], rows


def _aligned(rows: Sequence[Sequence[str]], n_full: int, width: int) -> list[str]:
    """Rows as lines: the first column to the left, the others to the right; a short row ends in words."""
    full = [row for row in rows if len(row) == n_full]
    sizes = [max(cell_len(row[place]) for row in full) for place in range(n_full)]
    sizes[0] = max(cell_len(row[0]) for row in rows)
    gap = "  " if sum(sizes) + 2 * (n_full - 1) <= width else " "
    lines = []
    for row in rows:
        first = set_cell_size(row[0], sizes[0])
        if len(row) == n_full:
            lines.append(gap.join([first, *(cell.rjust(size) for cell, size in zip(row[1:], sizes[1:], strict=True))]))
        else:
            words = printable(row[1])
            room = max(1, width - sizes[0] - len(gap))
            lines.append(first + gap + (words if cell_len(words) <= room else set_cell_size(words, room - 1) + "…"))
    return lines


def _two_lines(name: str) -> tuple[str, str]:
    """A method's short name as a narrow header: a name of two words on two lines."""
    first, dash, second = name.partition("-")
    return (first + dash, second) if dash else ("", name)


def _mark(row: Standing, feature: str) -> str:
    """Whether a method keeps a feature; with several splits, in how many."""
    n_kept, n_splits = sum(feature in names for names in row.answers), len(row.answers)
    if n_kept == 0:
        return ""
    return "✓" if n_splits == 1 else f"{n_kept}/{n_splits}"


def _finished(comparison: Comparison) -> list[Standing]:
    return [row for row in comparison.standings if row.n_kept is not None]


def _base(comparison: Comparison) -> Standing | None:
    """Whom the others are held against: MINERVA, or the first that has an answer; nobody where there is one alone."""
    finished = _finished(comparison)
    if len(finished) < 2:
        return None
    return next((row for row in finished if row.method == "minerva"), finished[0])


def _with_ends(found: Estimate | Score | None, digits: int) -> str:
    if found is None:
        return NOT_MEASURED
    value = found.nats if isinstance(found, Estimate) else found.value
    return f"{number(value, digits)} ({interval(found.low, found.high, digits)})"


def _markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    cells = [[_as_text(printable(cell)).replace("|", "\\|") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def _as_text(line: str) -> str:
    """A line of Markdown in which names are no HTML, no links, and no pictures to be fetched."""
    return line.replace("<", "&lt;").replace("[", "\\[")
