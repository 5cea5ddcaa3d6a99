"""Warnings in sentences: which columns and values they name, and what to do."""

from __future__ import annotations

import pytest

from full_selection import selection_of
from minerva_select.codes import IdentifierPattern, StopCause
from minerva_select.results import SelectionWarning, WarningCode
from minerva_select.text.warnings import describe_warning, describe_warnings


def sentence(code, *columns, **values):
    return describe_warning(SelectionWarning(code, columns, values))


@pytest.mark.parametrize("code", WarningCode)
@pytest.mark.parametrize("n_columns", [0, 1, 2, 9])
def test_every_warning_is_described_also_without_its_values(code, n_columns):
    columns = [f"f{k}" for k in range(max(1, n_columns) if code is WarningCode.NEAR_COPY else n_columns)]
    assert sentence(code, *columns).endswith(".")


@pytest.mark.parametrize("code", [WarningCode.LEAK, WarningCode.DOMINANT])
def test_a_leak_is_named_with_its_share_and_how_to_drop_it(code):
    found = sentence(code, "call length", share=0.97, target="default")
    assert "97%" in found
    assert "default" in found
    assert "--drop 'call length'" in found
    assert "drop=['call length']" in found


def test_a_name_that_is_shortened_cannot_be_typed_so_no_command_is_given():
    found = sentence(WarningCode.LEAK, "x" * 300, share=0.999, target="y")
    assert f"{'x' * 20}…{'x' * 19}" in found
    assert "over 99%" in found
    assert "--drop" not in found


@pytest.mark.parametrize(
    ("n_found", "columns", "expected"),
    [
        (0, ["a", "b"], ["No feature was found", "the best others ('a' and 'b') are kept", "they carry any"]),
        (1, ["a"], ["Only 1 feature was found", "the best other one ('a') is kept", "it carries any"]),
        (2, ["a"], ["Only 2 features were found"]),
    ],
)
def test_what_is_kept_to_reach_a_minimum_is_counted(n_found, columns, expected):
    found = sentence(WarningCode.RAISED_TO_MINIMUM, *columns, n_found=n_found, minimum=3)
    assert [part for part in expected if part not in found] == []


def test_many_leaks_share_a_sentence():
    found = sentence(WarningCode.LEAK, *(f"f{k}" for k in range(7)), share=0.9, target="y")
    assert "'f4'" in found
    assert "'f5'" not in found
    assert "2 more" in found


def test_a_near_copy_is_named_with_its_original():
    assert sentence(WarningCode.NEAR_COPY, "a", "b").startswith("'a' nearly repeats 'b'")


@pytest.mark.parametrize("pattern", [None, *IdentifierPattern])
def test_an_identifier_is_named_with_its_pattern(pattern):
    found = sentence(WarningCode.IDENTIFIER, "id", pattern=pattern, step=1.0, n_distinct=99, n_rows=100)
    assert found.startswith("'id' looks like an identifier")
    assert ("(" in found) == (pattern is not None)


def test_causes_of_an_early_stop_have_different_sentences():
    sentences = {sentence(WarningCode.NOT_CONVERGED, cause=cause, seconds=60) for cause in (*StopCause, None)}
    assert len(sentences) == len(StopCause) + 1
    assert any("60 s" in found for found in sentences)


def test_values_of_another_type_in_a_saved_file_are_tolerated():
    for value in ([], {}, "text", None, True):
        assert sentence(WarningCode.NOT_CONVERGED, cause=value, seconds=value).endswith(".")
        assert "'a'" in sentence(WarningCode.LEAK, "a", share=value, target=value)
        assert "'a'" in sentence(WarningCode.IDENTIFIER, "a", pattern=value)


def test_a_fit_that_did_not_converge_always_has_a_warning():
    assert describe_warnings(selection_of()) == []
    assert len(describe_warnings(selection_of(converged=False))) == 1
    warning = SelectionWarning(WarningCode.FEW_ROWS, values={"n_rows": 60})
    assert describe_warnings(selection_of(converged=False, warnings=(warning,))) == [str(warning)]
