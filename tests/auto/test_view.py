"""What of a table a kernel reads, and the kernel of that."""

import numpy as np
import pytest

import mercer
from mercer.auto.view import View, named_columns
from mercer.data import Graphs, Table
from mercer.kernels import RBF, Columns, Map

RNG = np.random.default_rng(0)
TABLE = Table.from_frame(
    {
        "a": RNG.normal(size=8),
        "b": RNG.normal(size=8),
        "city": list("xyxyzzxy"),
        "text": [f"word {i}" for i in range(8)],
        "graph": list(Graphs.from_smiles(["CCO", "CC", "CCN", "C=O", "CCC", "OCC", "CN", "CCCC"])),
    },
    kinds={"text": "text", "graph": "object"},
)
NUMBERS = TABLE[["b", "a"]]


@pytest.mark.parametrize(
    ("kernel", "form", "columns", "seen"),
    [
        ("rbf(gamma=1)[a, b]", "matrix", ("a", "b"), "rbf(gamma=1)"),
        ("rbf(gamma=1)[b, a]", "matrix", ("a", "b"), "rbf(gamma=1)[1, 0]"),
        ("rbf(gamma=1)[b] + 2*linear[a]", "matrix", ("a", "b"), "rbf(gamma=1)[1] + 2*linear[0]"),
        ("rbf(gamma=1)[0]", "matrix", ("a",), "rbf(gamma=1)"),
        ("(rbf(gamma=1)[b])[a, b]", "matrix", ("a", "b"), "rbf(gamma=1)[1]"),
        ("rbf(gamma=1)[a]*overlap[city]", "table", ("a", "city"), "rbf(gamma=1)[a]*overlap[city]"),
        ("overlap[city]", "table", ("city",), "overlap[city]"),
        ("overlap[a, b]", "table", ("a", "b"), "overlap[a, b]"),
        ("normalized(weisfeiler_lehman)[graph]", "graphs", ("graph",), "normalized(weisfeiler_lehman)"),
        (
            "weisfeiler_lehman[graph] + linear[a]",
            "table",
            ("a", "graph"),
            "weisfeiler_lehman[graph] + linear[a]",
        ),
        ("overlap[a, b, city, text]", "table", ("a", "b", "city", "text"), "overlap[a, b, city, text]"),
    ],
)
def test_views(kernel, form, columns, seen):
    kernel = mercer.kernel(kernel)
    view = View.of(kernel, TABLE)
    assert (view.form, view.columns, str(view.kernel)) == (form, columns, seen)
    np.testing.assert_allclose(view.kernel(view.apply(TABLE)), kernel(TABLE), rtol=1e-12, atol=1e-12)


def test_kernels_without_columns():
    assert View.of(RBF(gamma=1.0), NUMBERS).form == "matrix"
    assert View.of(RBF(gamma=1.0), NUMBERS).columns == ("b", "a")
    assert View.of(mercer.kernel("overlap"), TABLE[["a", "city"]]).form == "whole"
    assert View.of(Map(len, Columns("a", RBF())), TABLE).form == "whole"
    assert View.of(RBF(gamma=1.0), np.zeros((3, 2))).form == "whole"


def test_code_is_what_apply_does():
    for text in ("rbf(gamma=1)[a, b]", "overlap[city]", "weisfeiler_lehman[graph]"):
        view = View.of(mercer.kernel(text), TABLE)
        made = eval(view.code("TABLE", TABLE.names), {"TABLE": TABLE, "Graphs": Graphs})
        expected = view.apply(TABLE)
        assert np.array_equal(made, expected) if isinstance(made, np.ndarray) else made == expected
    assert View.of(RBF(gamma=1.0), NUMBERS).code("NUMBERS", NUMBERS.names) == "NUMBERS.matrix()"


def test_named_columns():
    kernel = mercer.kernel("rbf[a, b] + 2*overlap[city]*linear[a] + linear[0]")
    assert named_columns(kernel) == ["a", "b", "city"]
