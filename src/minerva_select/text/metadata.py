"""The figures of an answer and the facts of its making, each as a label and a short value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from minerva_select.results import Selection
from minerva_select.text import feature_order, formatting


@dataclass(frozen=True)
class Card:
    """One figure of the answer, with what it is a figure of."""

    label: str
    figure: str
    unit: str = ""
    notes: tuple[str, ...] = ()


def cards(selection: Selection) -> Iterator[Card]:
    """Give the figures of the answer.

    Examples
    --------
    >>> from minerva_select.results import FeatureResult
    >>> kept = FeatureResult("a", True, "among the best")
    >>> [card.label for card in cards(Selection("y", (kept,), None, None, n_rows=1000))]
    ['Features kept', 'Rows']
    """
    digits = feature_order.digits_for(selection)
    found, total, kept = selection.mutual_information, selection.total_information, selection.information_kept
    yield Card("Features kept", f"{len(selection.selected):,}", f"of {len(selection.features):,}")
    if found is not None:
        interval = formatting.interval(found.low, found.high, digits)
        notes = (f"{interval} (95%)" if interval else "", f"{formatting.amount(found.bits, digits)} bits")
        yield Card("Together they tell", formatting.amount(found.nats, digits), "nats", notes)
    if total is not None and kept is not None and selection.selected:
        yield Card(
            "Information kept",
            formatting.percent(kept),
            "",
            (f"of {formatting.amount(total.nats, digits)} nats in all features",),
        )
    if found is not None and selection.target_entropy is not None and selection.target_entropy > 0:
        share = min(1.0, max(0.0, found.nats / selection.target_entropy))
        entropy = f"of {formatting.amount(selection.target_entropy, digits)} nats that the target holds"
        yield Card("Target explained", formatting.percent(share), "", (entropy,))
    if selection.repeats is not None:
        repeats = selection.repeats
        rows = "all rows" if repeats.subsample is None else f"{repeats.subsample:.0%} of the rows"
        yield Card("Repeats agree", f"{repeats.agreement:.0%}", "", (f"{repeats.n_fits:,} fits on {rows}",))
    time = f"the fit took {formatting.duration(selection.seconds)}" if selection.seconds > 0 else ""
    yield Card("Rows", f"{selection.n_rows:,}", "", (time,))


def notes(selection: Selection) -> Iterator[str]:
    """Give what the estimates say of themselves, as sentences; what a card tells already is left out.

    Examples
    --------
    >>> from minerva_select.results import Estimate
    >>> rough = Estimate(0.5, 0.3, 0.7, n_rows=100, note="few rows")
    >>> list(notes(Selection("y", (), rough, rough, n_rows=100)))
    ['Few rows.']
    """
    entropy = selection.target_entropy
    told = "" if entropy is None else f"{entropy:.3f} nats"  # as estimates write it
    estimates = (selection.mutual_information, selection.total_information)
    for note in dict.fromkeys(estimate.note for estimate in estimates if estimate is not None and estimate.note):
        if not told or told not in note:
            yield f"{note[0].upper()}{note[1:]}" + ("" if note.endswith(".") else ".")


def facts(selection: Selection) -> Iterator[tuple[str, str, bool]]:
    """Tell how the answer was made: what, its value, whether that is to be read letter by letter.

    Examples
    --------
    >>> list(facts(Selection("y", (), None, None, n_rows=1000, seconds=4.2)))
    [('Shape', '1,000 rows, 1 column', False), ('Time', '4.2 s', False)]
    """
    made = selection.provenance
    n_columns = len(selection.features) + 1 if made is None else made.n_columns
    if made is not None and made.command:
        yield "Command", made.command, True
    if made is not None and made.data:
        yield "Data", made.data, False
    yield "Shape", f"{selection.n_rows:,} rows, {n_columns:,} {'column' if n_columns == 1 else 'columns'}", False
    if made is not None:
        yield "Fingerprint", made.fingerprint, True
    if selection.settings.get("random_state") is not None:
        yield "Seed", str(selection.settings["random_state"]), False
    if made is not None:
        yield "Device", made.device, False
    if selection.seconds > 0:
        yield "Time", formatting.duration(selection.seconds), False
    if made is not None:
        yield "Made", made.created.replace("T", " ").replace("+00:00", " UTC"), False
