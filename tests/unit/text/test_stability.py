"""How often repeated fits selected each feature, in sentences."""

from __future__ import annotations

from full_selection import dropped, kept, selection_of
from minerva_select.results import Repeats
from minerva_select.text.stability import describe_stability


def describe(counts, others=(), n_fits=10, **rest):
    features = [kept(name, frequency=count / n_fits) for name, count in counts]
    features += [dropped(name, frequency=count / n_fits) for name, count in others]
    repeats = Repeats(**{"n_fits": n_fits, "subsample": 0.8, "agreement": 1.0, **rest})
    (paragraph,) = describe_stability(selection_of(*features, repeats=repeats))
    return paragraph


def test_features_that_every_fit_selected_are_named_together():
    paragraph = describe([("f3", 10), ("f8", 10)], [("f1", 0)], subsample=None)
    assert "10 fits with other seeds" in paragraph
    assert "f3 and f8 were selected in all" in paragraph
    assert "f1" not in paragraph
    assert "100%" in paragraph


def test_frequencies_are_given_in_descending_order():
    paragraph = describe([("a", 0), ("b", 4), ("c", 10), ("d", 7)], [("e", 2)], agreement=0.61)
    assert "on 80% of the rows" in paragraph
    assert "c was selected in all, d in 7, b in 4, a never" in paragraph
    assert "more than 2" in paragraph
    assert "61%" in paragraph


def test_dropped_features_that_half_of_the_fits_selected_are_named():
    paragraph = describe([("a", 10)], [("e", 10), ("f", 4), ("g", 5)])
    assert "e was selected in all, g in 5" in paragraph
    assert "f in 4" not in paragraph


def test_repeats_of_an_empty_selection_name_what_they_found():
    assert "none selected any" in describe([], [("a", 0)])
    assert "a was selected in 3" in describe([], [("a", 3), ("b", 0)])
    assert describe([], [("a", 0)], n_fits=1).startswith("Of 1 fit ")


def test_without_repeats_there_is_no_paragraph():
    assert describe_stability(selection_of(kept("a"))) == []
