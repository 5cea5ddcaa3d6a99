"""Claims about a selection in words."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from full_selection import full_selection
from minerva_select import text as words
from minerva_select.results import (
    Estimate,
    FeatureResult,
    PairResult,
    Reason,
    ReasonCode,
    Repeats,
    Role,
    Selection,
    Suspect,
    SuspectKind,
)
from minerva_select.text.formatting import printable

HALF = Estimate(0.5, 0.48, 0.52, n_rows=1000)
NOTHING = Estimate(0.0, 0.0, 0.0, n_rows=500)


def selection_of(*features, found=HALF, total=None, **rest):
    return Selection(
        **{"target": "y", "n_rows": 500, **rest},
        features=features,
        mutual_information=found,
        total_information=found if total is None else total,
    )


def chosen(name, alone=0.0, adds=0.1, role=Role.TOGETHER, partners="", **rest):
    return FeatureResult(
        name,
        True,
        Reason(ReasonCode.CONTRIBUTES),
        1.0,
        alone,
        adds,
        partners=tuple(partners.split()),
        role=role,
        **rest,
    )


def gone(name, reason="no information found", **rest):
    return FeatureResult(name, False, reason, **rest)


def synergy(pair, nats, margin=0.01):
    return PairResult(*pair.split(), nats, nats - margin, nats + margin)


def some(n_selected, n_features):
    return [FeatureResult(f"f{k}", k < n_selected, Reason(ReasonCode.CONTRIBUTES)) for k in range(n_features)]


@pytest.mark.parametrize(
    ("n_selected", "n_features", "sentence"),
    [
        (4, 1214, "4 of 1,214 features carry 0.500 nats about y: 80% of what all features carry."),
        (1, 30, "1 of 30 features, f0, carries 0.500 nats about y: 80% of what all features carry."),
        (1, 1, "The only feature, f0, carries 0.500 nats about y."),
        (2, 2, "Both features carry 0.500 nats about y."),
        (5, 5, "All 5 features carry 0.500 nats about y."),
        (0, 30, "None of the 30 features was found to carry information about y."),
        (0, 1, "The only feature was not found to carry information about y."),
        (0, 0, "There is no feature that could tell anything about y."),
    ],
)
def test_the_headline_counts_as_people_do(n_selected, n_features, sentence):
    total = Estimate(0.625, 0.6, 0.65, n_rows=1000)  # 0.5 / 0.625 = 80%
    assert words.headline(selection_of(*some(n_selected, n_features), total=total)) == sentence


def test_the_headline_tells_the_share_of_what_there_is_to_know_where_that_is_known():
    text = words.headline(selection_of(*some(2, 9), target_entropy=0.625))
    assert (
        text
        == "2 of 9 features carry 0.500 nats about y: 100% of what all features carry, 80% of what there is to know."
    )
    assert words.headline(selection_of(*some(2, 2), target_entropy=0.4)).endswith(": 100% of what there is to know.")
    assert "there is to know" not in words.headline(selection_of(*some(2, 2), target_entropy=0.0))


@pytest.mark.parametrize(
    ("n_selected", "sentence"),
    [
        (0, "None of the 3 features was kept for y."),
        (1, "1 of 3 features, f0, is kept for y."),
        (2, "2 of 3 features are kept for y."),
        (3, "All 3 features are kept for y."),
    ],
)
def test_a_method_that_measures_no_information_claims_none(n_selected, sentence):
    selection = Selection("y", tuple(some(n_selected, 3)), None, None, n_rows=500)
    assert words.headline(selection) == sentence
    assert "nats" not in " ".join(part.text for part in words.explanation(selection))


def test_features_kept_on_request_are_not_said_to_carry_what_they_do_not():
    kept = selection_of(
        FeatureResult("a", True, Reason(ReasonCode.ON_REQUEST), marginal_nats=0.0), gone("b"), found=NOTHING
    )
    assert words.headline(kept) == "1 of 2 features, a, is kept, but no information about y was found in it."
    assert [part.kind for part in words.explanation(kept)] == ["answer", "nothing", "dropped"]


def test_two_features_that_are_the_whole_answer_tell_what_the_answer_tells():
    equality = selection_of(
        chosen("f3", adds=0.5, partners="f8"),
        chosen("f8", adds=0.5, partners="f3"),
        *(gone(f"f{k}") for k in range(28)),
    )
    assert words.roles(equality) == [
        "f3 and f8 matter only together: alone each tells 0.000 nats, together they tell 0.500."
    ]


def test_what_a_pair_adds_among_others_is_both_contributions_less_what_both_count():
    # I(a,b;y|c) = I(a;y|b,c) + I(b;y|a,c) - synergy = 0.3 + 0.25 - 0.2
    selection = selection_of(
        chosen("a", adds=0.3, partners="b"),
        chosen("b", 0.004, 0.25),
        chosen("c", 0.1, role=Role.ALONE),
        pairs=(synergy("a b", 0.2), synergy("a c", -0.01)),
    )
    assert words.roles(selection) == [
        "a and b matter only together: alone each tells at most 0.004 nats, "
        "together they add 0.350 to what the others tell.",
        "Alone, c tells 0.100 nats.",
    ]


def test_partners_of_partners_are_one_group_and_pairs_come_first():
    parity = [chosen("a", adds=0.4, partners="b c"), chosen("b", adds=0.4, partners="a"), chosen("c", adds=0.3)]
    pair = [chosen("d", partners="e"), chosen("e", partners="d")]
    pairs = (*(synergy(names, 0.3) for names in ("a b", "a c", "b c")), synergy("d e", 0.1))
    assert words.roles(selection_of(*parity, *pair, pairs=pairs)) == [
        "d and e matter only together: alone each tells 0.000 nats, together they add 0.100 to what the others tell.",
        "a, b and c matter only together: alone each tells 0.000 nats, with the others each adds at least 0.300.",
    ]


def test_one_that_matters_only_with_features_that_matter_alone_is_told_with_them():
    selection = selection_of(chosen("a", 0.3, role=Role.ALONE), chosen("b", partners="a"))
    assert words.roles(selection) == [
        "b matters only with a: alone it tells 0.000 nats, once the others are known it adds 0.100.",
        "Alone, a tells 0.300 nats.",
    ]


def test_without_partners_the_strongest_sure_synergy_tells_who_belongs_together():
    pairs = (synergy("a b", 0.2), synergy("b c", 0.05, margin=0.06))
    sentences = words.roles(selection_of(chosen("a"), chosen("b"), chosen("c"), pairs=pairs))
    assert [sentence.split(":")[0] for sentence in sentences] == [
        "a and b matter only together",
        "c matters only with others",
    ]


def test_a_pair_with_a_dropped_feature_links_nobody():
    features = chosen("a"), chosen("b"), FeatureResult("c", False, Reason(ReasonCode.NOISE))
    told = words.roles(selection_of(*features, pairs=(synergy("a c", 0.2),)))
    assert told == words.roles(selection_of(*features))


def test_the_pair_that_switches_is_named_though_terms_of_a_sum_gain_more_from_each_other():
    # y is one sum where k1 equals k2 and another elsewhere: terms tell something alone, the switch does not
    terms = [chosen(f"s{k}", 0.03 * k, 1.8, Role.ALONE, "k1 k2", marginal_low=0.02 * k) for k in (1, 2, 3)]
    rare = [chosen(f"c{k}", 0.0, 0.5, partners="k1 k2") for k in (1, 2)]
    switch = [chosen("k1", 0.002, 1.2, partners="k2 s1", marginal_low=0.0), chosen("k2", 0.0, 1.2, partners="k1")]
    pairs = (
        *(synergy(names, 1.7) for names in ("s1 s2", "s1 s3", "s2 s3")),
        *(synergy(f"{switch} {term}", 1.0) for switch in ("k1", "k2") for term in ("s1", "s2", "s3")),
        synergy("k2 k1", 0.84),
        synergy("c1 c2", 0.4),
        synergy("c1 k1", 0.2),
    )
    group, pair, alone = words.roles(
        selection_of(*terms, *rare, *switch, found=Estimate(2.9, 2.8, 3.0, 1000), pairs=pairs)
    )
    assert group.startswith("k1, k2, c1 and c2 matter only together: alone each tells at most 0.002 nats")
    assert pair == (
        "k1 and k2 tell nothing alone and need each other most: knowing one makes the other worth 0.840 nats more."
    )
    assert alone == "Alone, s3 tells 0.090 nats, s2 0.060 and s1 0.030."


@pytest.mark.parametrize(
    ("other", "nats", "sentence"),
    [
        ("a c", 0.17, "a and b work most closely together: knowing one makes the other worth 0.200 nats more."),
        (
            "a c",
            0.185,
            "a and b work closely together: knowing one makes the other worth 0.200 nats more.",
        ),  # +- 0.01 meet
        (
            "d c",
            0.185,
            "a and b work closely together, and so do c and d: "
            "knowing one makes the other worth at least 0.185 nats more.",
        ),
    ],
)
def test_only_a_pair_that_stands_out_works_most_closely(other, nats, sentence):
    features = [chosen(name, 0.1, role=None) for name in "abcd"]
    assert words.roles(selection_of(*features, pairs=(synergy(other, nats), synergy("b a", 0.2)))) == [sentence]


@pytest.mark.parametrize(
    "pair", [synergy("a b", 0.2, margin=0.3), synergy("a b", -0.2), synergy("a b", 0.009, margin=0.001)]
)
def test_a_pair_that_is_unsure_redundant_or_of_little_weight_is_not_named(pair):
    features = [chosen(name, 0.1, role=None) for name in "ab"]
    assert words.roles(selection_of(*features, pairs=(pair,))) == []


def test_those_that_matter_alone_are_told_the_strongest_first_and_not_all():
    features = [chosen(f"f{k}", k / 100, role=Role.ALONE) for k in range(1, 9)]
    assert words.roles(selection_of(*features)) == [
        "Alone, f8 tells 0.080 nats, f7 0.070, f6 0.060, f5 0.050, f4 0.040 and 3 more tell something."
    ]


def test_redundant_features_that_are_kept_are_told():
    spare = FeatureResult("copy", True, Reason(ReasonCode.EQUIVALENT, ("a",)), marginal_nats=0.1, role=Role.SUBSTITUTE)
    assert words.roles(selection_of(chosen("a", 0.1, role=Role.ALONE), spare)) == [
        "Alone, a tells 0.100 nats.",
        "What copy tells, others tell too.",
    ]


def test_a_dropped_feature_is_told_with_those_that_stand_in_for_it():
    corral = [chosen(name, 0.1, role=Role.ALONE) for name in ("A0", "A1", "B0", "B1")]
    dropped = [
        gone("Correlated", "adds nothing once A0 is known", marginal_nats=0.2, replaced_by=("A0", "B1")),
        gone("Irrelevant"),
    ]
    assert words.dropped(selection_of(*corral, *dropped)) == [
        "Correlated is dropped: what it tells, A0 and B1 tell.",
        "Irrelevant is dropped: no information found.",
    ]


def test_dropped_features_with_the_same_stand_in_share_a_sentence():
    features = [
        chosen("amount", substitutes=("eur", "usd", "log")),
        gone("eur", "copy of amount"),
        gone("usd", "copy of amount"),
        gone("log", "adds nothing once amount is known"),
        gone("cents", "adds nothing once amount is known", replaced_by=("amount",)),
        gone("rounded", "adds nothing once amount is known", replaced_by=("amount",)),
        gone("rest", "adds nothing once the others are known", role=Role.SUBSTITUTE),
    ]
    near = Suspect("rounded", SuspectKind.NEAR_COPY, share=0.98, of="amount")
    assert words.dropped(selection_of(*features, suspects=(near,))) == [
        "eur and usd are dropped: amount tells the same.",
        "rounded is dropped: amount tells nearly the same.",
        "log and cents are dropped: what they tell, amount tells.",
        "rest is dropped: what it tells, the selected features tell.",
    ]


def test_a_copy_of_a_dropped_feature_is_counted_with_the_others():
    features = [chosen("a"), gone("noise"), gone("noise_2", "copy of noise"), gone("noise_3"), gone("flat", "constant")]
    assert words.dropped(selection_of(*features)) == [
        "4 features are dropped: no information found (2), copy of noise (1), constant (1)."
    ]


def test_many_stand_ins_share_a_sentence():
    pairs = [("hour_utc", "hour"), ("score", "grade"), ("amount_eur", "amount"), ("account", "card"), ("town", "city")]
    copies = [gone(name, f"copy of {original}") for name, original in pairs]
    assert words.dropped(selection_of(*(chosen(original) for _, original in pairs), *copies)) == [
        "hour_utc, score, amount_eur, account and 1 more are dropped: "
        "hour, grade, amount, card and 1 more tell the same."
    ]


def test_many_reasons_stay_short():
    odd = [gone(f"x{k}", f"reason {k}") for k in range(20)] + [gone("y1", "constant"), gone("y2", "constant")]
    assert words.dropped(selection_of(chosen("a"), *odd)) == [
        "22 features are dropped: constant (2), reason 0 (1), reason 1 (1), other reasons (18)."
    ]


def test_features_beyond_the_number_asked_for_are_not_called_useless():
    reason = "adds only 0.1 nats, beyond the number asked for"
    features = [
        chosen("a"),
        gone("b", reason, contribution_nats=0.1),
        gone("c", reason, contribution_nats=0.08, replaced_by=("a",)),
    ]
    assert words.dropped(selection_of(*features)) == [
        "b and c would add something, at most 0.100 nats, but fewer features were asked for."
    ]


@pytest.mark.parametrize(
    ("suspect", "sentence"),
    [
        (
            Suspect("ChgOffDate", SuspectKind.LEAK, share=0.97),
            "ChgOffDate alone tells 97% of what y holds. If it is known only after the outcome, drop it and run again: "
            "--drop ChgOffDate, or drop=['ChgOffDate'].",
        ),
        (
            Suspect("call length", SuspectKind.DOMINANT, share=0.7),
            "call length alone tells 70% of what all features tell. If it is not known before y, drop it and run again"
            ": --drop 'call length', or drop=['call length'].",
        ),
        (
            Suspect("x" * 300, SuspectKind.LEAK, share=0.999),  # a name that is cut cannot be typed
            f"{'x' * 20}…{'x' * 19} alone tells over 99% of what y holds. If it is known only after the outcome, "
            "drop it and run again.",
        ),
        (
            Suspect("a", SuspectKind.IDENTIFIER),
            "a looks like an identifier; drop it unless its values mean something for other rows too.",
        ),
        (Suspect("a", SuspectKind.NEAR_COPY, 0.98, of="b"), "a nearly repeats b (98%); one of the two may be enough."),
    ],
)
def test_a_suspect_is_told_with_what_to_do_about_it(suspect, sentence):
    assert words.suspects(selection_of(chosen("a"), suspects=(suspect,))) == [sentence]


@pytest.mark.parametrize(
    "warning",
    [
        "a alone tells 97% of what y holds.",
        "Column 'a' alone tells 97% of what y holds; drop it.",
        "Columns 'a' (97%), 'c' (95%) each alone tell nearly all that y holds; drop them.",
    ],
)
def test_what_a_warning_tells_is_not_told_twice(warning):
    leaks = (Suspect("a", SuspectKind.LEAK, 0.97), Suspect("ba", SuspectKind.LEAK, 0.96))
    [left] = words.suspects(selection_of(chosen("a"), suspects=leaks, warnings=(warning, "Column 'ba' is constant.")))
    assert left.startswith("ba alone tells 96%")


def test_names_that_a_warning_only_counts_are_told_by_it():
    leaks = tuple(Suspect(f"f{k}", SuspectKind.LEAK, 0.9) for k in range(7))
    warning = "Columns 'f0' (90%), 'f1' (90%) and 5 others each alone tell nearly all that y holds."
    assert words.suspects(selection_of(chosen("a"), suspects=leaks, warnings=(warning,))) == []


def test_a_dropped_identifier_or_copy_is_no_suspect_and_a_dropped_leak_is():
    found = [Suspect("gone", SuspectKind.IDENTIFIER), Suspect("gone", SuspectKind.NEAR_COPY, of="a")]
    assert words.suspects(selection_of(chosen("a"), gone("gone"), suspects=tuple(found))) == []
    leak = (Suspect("gone", SuspectKind.LEAK, 0.9),)
    assert len(words.suspects(selection_of(chosen("a"), gone("gone"), suspects=leak))) == 1


def repeated(counts, dropped=(), n_fits=10, **rest):
    features = [chosen(name, frequency=count / n_fits) for name, count in counts]
    features += [gone(name, frequency=count / n_fits) for name, count in dropped]
    repeats = Repeats(**{"n_fits": n_fits, "subsample": 0.8, "agreement": 1.0, **rest})
    [text] = words.stability(selection_of(*features, repeats=repeats))
    return text


def test_the_answer_that_held_is_said_to_have_held():
    assert repeated([("f3", 10), ("f8", 10)], [("f1", 0)], subsample=None) == (
        "The same fit, repeated 10 times with other seeds, chose f3 and f8 each time. "
        "No dropped feature was ever chosen. Two such fits share 100% of their features on average."
    )


def test_how_often_each_feature_was_chosen_is_told_the_most_often_first():
    assert repeated([("a", 0), ("b", 4), ("c", 10), ("d", 7)], [("e", 2)], agreement=0.61) == (
        "The same fit, repeated 10 times on 80% of the rows, chose c each time, d in 7 of 10, b in 4, a never. "
        "No dropped feature was chosen in more than 2 of 10. Two such fits share 61% of their features on average."
    )


def test_dropped_features_that_most_repeats_chose_are_named():
    assert "Of the dropped features they chose e each time, g in 5 of 10." in repeated(
        [("a", 10)], [("e", 10), ("f", 4), ("g", 5)]
    )


def test_repeats_of_an_empty_answer_tell_what_they_found():
    assert repeated([], [("a", 0)]).endswith("chose nothing each time.")
    assert repeated([], [("a", 3), ("b", 0)]).endswith("chose a in 3 of 10.")
    assert repeated([], [("a", 0)], n_fits=1).startswith("The same fit, repeated once")


def test_nothing_is_said_of_repeats_that_were_not_made():
    assert words.stability(selection_of(chosen("a"))) == []


def test_what_nothing_found_means_is_said_with_what_the_rows_could_show():
    # 0.05 / 30 of the normal's tail lies above z = 2.935, and z * z / (2 * 500) = 0.0086
    noise = selection_of(*(gone(f"f{k}", marginal_nats=0.0) for k in range(30)), found=NOTHING)
    text = words.nothing_found(noise)
    assert "with 500 rows, no method can tell less than about 0.009 nats in one of 30 features from chance" in text
    assert [part.kind for part in words.explanation(noise)] == ["answer", "nothing", "dropped"]


def test_nothing_found_does_not_claim_a_measurement_that_was_not_made():
    unusable = selection_of(gone("a", "constant"), gone("b", "dropped on request"), found=NOTHING)
    assert (
        words.nothing_found(unusable) == "No feature could be used, so nothing was learned about y; the table says why."
    )
    baseline = Selection("y", (gone("a"),), None, None, n_rows=500)
    assert words.nothing_found(baseline).startswith("The method went by its own rule")


def test_the_explanation_tells_the_answer_first_and_what_to_doubt_before_the_rest():
    selection = full_selection()
    told = [part.kind for part in words.explanation(selection)]
    assert told == ["answer", "together", "alone", "dropped", "dropped", "dropped", "stability"]
    doubtful = selection_of(chosen("a"), gone("b"), suspects=(Suspect("a", SuspectKind.LEAK, 0.97),))
    assert [part.kind for part in words.explanation(doubtful)] == ["answer", "suspect", "together", "dropped"]


@given(names=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=60), max_size=8, unique=True))
def test_any_name_is_told_as_text_on_one_line(names):
    selection = full_selection(names)
    for part in words.explanation(selection):
        assert not any(unicodedata.category(character) in {"Cc", "Zl", "Zp"} for character in part.text)
    [together] = [part.text for part in words.explanation(selection) if part.kind == "together"]
    first, second = (printable(name, limit=40) or "''" for name in selection.selected[:2])
    assert together.startswith(f"{first} and {second} matter only together")


def test_few_nats_are_told_with_three_figures():
    rare = Estimate(0.0087, 0.008, 0.009, n_rows=9000)
    features = [chosen("a", 0.0041, 0.005, role=Role.ALONE), chosen("b", 0.002, 0.003, role=Role.ALONE)]
    assert words.headline(selection_of(*features, found=rare)) == "Both features carry 0.00870 nats about y."
    assert words.roles(selection_of(*features, found=rare)) == ["Alone, a tells 0.00410 nats and b 0.00200."]
