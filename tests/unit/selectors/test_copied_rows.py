"""Claims about fits of tables with copies of rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from minerva_select import MinervaSelector, mutual_information
from minerva_select.codes import IdentifierPattern, ReasonCode, WarningCode
from minerva_select.errors import InputError
from minerva_select.results import SelectionWarning
from minerva_select.selectors import PaperSelector, minerva
from minerva_select.selectors.row_metadata import RowMetadata

pytestmark = pytest.mark.usefixtures("use_small_fits")

N_ROWS, N_AGAIN = 300, 60
ROWS = np.append(np.arange(N_ROWS), np.arange(N_AGAIN))  # of the original table
MANY = np.append(np.arange(8000), np.arange(500))  # too many for a mebibyte


def noise(n_rows=N_ROWS, n_columns=4, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n_rows, n_columns)), columns=list("abcdefgh")[:n_columns])
    return X, rng.integers(0, 2, size=n_rows)


def repeated(rows=ROWS, **more):
    """The first rows come again at the end; ``more`` are columns of the result."""
    X, y = noise(rows.max() + 1)
    return X.iloc[rows].assign(**more), y[rows]


@pytest.fixture
def splits(monkeypatch):
    """The parts of every fold, filled by a fit, which ends there."""
    found = []

    def interrupt(make, module):
        def note(*arguments):
            for split in make(*arguments):
                found.extend((split.held_out, *member) for member in split.members)
            raise InterruptedError

        monkeypatch.setattr(f"minerva_select.selectors.{module}.split_into_folds", note)

    for module in ("minerva", "estimation"):
        interrupt(minerva.split_into_folds, module)
    return found


def are_together(parts, rows):
    """Whether no original row is in two parts of a fold."""
    return bool(parts) and all(
        sum(len(set(rows[part].tolist())) for part in fold) == len(set(rows[np.concatenate(fold)].tolist()))
        for fold in parts
    )


FITS = {
    "MinervaSelector": lambda X, y, **rows: MinervaSelector(random_state=0).fit(X, y, **rows),
    "mutual_information": lambda X, y, **rows: mutual_information(X, y, random_state=0, **rows),
    "streamed": lambda X, y, **rows: MinervaSelector(random_state=0, max_memory="1MiB").fit(
        pa.Table.from_pandas(X, preserve_index=False).to_reader(), y, **rows
    ),
}


@pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
def test_copies_are_in_the_same_part_of_every_fold(splits, fit):
    with pytest.raises(InterruptedError):
        fit(*repeated(MANY))
    assert are_together(splits, MANY)


@pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
def test_copies_and_groups_are_in_the_same_part_of_every_fold(splits, fit):
    groups = np.arange(len(MANY)) // 3
    with pytest.raises(InterruptedError):
        fit(*repeated(MANY), groups=groups)
    assert are_together(splits, MANY)
    assert are_together(splits, groups)


@pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
def test_copies_with_row_numbers_of_their_own_are_together(splits, fit):
    with pytest.raises(InterruptedError):
        fit(*repeated(MANY, number=np.arange(len(MANY))))
    assert are_together(splits, MANY)


def test_copies_are_in_the_same_part_for_the_solver_of_the_paper(monkeypatch):
    drawn = []

    def note(part, weights, rng):
        drawn.append(part)
        if len(drawn) == 2:
            raise InterruptedError
        return part

    monkeypatch.setattr("minerva_select.selectors.paper._draw", note)
    with pytest.raises(InterruptedError):
        PaperSelector(random_state=0).fit(*repeated())
    assert are_together([drawn], ROWS)


def test_copies_are_counted_in_a_warning():
    warning = SelectionWarning(WarningCode.DUPLICATED_ROWS, values={"n_duplicated": N_AGAIN, "n_total": len(ROWS)})
    assert warning in MinervaSelector(random_state=0).fit(*repeated()).selection_.warnings


def test_copies_are_counted_also_if_groups_keep_them_together():
    X, y = repeated()
    found = MinervaSelector(random_state=0).fit(X, y, groups=ROWS).selection_
    assert WarningCode.DUPLICATED_ROWS in {warning.code for warning in found.warnings}


def test_equal_rows_of_few_categories_give_no_warning(fitted, pair):
    assert pair.X.duplicated().any()
    assert WarningCode.DUPLICATED_ROWS not in {warning.code for warning in fitted.selection_.warnings}


def test_rows_of_weight_zero_are_no_copies():
    X, y = repeated()
    weights = np.append(np.ones(N_ROWS), np.zeros(N_AGAIN))
    found = MinervaSelector(random_state=0).fit(X, y, sample_weight=weights).selection_
    assert WarningCode.DUPLICATED_ROWS not in {warning.code for warning in found.warnings}


@pytest.mark.parametrize("times", [1, 2])
def test_identifiers_of_a_table_appended_to_itself_are_found(times):
    X, y = noise(120)
    X = X.assign(number=np.arange(120), name=[f"customer {k}" for k in range(120)])
    found = MinervaSelector(random_state=0).fit(pd.concat([X] * times), np.tile(y, times)).selection_
    reasons = {result.feature: result.reason.code for result in found.features}
    assert reasons["name"] == ReasonCode.IDENTIFIER
    patterns = {warning.columns: warning.values for warning in found.warnings if warning.code == WarningCode.IDENTIFIER}
    assert patterns[("number",)]["pattern"] == IdentifierPattern.ROW_NUMBER


def test_categories_that_coincide_are_no_identifiers():
    city = np.random.default_rng(0).integers(0, 60, size=600)
    X = pd.DataFrame({"city": city.astype(str), "state": (city // 10).astype(str)})
    found = MinervaSelector(random_state=0).fit(X, city % 2).selection_
    assert found.selected == ("city",)


def test_without_copies_groups_stay_as_they_are():
    groups = np.arange(8) // 2
    assert RowMetadata(8).group_copies(None).groups is None
    assert RowMetadata(8, groups).group_copies(None).groups is groups


def test_copies_join_the_groups_that_contain_them():
    metadata = RowMetadata(8, np.arange(8) // 2 + np.array([0, 0, 0, 0, 0, 0, 1, 2])).group_copies(
        np.array([0, 1, 2, 3, 0, 4, 5, 6])
    )
    assert metadata.groups.tolist() == [0, 0, 1, 1, 0, 0, 2, 3]
    assert metadata.n_duplicated == 1
    assert metadata.n_independent == 4


def test_groups_that_copies_join_to_too_few_are_refused():
    with pytest.raises(InputError, match="duplicated rows"):
        RowMetadata(8, np.arange(8) // 2).group_copies(np.array([0, 1, 2, 3, 0, 4, 5, 6]))


def test_a_table_appended_to_itself_cannot_be_split_by_time():
    # All rows of the second half are left out, and nothing is left to test on
    X, y = noise()
    with pytest.raises(InputError, match="duplicated rows"):
        MinervaSelector().fit(pd.concat([X, X]), np.tile(y, 2), times=np.arange(2 * N_ROWS))
