"""Saved selections from untrusted sources: loading one opens that file and does nothing else."""

import json
import subprocess
import sys

import pytest

from full_selection import full_selection
from minerva_select.errors import InputError
from minerva_select.results import Selection

READ = """
import sys
from minerva_select.results import Selection
Selection.load(sys.argv[2])  # imports happen here
events = []
sys.addaudithook(lambda event, arguments: events.append((event, arguments)))
Selection.load(sys.argv[1])
events = [(event, arguments) for event, arguments in events if not event.startswith("object.")]
actions = {str(arguments[0]) if event == "open" else event for event, arguments in events}
print(actions == {sys.argv[1]}, actions)
"""


def test_a_selection_that_names_files_and_commands_opens_none_and_runs_none(tmp_path):
    document = json.loads(full_selection().to_json())
    document["provenance"] |= {"data": "/etc/passwd", "command": "touch /tmp/here; $(id)"}
    document["settings"] |= {"include": "file:///etc/passwd", "__class__": "os.system", "py/object": "os.system"}
    document["versions"]["minerva"] = "../../etc/passwd"
    hostile, harmless = tmp_path / "hostile.json", tmp_path / "harmless.json"
    hostile.write_text(json.dumps(document))
    full_selection().save(harmless)
    command = [sys.executable, "-c", READ, str(hostile), str(harmless)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert output.startswith("True"), output


@pytest.mark.parametrize(
    "text",
    [
        "9" * 100_000,
        '{"schema_version": ' + "9" * 5_000 + "}",
        '{"a":' * 50_000,
        "[" * 1_000_000,
        '"' + "\\u0000" * 50_000,
    ],
    ids=["a long number", "a long version", "deep objects", "deep lists", "an endless text"],
)
def test_text_that_is_expensive_to_parse_is_refused(text):
    with pytest.raises(InputError, match=r"^the text (is not a saved selection|has schema version)") as caught:
        Selection.from_json(text)
    assert len(str(caught.value)) < 300


def test_a_file_without_one_character_is_refused_or_read():
    text = full_selection(n_features=5, n_selected=2).to_json()
    refusals = []
    for k in range(0, len(text), 29):
        try:
            Selection.from_json(text[:k] + text[k + 1 :])
        except InputError as error:
            refusals.append(str(error))
    assert len(refusals) > len(text) // 290
    assert not any("\n" in refusal for refusal in refusals)
