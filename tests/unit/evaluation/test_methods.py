"""The list of methods."""

from __future__ import annotations

import subprocess
import sys

import pytest

from minerva_select.errors import InputError
from minerva_select.evaluation.methods import DEFAULT_METHODS, METHODS, Method, build, find_methods, is_installed
from minerva_select.selectors import MinervaSelector, PaperSelector


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_a_selector_with_the_shared_parameters(name):
    selector = build(
        name, n_features=2, seed=7, categorical_features=["a"], target_type="discrete", device="cpu", time_limit=9.0
    )
    parameters = selector.get_params()
    assert parameters["n_features_to_select"] == 2
    assert (parameters["categorical_features"], parameters["target_type"], parameters["random_state"]) == (
        ["a"],
        "discrete",
        7,
    )


@pytest.mark.parametrize(("name", "selector"), [("minerva", MinervaSelector), ("minerva-paper", PaperSelector)])
def test_both_solvers_get_device_and_time_limit(name, selector):
    built = build(name, device="cpu", time_limit=9.0)
    assert isinstance(built, selector)
    assert (built.device, built.time_limit) == ("cpu", 9.0)


def test_by_default_all_methods_but_the_paper_solver_run():
    assert tuple(method.name for method in find_methods()) == DEFAULT_METHODS
    assert set(METHODS) - set(DEFAULT_METHODS) == {"minerva-paper"}


def test_repeated_names_count_once():
    assert [method.name for method in find_methods(["ksg", "rfe", "ksg"])] == ["ksg", "rfe"]


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        (["kgs"], "ksg"),
        ([], "empty"),
        ("ksg", "list of names"),
    ],
)
def test_invalid_methods_are_refused(methods, message):
    with pytest.raises(InputError, match=message):
        find_methods(methods)


def test_a_method_without_its_package_is_not_installed():
    missing = Method("boruta", "Boruta", "minerva_select.selectors:BorutaSelector", package="no_such_package")
    assert not is_installed(missing)
    assert is_installed("ksg")


def test_evaluation_loads_neither_torch_nor_the_optional_packages():
    heavy = "{'torch', 'sklearn', 'lightgbm', 'boruta', 'catboost', 'flaml', 'imblearn'}"
    code = f"import sys, minerva_select.evaluation; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
