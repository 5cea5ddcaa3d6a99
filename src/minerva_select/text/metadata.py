"""Key figures of a selection and facts about the fit, each as a label and a short value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from minerva_select.codes import Conversion, EstimateDoubt, EstimateNote, ReasonCode
from minerva_select.text.cost import METRICS, describe_cost_rows, describe_difference
from minerva_select.text.feature_order import digits_for
from minerva_select.text.formatting import duration, interval, join_names, number, percent, printable
from minerva_select.text.left_behind import adds_information, upper_end
from minerva_select.text.proof import count_by_proof

if TYPE_CHECKING:
    from minerva_select.results import Estimate, Selection

_CONVERSIONS = {
    Conversion.DATE: "date read as seconds since 1970, UTC",
    Conversion.TIME: "time of day read as seconds since midnight",
    Conversion.DURATION: "duration read as seconds",
    Conversion.DECIMAL: "decimal read as float",
    Conversion.BYTES: "bytes read as text",
    Conversion.MIXED: "mixed values read as text",
    Conversion.OBJECT: "objects read as text",
    Conversion.UNPARSED: "numbers or dates in an unknown format read as text",
}


@dataclass(frozen=True)
class Card:
    """One key figure."""

    label: str
    figure: str
    unit: str = ""
    notes: tuple[str, ...] = ()


def cards(selection: Selection) -> Iterator[Card]:
    """Yield the key figures."""
    digits = digits_for(selection)
    found, total, kept = selection.mutual_information, selection.total_information, selection.information_kept
    n_kept, n_features = len(selection.selected), len(selection.features)
    yield Card("Features kept", f"{n_kept:,}", f"of {n_features:,}", (count_by_proof(selection),))
    if found is not None:
        ends = interval(found.low, found.high, digits)
        notes = (f"{ends} (95%)" if ends else "", f"{number(found.bits, digits)} bits")
        yield Card("Information, at least", number(found.nats, digits), "nats", notes)
    if total is not None and kept is not None and selection.selected:
        where = "found" if selection.left_behind is None else "in all features"
        of = max(total.nats, found.nats) if found is not None else total.nats  # as the share has it
        yield Card("Information kept", percent(kept), "", (f"of {number(of, digits)} nats {where}",))
    if selection.left_behind is not None and n_kept < n_features:
        yield _left_behind_card(selection, selection.left_behind, digits)
    if selection.cost is not None:
        metric, score = METRICS[selection.cost.metric], number(selection.cost.kept.value)
        yield Card(f"{metric}, kept columns", score, "", describe_difference(selection.cost))
    if found is not None and selection.target_entropy is not None and selection.target_entropy > 0:
        share = min(1.0, max(0.0, found.nats / selection.target_entropy))
        entropy = f"of its entropy of {number(selection.target_entropy, digits)} nats"
        yield Card("Target explained", percent(share), "", (entropy,))
    if selection.repeats is not None:
        repeats = selection.repeats
        rows = "all rows" if repeats.subsample is None else f"{repeats.subsample:.0%} of the rows"
        yield Card("Agreement", f"{repeats.agreement:.0%}", "", (f"{repeats.n_fits:,} fits on {rows}",))
    time = f"the fit took {duration(selection.seconds)}" if selection.seconds > 0 else ""
    yield Card("Rows", f"{selection.n_rows:,}", "", (time,))


def _left_behind_card(selection: Selection, left: Estimate, digits: int) -> Card:
    n_dropped = len(selection.features) - len(selection.selected)
    where = "in the dropped feature" if n_dropped == 1 else f"in {n_dropped:,} dropped features"
    if not adds_information(selection):
        return Card("Left behind, at most", upper_end(left.high, digits), "nats", ("nothing measurable", where))
    return Card(
        "Left behind", number(left.nats, digits), "nats", (f"{interval(left.low, left.high, digits)} (95%)", where)
    )


def describe_estimate_note(estimate: Estimate) -> str:
    """Say how an estimate relates to the entropy of the target; empty if it is well below."""
    entropy = "" if estimate.entropy is None else f", {estimate.entropy:.3f} nats"
    match estimate.note:
        case EstimateNote.CAPPED:
            return f"capped at the entropy of the target{entropy}"
        case EstimateNote.EXCEEDS:
            return f"the interval exceeds the entropy of the target in these rows{entropy}"
    return ""


_DOUBTS = {
    EstimateDoubt.DETERMINED: "not reliable: the columns seem to determine the target, which is infinite information",
    EstimateDoubt.TOO_STRONG: "not reliable: so few rows cannot show more information, so it may be well above",
    EstimateDoubt.FEW_ROWS: "not reliable: there are too few rows",
    EstimateDoubt.PARTS_DISAGREE: "not reliable: parts of the rows give different estimates",
    EstimateDoubt.NOT_LEARNED: "not reliable: too few rows to learn the relation, so it may be well above",
    EstimateDoubt.COLUMNS_LEFT_OUT: "not reliable: too many columns for so few rows, so some were not used",
    EstimateDoubt.NOTHING_LEFT: "not reliable: the known columns seem to determine the target, so nothing is left",
    EstimateDoubt.CLASSES_MERGED: "not reliable: too many classes, so the rarest ones count as one",
}


def describe_estimate_doubt(estimate: Estimate) -> str:
    """Say why an estimate is not reliable; empty if it is."""
    return "" if estimate.doubt is None else _DOUBTS[estimate.doubt]


def estimate_notes(selection: Selection) -> Iterator[str]:
    """Yield the notes of both estimates as sentences, unless a card gives the entropy anyway."""
    estimates = (selection.mutual_information, selection.total_information)
    described = (describe_estimate_note(estimate) for estimate in estimates if estimate is not None)
    for note in dict.fromkeys(note for note in described if note):
        if selection.target_entropy is None:
            yield f"{note[0].upper()}{note[1:]}."


def describe_nats(selection: Selection) -> str:
    """Say how much a nat is, next to the entropy of the target; empty if no information was measured."""
    if selection.mutual_information is None:
        return ""
    unit = "A nat is a unit of information, 1.44 bits: the answer to a fair yes-or-no question has 0.693 nats"
    if selection.target_entropy is None or selection.target_entropy <= 0:
        return f"{unit}."
    entropy = number(selection.target_entropy, digits_for(selection))
    return f"{unit}, and {printable(selection.target, 40)} has {entropy}."


def describe_conversion(conversion: Conversion | None) -> str:
    """Say how the values of a column were converted; empty if they were not."""
    return "" if conversion is None else _CONVERSIONS[conversion]


def conversions(selection: Selection) -> list[str]:
    """List the converted columns, one line per conversion."""
    names: dict[Conversion, list[str]] = {}
    for result in selection.features:
        if result.conversion is not None and result.reason.code is not ReasonCode.DROPPED_ON_REQUEST:
            names.setdefault(result.conversion, []).append(result.feature)
    return [f"{describe_conversion(conversion)}: {join_names(found)}" for conversion, found in names.items()]


def facts(selection: Selection) -> Iterator[tuple[str, str, bool]]:
    """Yield facts about the fit: label, value, and whether the value is code."""
    made = selection.provenance
    n_columns = len(selection.features) + 1 if made is None else made.n_columns
    if made is not None and made.command:
        yield "Command", made.command, True
    if made is not None and made.data:
        yield "Data", made.data, False
    yield "Shape", f"{selection.n_rows:,} rows, {n_columns:,} {'column' if n_columns == 1 else 'columns'}", False
    if made is not None:
        yield "Fingerprint", made.fingerprint, True
    if selection.cost is not None:
        yield METRICS[selection.cost.metric], describe_cost_rows(selection.cost), False
    if selection.settings.get("random_state") is not None:
        yield "Seed", str(selection.settings["random_state"]), False
    if made is not None:
        yield "Device", made.device, False
    if selection.seconds > 0:
        yield "Time", duration(selection.seconds), False
    if made is not None:
        yield "Created", made.created.replace("T", " ").replace("+00:00", " UTC"), False
