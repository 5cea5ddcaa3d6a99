"""Values of options are refused at once: before torch is imported, in one sentence that names the option."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

REFUSED = [
    (["select", "--n-features", "99"], "--n-features"),
    (["select", "--n-features", "0"], "--n-features"),
    (["select", "--n-features", "1", "--keep", "amount,late"], "--keep"),
    (["select", "--time-limit", "-3"], "--time-limit"),
    (["select", "--solver", "lasso"], "--solver"),
    (["select", "--solver", "paper", "--memory", "1MiB", "--data", "large.csv"], "--solver paper"),
    (["select", "--device", "abacus"], "--device"),
    (["select", "--device", "cuda:x"], "--device"),
    (["select", "--memory", "lots"], "--memory"),
    (["select", "--jobs", "9999", "--repeats", "2"], "--jobs"),
    (["select", "--jobs", "2"], "--jobs"),
    (["select", "--subsample", "1.5", "--repeats", "2"], "--subsample"),
    (["select", "--repeats", "2", "--group-column", "country"], "--repeats"),
    (["select", "--seed", "-1"], "--seed"),
    (["select", "--categorical", "late", "--ignore", "late"], "--categorical"),
    (["compare", "--methods", "foo"], "--methods"),
    (["compare", "--methods", ","], "--methods"),
    (["compare", "--target", "late,amount"], "--target"),
    (["compare", "--n-features", "99"], "--n-features"),
    (["compare", "--held-out", "0"], "--held-out"),
    (["compare", "--splits", "0"], "--splits"),
    (["compare", "--device", "abacus"], "--device"),
    (["estimate", "--estimator", "guess"], "--estimator"),
    (["estimate", "--estimator", "ksg", "--categorical", "late"], "--estimator ksg"),
    (["estimate", "--given", "amount"], "--given"),
    (["demo", "--device", "abacus"], "--device"),
    (["demo", "--seed", "-4"], "--seed"),
    (["reproduce"], "experiment"),
]
SEVERAL_RUNS = """
import contextlib, io, json, sys
from minerva_select.cli import app

found = []
for arguments in json.loads(sys.argv[1]):
    error = io.StringIO()
    with contextlib.redirect_stderr(error):
        try:
            app(arguments)
        except SystemExit as end:
            found.append([end.code, error.getvalue(), "torch" in sys.modules])
print(json.dumps(found))
"""


def arguments(given):
    """The command with the arguments that it needs to get as far as the refused option."""
    command, *rest = given
    if command == "select" and "--data" in rest:
        at = rest.index("--data")
        return [command, rest[at + 1], "--target", "is_fraud", *rest[:at]]
    needed = {
        "select": ["data.csv", "--target", "is_fraud"],
        "compare": ["data.csv", *([] if "--target" in rest else ["--target", "is_fraud"])],
        "estimate": ["data.csv", "--x", "amount", "--y", "is_fraud"],
        "reproduce": ["nothing"],
    }
    return [command, *needed.get(command, []), *rest]


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """Exit code, standard error and whether torch was loaded, for every refused run, all in one process."""
    folder = tmp_path_factory.mktemp("refused")
    rows = "\n".join(f"{i * 1.5},{'US' if i % 3 else 'DE'},{i % 2},{i % 4}" for i in range(20))
    (folder / "data.csv").write_text(f"amount,country,is_fraud,late\n{rows}\n")
    (folder / "large.csv").write_text("amount,is_fraud\n" + "1,0\n2,1\n" * 20_000)
    program = [sys.executable, "-c", SEVERAL_RUNS, json.dumps([arguments(given) for given, _ in REFUSED])]
    result = subprocess.run(program, capture_output=True, text=True, check=True, cwd=folder)
    return json.loads(result.stdout.splitlines()[-1])


@pytest.mark.parametrize("k", range(len(REFUSED)), ids=[" ".join(given) for given, _ in REFUSED])
def test_a_refused_value_exits_with_2_and_one_sentence_before_torch_is_imported(ended, k):
    code, message, has_torch = ended[k]
    assert code == 2
    assert message.startswith("minerva: ")
    assert len(message.splitlines()) == 1
    assert REFUSED[k][1] in message
    assert not has_torch


@pytest.mark.parametrize(
    ("program", "most"),
    [
        ("import minerva_select", 40),
        (
            "import contextlib, minerva_select.cli\nwith contextlib.suppress(SystemExit): minerva_select.cli.app([])",
            330,
        ),
    ],
    ids=["import minerva_select", "minerva --help"],
)
def test_starting_imports_few_modules(program, most):
    code = f"import sys\nbefore = set(sys.modules)\n{program}\nprint(len(set(sys.modules) - before))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(result.stdout.splitlines()[-1]) <= most
