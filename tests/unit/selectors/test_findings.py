"""Claims about how a solution is told: reasons, weights, stand-ins and the path, from a solution made by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torch

from minerva import MinervaSelector
from minerva.core.evidence import Evidence
from minerva.core.leaving_out import Dropped, Elimination
from minerva.core.screen import Screen
from minerva.core.solvers.vetting import VettingSolution
from minerva.data import as_table
from minerva.selectors.columns import canonical_order

SURE, WEAK, NONE = Evidence(0.4, 0.01), Evidence(0.1, 0.01), Evidence(0.0, 0.01)
X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 6)), columns=list("abcdef"))
Y = pd.Series([0, 1] * 30, name="y")


@pytest.fixture
def tell(monkeypatch):
    """Answer of a selector whose solver finds what is given; columns are named, units may be groups of them.

    a adds 0.4 nats, b adds 0.1 with a, c was left out last, d before it; e was shuffled in vain, f never proposed.
    """

    def run(last=NONE, total=SURE, **parameters):
        order = canonical_order(as_table(X))

        def solve(folds, units, kept, plan, run, *, n_wanted):
            unit = {order[place]: number for number, places in enumerate(units) for place in places}
            a, b, c, d = (unit[name] for name in "abcd")
            elimination = Elimination(
                kept=sorted({a, b}),
                contributions={a: SURE, b: WEAK},
                dropped=[Dropped(d, NONE, None), Dropped(c, last, a)],
                path=[(sorted({a, b, c, d}), SURE), (sorted({a, b, c}), SURE), (sorted({a, b}), WEAK)],
            )
            strong = torch.tensor([float(name in "ac") for name in order])
            screen = Screen(strong * 0.3, strong * 50, torch.empty(0, 2), torch.empty(0))
            return VettingSolution(
                screen=screen,
                shuffled={unit[name]: NONE for name in "abcde"},
                survivors=sorted({a, b, c, d}),
                elimination=elimination,
                partners={b: [a]},
                information=WEAK,
                total=total,
                converged=True,
            )

        monkeypatch.setattr("minerva.selectors.by_vetting.solve_vetting", solve)
        selector = MinervaSelector(**{"random_state": 0, **parameters}).fit(X, Y)
        return selector.selection_, {result.feature: result for result in selector.selection_.features}

    return run


def test_every_feature_has_its_reason(tell):
    _, results = tell()
    assert {name: result.reason for name, result in results.items()} == {
        "a": "adds 0.4 nats",
        "b": "adds 0.1 nats together with a",
        "c": "adds nothing once a is known",
        "d": "adds nothing once the others are known",
        "e": "not told from noise on unseen rows",
        "f": "no information found",
    }


def test_weights_are_contributions_relative_to_the_largest(tell):
    _, results = tell()
    assert {name: result.weight for name, result in results.items()} == pytest.approx(
        {"a": 1.0, "b": 0.25, "c": 0.0, "d": 0.0, "e": 0.0, "f": 0.0}
    )


def test_contributions_carry_95_percent_intervals(tell):
    _, results = tell()
    # 1.96 standard errors of 0.01 to either side
    assert results["b"].contribution_nats == 0.1
    assert results["b"].contribution_low == pytest.approx(0.0804, abs=1e-5)
    assert results["b"].contribution_high == pytest.approx(0.1196, abs=1e-5)
    assert results["f"].contribution_nats is None
    assert results["c"].marginal_nats == pytest.approx(0.3)
    assert results["f"].marginal_nats == 0


def test_a_dropped_column_is_a_stand_in_of_the_one_that_makes_it_superfluous(tell):
    _, results = tell()
    assert {name: result.stand_ins for name, result in results.items() if result.stand_ins} == {"a": ("c",)}
    assert results["b"].partners == ("a",)


def test_a_column_that_a_number_cut_off_says_what_it_adds(tell):
    _, asked = tell(last=WEAK, n_features_to_select=2)
    assert asked["c"].reason == "adds only 0.1 nats, beyond the number asked for"


def test_a_column_that_failed_the_test_narrowly_was_not_cut_off_by_a_number(tell):
    # One-sided p of 0.03: below the level of one test, above that of several
    _, results = tell(last=Evidence(0.0188, 0.01))
    assert results["c"].reason == "adds nothing once a is known"


def test_the_path_names_the_sets_in_column_order(tell):
    selection, _ = tell()
    assert [point.features for point in selection.path] == [("a", "b", "c", "d"), ("a", "b", "c"), ("a", "b")]
    assert [point.n_features for point in selection.path] == [4, 3, 2]
    assert selection.path[0].nats == 0.4
    assert selection.path[0].low < 0.4 < selection.path[0].high


def test_redundant_columns_are_those_that_went_last_or_tell_alone(tell):
    selection, results = tell(redundant="keep")
    assert selection.selected == ("a", "b", "c", "d")
    assert results["c"].weight == 1.0
    assert results["c"].reason == "adds nothing once a is known"


def test_information_of_the_selection_and_of_all_that_was_vetted_are_told_apart(tell):
    selection, _ = tell()
    assert selection.mutual_information.nats == 0.1
    assert selection.total_information.nats == 0.4
    assert selection.information_kept == pytest.approx(0.25)


def test_information_above_the_entropy_of_the_target_is_cut_and_says_so(tell):
    selection, _ = tell(total=Evidence(0.8, 0.01))
    assert selection.total_information.nats == selection.target_entropy == pytest.approx(np.log(2))
    assert "0.693" in selection.total_information.note


def test_parameters_are_told_in_plain_values(tell):
    groups = {("a", "b"): ("a",), 3: ["c"]}
    selection, _ = tell(keep=np.array(["a"]), groups=groups, random_state=np.int64(3), drop=())
    assert selection.settings["keep"] == ["a"]
    assert selection.settings["groups"] == {"('a', 'b')": ["a"], "3": ["c"]}
    assert selection.settings["random_state"] == 3
    assert type(selection.settings["random_state"]) is int
    assert "callbacks" not in selection.settings
    assert selection.versions.keys() == {"minerva", "python", "torch", "scikit-learn", "numpy", "pandas"}
