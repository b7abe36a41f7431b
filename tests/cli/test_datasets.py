"""The command ``mercer datasets``."""

import json

from mercer.cli import main
from mercer.datasets import names


def test_bundled_names(capsys):
    assert main(["datasets"]) == 0
    shown = capsys.readouterr().out
    assert main(["datasets", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"datasets": names()}
    assert main(["datasets", "--code"]) == 0
    exec(compile(capsys.readouterr().out, "<datasets>", "exec"), {})
    listed = capsys.readouterr().out
    for name in names():
        assert name in shown
        assert name in listed


def test_how_a_file_is_read(capsys, folder):
    (folder / "t.csv").write_text("id,age,city\n1,31,Rome\n2,,Oslo\n3,27,Rome\n4,50,Oslo\n")
    assert main(["datasets", "t.csv", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    kinds = {column["name"]: (column["kind"], column["missing"]) for column in found["columns"]}
    assert kinds == {"id": ("drop", 0), "age": ("number", 1), "city": ("category", 0)}
    assert main(["datasets", "t.csv"]) == 0
    assert "t  table with 4 rows" in capsys.readouterr().out
    assert main(["datasets", "t.csv", "--code"]) == 0
    exec(compile(capsys.readouterr().out, "<datasets>", "exec"), {})
    assert "'age': 'number'" in capsys.readouterr().out
    assert main(["datasets", "rings"]) == 0
    assert "240" in capsys.readouterr().out
