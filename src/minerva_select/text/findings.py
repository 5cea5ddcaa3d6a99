"""Findings before a fit, in sentences."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from minerva_select.codes import FindingCode
from minerva_select.text.formatting import LONGEST_NAME, format_value, join_names, percent, printable, rough_duration
from minerva_select.text.reasons import describe_pattern

if TYPE_CHECKING:
    from minerva_select.results import Finding, TableCheck

_MOST_NAMES = 5


def describe_finding(finding: Finding) -> str:
    """Describe a finding in one or two sentences, without the options that change it."""
    return _SENTENCES[finding.code](finding.columns, finding.values)


def describe_options(finding: Finding) -> str:
    """Options to paste behind ``minerva select``; empty if there are none, or a name cannot be typed as it is shown."""
    if any(option != printable(option) for option in finding.options):
        return ""
    return " ".join(argument if argument.startswith("--") else _shell_quote(argument) for argument in finding.options)


def describe_parameters(finding: Finding) -> str:
    """What to write in Python for the options; empty if there are none, or a name cannot be typed as it is shown."""
    if not describe_options(finding):
        return ""
    option, value, formats = finding.options[0], finding.options[-1], finding.values.get("formats")
    if option == "--drop":
        return f"drop={list(finding.options[1::2])}"
    if option == "--categorical":
        return f"categorical_features={{{value!r}: True}}"
    if option == "--date" and formats:
        return f"Convert it first, for example by pandas.to_datetime(..., format={formats[0]!r})."
    return "Convert it to numbers first." if option == "--numeric" else ""


def describe_check(check: TableCheck) -> str:
    """Describe a check for Python: size, findings with the parameters that change them, expected time."""
    lines = [f"- {describe_finding(finding)} {describe_parameters(finding)}".rstrip() for finding in check.findings]
    return "\n".join([describe_size(check), *(lines or ["Nothing to report."]), describe_fit_time(check)])


def describe_with_options(finding: Finding) -> str:
    """Describe a finding and how to change it."""
    options = describe_options(finding)
    return f"{describe_finding(finding)} {options}".rstrip()


def describe_size(check: TableCheck) -> str:
    """Describe what was checked."""
    target = printable(check.target, limit=LONGEST_NAME)
    size = f"{check.n_rows:,} rows x {_count(check.n_columns, 'column')}, target {target}"
    read = [f"{check.n_rows_checked:,} rows"] if check.n_rows_checked < check.n_rows else []
    read += [f"{check.n_columns_checked:,} columns"] if check.n_columns_checked < check.n_columns else []
    return f"{size}; checked on {' and '.join(read)}" if read else size


def describe_fit_time(check: TableCheck) -> str:
    """Describe the expected time of a fit."""
    return f"A fit takes about {rough_duration(check.fit_seconds)} on this processor."


_Values = Mapping[str, Any]
_Sentence = Callable[[Sequence[str], _Values], str]


def _missing_target(columns: Sequence[str], values: _Values) -> str:
    return (
        f"The target {_quoted(columns)} is missing in {_number(values, 'n_missing')} of {_number(values, 'n_rows')} "
        "rows, and a fit needs it in every row; leave those rows out, or fill them."
    )


def _infinite(columns: Sequence[str], values: _Values) -> str:
    n_infinite = values.get("n_infinite")
    count = _count(n_infinite, "infinite value") if isinstance(n_infinite, int) else "infinite values"
    return f"{_quoted(columns)} has {count}, which a fit refuses; replace {_them(n_infinite)} or drop the column."


def _many_classes(columns: Sequence[str], values: _Values) -> str:
    return (
        f"The target {_quoted(columns)} has {_number(values, 'n_classes')} different values in "
        f"{_number(values, 'n_rows')} rows and is read as that many classes; choose another target, or group them."
    )


def _single_member_classes(columns: Sequence[str], values: _Values) -> str:
    n_classes = values.get("n_classes")
    shown = [f"'{printable(str(name), limit=LONGEST_NAME)}'" for name in values.get("classes", ())]
    listed = join_names(shown, limit=None) if len(shown) == n_classes else f"{', '.join(shown)}, ..."
    one = n_classes == 1
    return (
        f"{_number(values, 'n_classes')} {'class' if one else 'classes'} of the target {_quoted(columns)} "
        f"({listed}) {'has' if one else 'have'} one row only, too few to train and to test on."
    )


def _leak(columns: Sequence[str], values: _Values) -> str:
    return (
        f"{_quoted(columns)} alone explains {_share(values)} of the entropy of the target. If it is known only after "
        "the outcome, drop it."
    )


def _leak_by_presence(columns: Sequence[str], values: _Values) -> str:
    return (
        f"Whether {_quoted(columns)} has a value explains {_share(values)} of the entropy of the target. If it is "
        "filled in only after the outcome, drop it."
    )


def _leak_by_time(columns: Sequence[str], values: _Values) -> str:
    times = printable(str(values.get("times", "")), limit=LONGEST_NAME)
    return (
        f"{_share(values).capitalize()} of the dates in {_quoted(columns)} are later than the time of the row "
        f"({times}), so they are not known then; drop it."
    )


def _leak_by_name(columns: Sequence[str], values: _Values) -> str:
    word = printable(str(values.get("word", "")), limit=LONGEST_NAME)
    return (
        f"The name of {_quoted(columns)} ('{word}') suggests that it is known only after the outcome. If so, drop it."
    )


def _dates_as_text(columns: Sequence[str], values: _Values) -> str:
    formats = values.get("formats", ())
    doubt = f"; day and month may be exchanged ({formats[1]})" if len(formats) == 2 else ""
    return f"{_quoted(columns)} has dates such as {_example(values)} but is not read as dates{doubt}."


def _numbers_as_text(columns: Sequence[str], values: _Values) -> str:
    return f"{_quoted(columns)} has numbers such as {_example(values)} but is read as categories."


def _codes_as_numbers(columns: Sequence[str], values: _Values) -> str:
    why = (
        "and its name says that they are codes"
        if values.get("by_name")
        else "and neighboring ones are no more alike in the target than others, as if they were codes"
    )
    return (
        f"{_quoted(columns)} has {_number(values, 'n_values')} different whole numbers that are read as numeric, {why}."
    )


def _identifier(columns: Sequence[str], values: _Values) -> str:
    return (
        f"{_quoted(columns)} looks like an identifier ({describe_pattern(values)}); drop it unless the values mean "
        "something for other rows."
    )


def _free_text(columns: Sequence[str], values: _Values) -> str:
    return (
        f"{_quoted(columns)} is free text ({_number(values, 'n_distinct')} different texts), which is read as "
        "categories; drop it, or make features of it first."
    )


def _near_copy(columns: Sequence[str], values: _Values) -> str:
    others = columns[1:]
    carry = "carries" if len(others) == 1 else "carry"
    return f"{_quoted(others)} {carry} the same information as {_quoted(columns[:1])}; the fit keeps one of them."


def _duplicated_rows(columns: Sequence[str], values: _Values) -> str:
    return (
        f"{_number(values, 'n_duplicated')} of {_number(values, 'n_rows')} rows repeat another row, target included; "
        "the fit counts copies as one observation."
    )


def _left_out(columns: Sequence[str], what: str) -> str:
    if len(columns) == 1:
        return f"{_quoted(columns)} is {what}; the fit leaves it out."
    return f"{_quoted(columns)} are {what}; the fit leaves them out."


_SENTENCES: dict[FindingCode, _Sentence] = {
    FindingCode.MISSING_TARGET: _missing_target,
    FindingCode.INFINITE_VALUES: _infinite,
    FindingCode.MANY_CLASSES: _many_classes,
    FindingCode.SINGLE_MEMBER_CLASSES: _single_member_classes,
    FindingCode.LEAK: _leak,
    FindingCode.LEAK_BY_PRESENCE: _leak_by_presence,
    FindingCode.LEAK_BY_TIME: _leak_by_time,
    FindingCode.LEAK_BY_NAME: _leak_by_name,
    FindingCode.DATES_AS_TEXT: _dates_as_text,
    FindingCode.NUMBERS_AS_TEXT: _numbers_as_text,
    FindingCode.CODES_AS_NUMBERS: _codes_as_numbers,
    FindingCode.IDENTIFIER: _identifier,
    FindingCode.FREE_TEXT: _free_text,
    FindingCode.NEAR_COPY: _near_copy,
    FindingCode.DUPLICATED_ROWS: _duplicated_rows,
    FindingCode.CONSTANT: lambda columns, values: _left_out(columns, "constant"),
    FindingCode.ALL_MISSING: lambda columns, values: _left_out(columns, "empty"),
}


def _shell_quote(argument: str) -> str:
    """Quote an argument for a shell; double quotes are easier to read if there are single ones inside."""
    special = set('"$`\\!') & set(argument.replace("!=", ""))  # shells leave "!=" alone
    return f'"{argument}"' if "'" in argument and not special else shlex.quote(argument)


def _quoted(columns: Sequence[str]) -> str:
    shown = [f"'{printable(column, limit=LONGEST_NAME)}'" for column in columns]
    return join_names(shown, most=_MOST_NAMES, limit=None)


def _number(values: _Values, name: str) -> str:
    return format_value(values, name, ",.0f")


def _share(values: _Values) -> str:
    share = values.get("share")
    return percent(share) if isinstance(share, int | float) else "most"


def _example(values: _Values) -> str:
    return repr(printable(str(values.get("example", "")), limit=LONGEST_NAME))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _them(number: Any) -> str:
    return "it" if number == 1 else "them"
