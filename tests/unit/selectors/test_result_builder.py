"""Claims about results built from a solution made by hand: reasons, weights, substitutes and the path."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
import torch

from minerva_select import MinervaSelector
from minerva_select.codes import EstimateNote, ReasonCode, Role, SuspectKind, WarningCode
from minerva_select.data.frames import as_table
from minerva_select.mi.inference import MeanEstimate
from minerva_select.mi.pairwise_mi import PairwiseInformation
from minerva_select.results import Reason, SelectionWarning
from minerva_select.selectors.usable_columns import canonical_order
from minerva_select.solvers.attribution import ColumnAttribution, UnitAttribution
from minerva_select.solvers.vetting import VettingSolution
from minerva_select.text.roles import describe_groups, describe_marginals

SURE, WEAK, NONE = MeanEstimate(0.4, 0.01), MeanEstimate(0.1, 0.01), MeanEstimate(0.0, 0.01)
NOTHING = MeanEstimate(0.0, 0.0005)  # at most 0.001 nats, of which 0.002 are negligible
LEFT = MeanEstimate(0.02, 0.01)
X = pd.DataFrame(np.random.default_rng(0).normal(size=(120, 6)), columns=list("abcdef"))
Y = pd.Series([0, 1] * 60, name="y")


@pytest.fixture
def tell(monkeypatch):
    """Answer of a selector whose solver finds what is given; columns are named, units may be groups of them.

    a adds 0.4 nats, b adds 0.1 with a; c and d were dropped and would add ``last`` and nothing; e was permuted in
    vain, f was never a candidate. ``chosen`` are selected, of which ``unproven`` ones are not proven. ``alone`` and
    ``replaced_by`` are what is known of columns by name; a and c carry 0.3 nats alone unless it says more, and a
    replaces c.
    """

    def run(
        last=NOTHING,
        total=SURE,
        alone=None,
        replaced_by=None,
        near_copies=None,
        gain=WEAK,
        chosen="ab",
        unproven="",
        left=LEFT,
        **parameters,
    ):
        order = canonical_order(as_table(X))
        place = {name: k for k, name in enumerate(order)}
        alone = {"a": MeanEstimate(0.3, 0.01), "b": NONE, "c": MeanEstimate(0.3, 0.01), **(alone or {})}

        replaced_by = {"c": ["a"], **(replaced_by or {})}

        def solve(folds, units, required, config, training, *, n_to_select, min_to_select, proven_only):
            unit = {order[place]: number for number, places in enumerate(units) for place in places}
            a, b, c, d = (unit[name] for name in "abcd")
            strong = torch.tensor([float(name in "ac") for name in order])
            screen = PairwiseInformation(strong * 0.3, strong * 50, torch.empty(0, 2), torch.empty(0))
            return VettingSolution(
                screen=screen,
                permutation_importances={unit[name]: NONE for name in "abcde"},
                selected=sorted(unit[name] for name in chosen),
                contributions={unit[name]: SURE if name == "a" else WEAK for name in chosen},
                proven=frozenset(unit[name] for name in chosen if name not in unproven),
                additions={d: NOTHING, c: last},
                columns=ColumnAttribution(
                    {place[name]: evidence for name, evidence in alone.items()},
                    {place[name]: [place[other] for other in others] for name, others in replaced_by.items()},
                    {place[name]: (place[other], share) for name, (other, share) in (near_copies or {}).items()},
                    explained={place[name]: evidence.mean / np.log(2) for name, evidence in alone.items()},
                ),
                units=UnitAttribution(
                    {(min(a, b), max(a, b)): gain} if "b" in chosen else {},
                    {b: [a]} if "b" in chosen else {},
                ),
                path=[(sorted({a, b}), SURE), ([a], NONE)] if "b" in chosen else [([a], SURE)],
                importance_rounds=[{unit[name]: 0.1 * k for k, name in enumerate("fedcba")}, {a: 0.5, b: 0.4}],
                information=WEAK,
                total=total,
                left_behind=left,
                converged=True,
            )

        monkeypatch.setattr("minerva_select.selectors.minerva.solve_vetting", solve)
        selector = MinervaSelector(**{"random_state": 0, **parameters}).fit(X, Y)
        return selector.selection_, {result.feature: result for result in selector.selection_.features}

    return run


def test_every_feature_has_its_reason(tell):
    _, results = tell()
    assert {name: result.reason for name, result in results.items()} == {
        "a": Reason(ReasonCode.CONTRIBUTES, values={"nats": 0.4}),
        "b": Reason(ReasonCode.CONTRIBUTES, ("a",), {"nats": 0.1}),
        "c": Reason(ReasonCode.REDUNDANT, ("a",)),
        "d": Reason(ReasonCode.NOISE),
        "e": Reason(ReasonCode.NOISE),
        "f": Reason(ReasonCode.NO_INFORMATION),
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
    assert (results["c"].marginal_low, results["c"].marginal_high) == pytest.approx((0.2804, 0.3196), abs=1e-4)
    assert results["f"].marginal_low is None  # not looked at on held-out rows


def test_a_dropped_column_is_a_stand_in_of_the_one_that_makes_it_superfluous(tell):
    _, results = tell()
    assert {name: result.substitutes for name, result in results.items() if result.substitutes} == {"a": ("c",)}
    assert results["b"].partners == ("a",)


def test_a_selected_column_without_proof_supports_or_fills_the_requested_number(tell):
    _, results = tell(unproven="b")
    assert results["a"].reason.code is ReasonCode.CONTRIBUTES
    assert results["b"].reason == Reason(ReasonCode.SUPPORTING, ("a",), {"nats": 0.1})
    _, results = tell(unproven="b", n_features_to_select=2)
    assert results["a"].reason.code is ReasonCode.CONTRIBUTES
    assert results["b"].reason == Reason(ReasonCode.TO_REACH_COUNT)


def test_a_column_that_a_number_cut_off_says_what_it_adds(tell):
    _, asked = tell(last=WEAK, n_features_to_select=2)
    assert asked["c"].reason == Reason(ReasonCode.BEYOND_COUNT, values={"nats": 0.1})


def test_a_dropped_column_that_may_add_a_relevant_amount_is_too_weak_to_prove(tell):
    # One-sided p of 0.03: below the level of one test, above that of several
    _, results = tell(last=MeanEstimate(0.0188, 0.01))
    assert results["c"].reason == Reason(ReasonCode.TOO_WEAK, values={"n_rows": len(X)})
    assert results["c"].replaced_by == ("a",)


@pytest.mark.parametrize(
    ("addition", "total", "code"),
    [
        # The upper end is 1.96 standard errors above the mean
        (MeanEstimate(0.001, 0.0006), 0.05, ReasonCode.TOO_WEAK),  # 0.0022 nats
        (MeanEstimate(0.001, 0.0004), 0.05, ReasonCode.REDUNDANT),  # 0.0018 nats: less than 0.002
        (MeanEstimate(0.001, 0.0020), 0.60, ReasonCode.REDUNDANT),  # 0.0049 nats: less than 1% of all
        (MeanEstimate(0.001, 0.0030), 0.60, ReasonCode.TOO_WEAK),  # 0.0069 nats
        (MeanEstimate(-0.001, 0.01), 0.05, ReasonCode.REDUNDANT),  # adds nothing by the estimate itself
    ],
)
def test_an_addition_is_negligible_below_2_millinats_or_1_percent_of_all_information(tell, addition, total, code):
    _, results = tell(last=addition, total=MeanEstimate(total, 0.001))
    assert results["c"].reason.code is code


def test_a_dropped_column_that_no_other_replaces_is_noise(tell):
    _, results = tell(replaced_by={"c": []})
    assert results["c"].reason == Reason(ReasonCode.NOISE)


def test_the_path_names_the_sets_in_column_order(tell):
    selection, _ = tell()
    assert [point.features for point in selection.path] == [("a", "b"), ("a",)]
    assert [point.n_features for point in selection.path] == [2, 1]
    assert selection.path[1].low < selection.path[1].nats < selection.path[1].high


def test_redundant_columns_are_those_that_were_tried_or_are_informative_alone(tell):
    selection, results = tell(redundant="keep")
    assert selection.selected == ("a", "b", "c", "d")
    assert results["c"].weight == 1.0
    assert results["c"].reason == Reason(ReasonCode.REDUNDANT, ("a",))


def test_what_all_columns_add_to_the_selection_is_reported(tell):
    selection, _ = tell()
    assert selection.left_behind.nats == LEFT.mean
    assert selection.left_behind.low < LEFT.mean < selection.left_behind.high
    not_measured, _ = tell(left=None)
    assert not_measured.left_behind is None


def test_information_of_the_selection_and_of_all_that_was_vetted_are_told_apart(tell):
    selection, _ = tell()
    assert selection.mutual_information.nats == 0.1
    assert selection.total_information.nats == 0.4
    assert selection.information_kept == pytest.approx(0.25)


def test_information_above_the_entropy_of_the_target_is_cut_and_says_so(tell):
    selection, _ = tell(total=MeanEstimate(0.8, 0.01))
    assert selection.total_information.nats == selection.target_entropy == pytest.approx(np.log(2))
    assert selection.total_information.note is EstimateNote.CAPPED
    assert selection.total_information.entropy == selection.target_entropy


def test_parameters_are_told_in_plain_values(tell):
    groups = {("a", "b"): ("a",), 3: ["c"]}
    selection, _ = tell(keep=np.array(["a"]), feature_groups=groups, random_state=np.int64(3), drop=())
    assert selection.settings["keep"] == ["a"]
    assert selection.settings["feature_groups"] == {"('a', 'b')": ["a"], "3": ["c"]}
    assert selection.settings["random_state"] == 3
    assert type(selection.settings["random_state"]) is int
    assert "callbacks" not in selection.settings
    assert selection.versions.keys() == {"minerva", "python", "torch", "scikit-learn", "numpy", "pandas"}


def test_roles_say_who_tells_something_alone(tell):
    _, results = tell()
    assert {name: result.role for name, result in results.items()} == {
        "a": Role.ALONE,
        "b": Role.TOGETHER,
        "c": Role.SUBSTITUTE,  # tells as much alone as a, without which it would be missed
        "d": None,
        "e": None,
        "f": None,
    }


def test_the_only_one_kept_matters_alone_whatever_counting_found(tell):
    selection, results = tell(alone={"a": NONE}, chosen="a")
    assert selection.selected == ("a",)
    assert (results["a"].role, results["a"].partners) == (Role.ALONE, ())
    assert "other" not in " ".join(describe_groups(selection) + describe_marginals(selection))


def test_few_rows_are_told_to_show_strong_relations_only():
    enough, few = (MinervaSelector(random_state=0, time_limit=0.01).fit(X[:n], Y[:n]).selection_ for n in (100, 98))
    assert SelectionWarning(WarningCode.FEW_ROWS, values={"n_rows": 98}) in few.warnings
    assert WarningCode.FEW_ROWS not in {warning.code for warning in enough.warnings}


def test_a_dropped_column_that_tells_something_says_who_tells_it_too(tell):
    told = MeanEstimate(0.2, 0.01)
    _, results = tell(alone={"e": told, "f": told}, replaced_by={"e": ["a"], "f": ["b", "a"]})
    assert results["e"].reason == Reason(ReasonCode.REDUNDANT, ("a",))
    assert results["f"].reason == Reason(ReasonCode.REDUNDANT, ("b", "a"))
    assert (results["e"].replaced_by, results["f"].replaced_by) == (("a",), ("b", "a"))
    assert (results["e"].role, results["f"].role) == (Role.SUBSTITUTE, Role.SUBSTITUTE)
    assert results["a"].substitutes == ("c", "e")


def test_a_column_that_tells_little_could_not_take_the_place_of_one_that_tells_much(tell):
    _, results = tell(alone={"e": MeanEstimate(0.05, 0.01)}, replaced_by={"e": ["a"]})
    assert results["e"].replaced_by == ("a",)
    assert results["e"].role is None
    assert results["a"].substitutes == ("c",)


def test_what_seemed_to_tell_something_on_training_rows_alone_is_not_replaced(tell):
    _, results = tell(alone={"e": MeanEstimate(0.01, 0.01)}, replaced_by={"e": ["a"]})
    assert results["e"].reason == Reason(ReasonCode.NOISE)
    assert results["e"].replaced_by == ()


def test_pairs_are_told_in_nats_with_their_interval(tell):
    selection, _ = tell()
    (pair,) = selection.pairs
    assert {pair.first, pair.second} == {"a", "b"}
    assert (pair.nats, pair.low, pair.high) == pytest.approx((0.1, 0.0804, 0.1196), abs=1e-5)


def test_the_chosen_point_of_the_path_is_the_information_of_the_selection(tell):
    selection, _ = tell()
    chosen = next(point for point in selection.path if point.features == selection.selected)
    assert (chosen.nats, chosen.low) == (selection.mutual_information.nats, selection.mutual_information.low)
    # And no set tells more than a larger one
    assert [point.nats for point in selection.path] == sorted((point.nats for point in selection.path), reverse=True)


def test_rounds_of_sparsifying_are_told_by_name(tell):
    selection, _ = tell()
    assert [record.step for record in selection.weight_history] == [0, 1]
    # As shares of the one that was missed most
    assert selection.weight_history[1].weights == pytest.approx({"a": 1.0, "b": 0.8})
    assert selection.weight_history[0].weights == pytest.approx(dict(zip("fedcba", np.arange(6) / 5, strict=True)))


def test_a_column_that_tells_nearly_all_is_suspected_of_leaking(tell):
    selection, _ = tell(alone={"a": MeanEstimate(0.65, 0.01)}, total=MeanEstimate(0.65, 0.01))
    assert [(one.feature, one.kind) for one in selection.suspects] == [("a", SuspectKind.LEAK)]
    assert selection.suspects[0].share == pytest.approx(0.65 / np.log(2))
    (warning,) = selection.warnings
    assert (warning.code, warning.columns) == (WarningCode.LEAK, ("a",))
    assert warning.values == {"share": selection.suspects[0].share, "target": "y"}
    assert "--drop a, or drop=['a']" in str(warning)


def test_critics_that_find_less_than_counting_one_column_does_are_doubted(tell):
    selection, _ = tell(total=WEAK)  # 0.1 nats, where a carries 0.3 alone
    (warning,) = selection.warnings
    assert (warning.code, warning.columns) == (WarningCode.UNDERTRAINED, ("a",))
    assert warning.values == {"marginal_nats": 0.3, "total_nats": 0.1}
    within_chance, _ = tell(total=MeanEstimate(0.27, 0.01))
    assert within_chance.warnings == ()


def test_a_column_far_ahead_of_many_others_is_to_be_looked_at(tell, monkeypatch):
    monkeypatch.setattr("minerva_select.mi.pairwise_mi.PairwiseInformation.informative", [True] * 6)
    others = {name: MeanEstimate(0.1, 0.01) for name in "bcdef"}
    selection, _ = tell(alone={"a": MeanEstimate(0.25, 0.01), **others})
    assert [(one.feature, one.kind) for one in selection.suspects] == [("a", SuspectKind.DOMINANT)]
    assert (selection.warnings[0].code, selection.warnings[0].columns) == (WarningCode.DOMINANT, ("a",))
    assert selection.warnings[0].values["share"] == pytest.approx(0.625)
    close, _ = tell(alone={"a": MeanEstimate(0.19, 0.01), **others})
    assert close.suspects == ()
    # A near-copy of the first is no rival to it
    copied, _ = tell(
        alone={"a": MeanEstimate(0.25, 0.01), **others, "e": MeanEstimate(0.24, 0.01)}, near_copies={"e": ("a", 0.97)}
    )
    assert [one.kind for one in copied.suspects] == [SuspectKind.DOMINANT, SuspectKind.NEAR_COPY]


def test_near_copies_are_suspects_and_only_two_selected_ones_are_worth_a_warning(tell):
    selection, _ = tell(near_copies={"c": ("a", 0.95)})
    assert [(one.feature, one.kind, one.of) for one in selection.suspects] == [("c", SuspectKind.NEAR_COPY, "a")]
    assert selection.warnings == ()
    both, _ = tell(near_copies={"b": ("a", 0.95)}, gain=MeanEstimate(-0.1, 0.01))
    assert both.warnings == (SelectionWarning(WarningCode.NEAR_COPY, ("b", "a")),)


def test_near_copies_that_tell_more_together_are_no_suspects(tell):
    # Two countries that nearly always agree: where they do not, it is fraud
    selection, _ = tell(near_copies={"b": ("a", 0.95)}, gain=MeanEstimate(0.1, 0.01))
    assert selection.suspects == ()
    assert selection.warnings == ()


def test_where_an_answer_comes_from_is_kept_and_does_not_make_it_another(tell):
    first, _ = tell()
    again, _ = tell()
    assert first.provenance.n_columns == 7
    assert first.provenance.fingerprint == again.provenance.fingerprint
    assert first.provenance.device == "cpu"
    assert dataclasses.replace(first, seconds=0.0) == dataclasses.replace(again, seconds=0.0, provenance=None)
