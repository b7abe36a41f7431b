"""KeLP files, plain and compressed, and errors with file and line."""

import re

import numpy as np
import pytest

from mercer.data import Strings, Trees, read_kelp

LINE = "NUM |BS:text| How far ? |ES| |BV:bow| a:b:1.0 far:2 |EV| |BT:tree| (S(W(how far))(W)) |ET| "


def test_kelp(write):
    y, parts = read_kelp(write(f"{LINE}\n\n{LINE.replace('NUM', 'A B')}\n".encode()))
    assert y == ["NUM", "A B"]
    assert list(parts) == ["text", "bow", "tree"]
    assert parts["text"] == Strings(["How far ?"] * 2)
    assert parts["bow"] == Strings([["a:b", "far", "far"]] * 2)
    assert parts["tree"] == Trees([("S", [("W", ["how far"]), "W"])] * 2)


def test_kelp_reads_what_is_asked_for():
    assert read_kelp([LINE], ["bow"], vectors="dicts") == (["NUM"], {"bow": [{"a:b": 1.0, "far": 2.0}]})
    other = "|BDV:dense| 1,2 |EDV| |BT:tree| (S) |ET|"
    assert read_kelp([other], ["tree"])[1]["tree"] == Trees(["(S)"])
    assert read_kelp([other], ["tree"])[0] == [""]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("NUM", "expected a representation '|BT:name| ... |ET|', got 'NUM'"),
        ("NUM |BT:tree| (S)", "expected a representation '|BT:name| ... |ET|', got '|BT:tree| (S)'"),
        (f"{LINE} and more", "got 'and more'"),
        (f"NUM |BT:x| (S) |ET| and {LINE[4:]}", "got 'and |BS:text| How far ?"),
        (f"{LINE} |BT:tree| (S) |ET|", "has the representation 'tree' twice"),
        (LINE.replace("BV:bow", "BV:bag"), "has no representation 'bow', only 'text', 'bag', 'tree'"),
        (LINE.replace("(W)", "(W"), "'tree' is not a tree: a bracket is not closed"),
        (LINE.replace("(W)", "W"), "'tree' is not a tree: 'W' is between nodes"),
        (LINE.replace("far:2", "far:x"), "'bow' has 'far:x', expected feature:value"),
        (LINE.replace("far:2", "far"), "'bow' has 'far', expected feature:value"),
        (LINE.replace("far:2", "far:0.5"), "'bow' has the value 0.5 for 'far', expected a count; use vectors='dicts'"),
        (
            LINE.replace("|BT:tree|", "|BS:tree|").replace("|ET|", "|ES|"),
            "'tree' holds text here, but trees in the first",
        ),
        (LINE.replace("|BT:tree|", "|BDV:tree|").replace("|ET|", "|EDV|"), "'tree' has kind '|BDV:'"),
    ],
)
def test_bad_lines_of_kelp_are_located(write, line, message):
    path = write(f"{LINE}\n{line}\n".encode())
    with pytest.raises(ValueError, match=re.escape(f"{path}, line 2, record 1 (from 0): ") + ".*" + re.escape(message)):
        read_kelp(path)
    with pytest.raises(ValueError, match=re.escape("read_kelp, line 2, record 1 (from 0): ")):
        read_kelp([LINE, line])


def test_kelp_refuses_nothing_and_unknown_options():
    with pytest.raises(ValueError, match="line 1: found no example"):
        read_kelp([])
    with pytest.raises(ValueError, match="vectors must be 'tokens' or 'dicts', got 'csr'"):
        read_kelp([LINE], vectors="csr")


def test_real_questions(folder):
    y, parts = read_kelp(folder / "trees" / "trec_qc" / "TREC_10.coarse.klp.gz")
    counts = dict(zip(*np.unique(y, return_counts=True), strict=True))
    assert counts == {"DESC": 138, "NUM": 113, "ENTY": 94, "LOC": 81, "HUM": 65, "ABBR": 9}
    assert {name for name, part in parts.items() if isinstance(part, Trees)} == {"grct", "lct", "loct", "cgrct", "clct"}
    assert parts["quest"][0] == "How far is it from Denver to Aspen ?"
    assert parts["bow"].lengths[0] == 9
    assert Trees([tree.to_text() for tree in parts["grct"]]) == parts["grct"]
    assert "LEX##denver::n" in parts["grct"][0].to_text()


def test_counts_have_a_budget():
    """A feature is repeated according to its count, so that a few digits could fill the memory."""
    with pytest.raises(
        ValueError, match=r"'v' counts 1e\+26 features, and there is memory for \d+; use vectors='dicts'"
    ):
        read_kelp(["1 |BV:v| a:100000000000000000000000000 |EV|"])
