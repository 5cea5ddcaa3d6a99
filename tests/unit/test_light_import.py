"""Claim: the library works without what only the report, the command line or a progress bar needs."""

from __future__ import annotations

import subprocess
import sys

BLOCK = "import sys, warnings\nwarnings.simplefilter('ignore')\nsys.modules.update(dict.fromkeys({packages!r}))\n"

FIT = """
import numpy as np
from minerva_select import MinervaSelector, mutual_information

X = np.random.default_rng(0).integers(3, size=(120, 2))
selector = MinervaSelector(random_state=0).fit(X, X[:, 0])
selector.selection_.to_frame(), selector.selection_.warnings, selector.selection_.save("selection.json")
mutual_information(X[:, :1], X[:, 1], random_state=0)
print(*selector.get_feature_names_out())
"""


def run(program, cwd=None):
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=cwd)
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


def test_importing_the_package_loads_no_dependency():
    packages = {"torch", "sklearn", "pandas", "pyarrow", "lightgbm", "narwhals", "scipy", "numpy", "rich", "typer"}
    assert run(f"import sys, minerva_select\nprint(*({packages!r} & {{*sys.modules}}))") == []


def test_a_fit_needs_neither_the_command_line_nor_the_report(tmp_path):
    packages = ("typer", "rich", "plotly", "jinja2", "minerva_select.cli", "minerva_select.report")
    assert run(BLOCK.format(packages=packages) + FIT, cwd=tmp_path) == ["x0"]
