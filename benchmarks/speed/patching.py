"""Replace functions of the package for a while, wherever they were imported."""

import contextlib
import importlib
import sys
from collections.abc import Callable
from typing import Any

Function = Callable[..., Any]


def replace_function(name: str, wrap: Callable[[Function], Function], undo: contextlib.ExitStack) -> None:
    """Replace a function in all modules that have it, or a method in its class; ``name`` is "module:[Class.]name"."""
    module_name, _, path = name.partition(":")
    module: Any = importlib.import_module(f"minerva_select.{module_name}")
    class_name, _, attribute = path.rpartition(".")
    original = getattr(getattr(module, class_name) if class_name else module, attribute)
    owners = [getattr(module, class_name)] if class_name else _modules_with(attribute, original)
    wrapped = wrap(original)
    for owner in owners:
        setattr(owner, attribute, wrapped)
        undo.callback(setattr, owner, attribute, original)


def _modules_with(attribute: str, function: Function) -> list[Any]:
    modules = [module for name, module in sys.modules.items() if name.partition(".")[0] == "minerva_select"]
    return [module for module in modules if vars(module).get(attribute) is function]
