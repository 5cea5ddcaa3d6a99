"""Claims about the list of methods."""

from __future__ import annotations

import subprocess
import sys

import pytest

from minerva_select import MinervaSelector
from minerva_select.errors import InputError
from minerva_select.evaluation.methods import DEFAULT_METHODS, METHODS, Method, build, find_methods, why_unavailable


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_a_selector_that_takes_what_all_are_told(name):
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


def test_minerva_is_told_device_and_time_limit_and_the_paper_its_solver():
    selector = build("minerva-paper", device="cpu", time_limit=9.0)
    assert isinstance(selector, MinervaSelector)
    assert (selector.device, selector.time_limit, selector.solver) == ("cpu", 9.0, "paper")


def test_without_names_all_but_the_paper_solver_run():
    assert tuple(method.name for method in find_methods()) == DEFAULT_METHODS
    assert set(METHODS) - set(DEFAULT_METHODS) == {"minerva-paper"}


def test_a_name_that_comes_twice_counts_once():
    assert [method.name for method in find_methods(["ksg", "rfe", "ksg"])] == ["ksg", "rfe"]


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        (["kgs"], "no method 'kgs'; did you mean 'ksg'"),
        ([], "names no method"),
        ("ksg", r"pass a list of names, such as \['ksg'\]"),
    ],
)
def test_methods_that_cannot_be_meant_are_refused(methods, message):
    with pytest.raises(InputError, match=message):
        find_methods(methods)


def test_a_package_that_is_missing_is_told_with_the_command_that_installs_it():
    missing = Method("boruta", "Boruta", "minerva_select.selectors:BorutaSelector", package="no_such_package")
    assert why_unavailable(missing) == "not installed: pip install 'minerva-select[paper]'"


def test_evaluation_loads_neither_torch_nor_the_optional_packages():
    heavy = "{'torch', 'sklearn', 'lightgbm', 'boruta', 'catboost', 'flaml', 'imblearn'}"
    code = f"import sys, minerva_select.evaluation; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
