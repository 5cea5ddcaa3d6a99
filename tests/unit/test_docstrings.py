"""Claim: every public name has a docstring with its parameters or attributes, and an example that runs as a test."""

from __future__ import annotations

import dataclasses
import enum
import importlib
import inspect
import re

import pytest

MODULES = ("", ".callbacks", ".evaluation", ".problems", ".results", ".selectors", ".errors")


def public():
    """Public classes and functions by their full name, each once."""
    found = {}
    for suffix in MODULES:
        module = importlib.import_module(f"minerva_select{suffix}")
        names = getattr(module, "__all__", None) or [
            name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__
        ]
        for name in names:
            value = getattr(module, name)
            if inspect.isclass(value) or (inspect.isfunction(value) and suffix != ".errors"):
                found.setdefault(id(value), (f"{module.__name__}.{name}", value))
    return list(found.values())


each_name = pytest.mark.parametrize("value", [pytest.param(value, id=name) for name, value in public()])


def documented(text):
    """Names with an entry in a section of a numpydoc docstring."""
    entries = re.findall(r"^([*\w]+(?:, [*\w]+)*)(?: : .*)?$", text, re.MULTILINE)
    return {name.strip("*") for entry in entries for name in entry.split(", ")}


def arguments(value):
    """Names of the parameters of a function or class, and of the fields of a dataclass."""
    if inspect.isclass(value) and issubclass(value, enum.Enum | BaseException):
        return set()
    if dataclasses.is_dataclass(value):
        return {field.name for field in dataclasses.fields(value) if field.init}
    parameters = inspect.signature(value).parameters.values()
    return {one.name for one in parameters if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)}


@each_name
def test_every_parameter_is_described(value):
    assert arguments(value) - documented(inspect.getdoc(value)) == set()


@each_name
def test_there_is_an_example(value):
    assert "Examples\n--------\n" in inspect.getdoc(value)
    assert ">>> " in inspect.getdoc(value)
