"""Prepared tables: what is learned, notes and refusals."""

import datetime as dt
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from mercer.auto import TablePreparer
from mercer.data import Graphs, Strings, Table, Trees
from mercer.kernels import RBF, Columns, Overlap
from mercer.kernels.strings import BagOfWords, Spectrum

PEOPLE = {
    "id": list(range(6)),
    "age": [31.0, 45.0, None, 27.0, 50.0, 38.0],
    "member": [True, False, True, True, None, False],
    "city": ["Rome", "Oslo", "Rome", None, "Oslo", "Lima"],
    "born": [dt.date(1990, 1, day) for day in range(1, 7)],
    "nothing": [1, 1, 1, 1, 1, 1],
    "review": ["a good tea", "a bad tea", None, "good and cheap", "very bad", "bad tea again"],
}


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame])
def test_every_kind(make):
    preparer = TablePreparer().fit(make(PEOPLE))
    assert preparer.kinds_ == {
        "id": "drop",
        "age": "number",
        "member": "category",
        "city": "category",
        "born": "number",
        "nothing": "drop",
        "review": "text",
    }
    table = preparer.transform(make(PEOPLE))
    assert table.names == ("age", "age missing", "member", "city", "born", "review")
    assert table == TablePreparer().fit(PEOPLE).transform(PEOPLE)
    for name in ("age", "born"):
        assert table[name].mean() == pytest.approx(0, abs=1e-12)
        assert table[name].std() == pytest.approx(1)
    assert table["age missing"].tolist() == [0, 0, 1, 0, 0, 0]
    assert table["city"] == ["Rome", "Oslo", "Rome", "(missing)", "Oslo", "Lima"]
    assert table["member"] == [True, False, True, True, "(missing)", False]
    assert table["review"][2] == ""


def test_every_decision_is_told():
    notes = " ".join(TablePreparer().fit(PEOPLE).notes_)
    for told in (
        "id: dropped (row identifier)",
        "nothing: dropped (all values are equal)",
        "age: 1 missing value replaced by the median 38, marked in the new column 'age missing'",
        "member: 1 missing value, treated as a category",
        "born: dates and times were converted to days",
        "review: 1 missing value, treated as empty text",
        "age, born: standardised",
    ):
        assert told in notes


def test_statistics_come_from_the_rows_of_fit_only():
    train, test = {"x": [1.0, 2.0, None, 9.0]}, {"x": [1000.0, None]}
    preparer = TablePreparer().fit(train)
    filled = np.array([1, 2, 2, 9.0])
    assert preparer.medians_ == {"x": 2.0}
    assert preparer.means_ == {"x": filled.mean()}
    assert preparer.scales_ == {"x": filled.std()}
    table = preparer.transform(test)
    np.testing.assert_allclose(table["x"], (np.array([1000, 2]) - filled.mean()) / filled.std())
    assert table["x missing"].tolist() == [0, 1]
    assert preparer.transform(train) == TablePreparer().fit(train).transform(train)


def test_kernels_read_the_result():
    table = TablePreparer().fit_transform(PEOPLE)
    kernel = Columns(["age", "age missing", "born"], RBF()) + Columns(["city", "member"], Overlap())
    kernel += Columns("review", BagOfWords())
    assert kernel(table).shape == (6, 6)
    assert (Columns("city", Spectrum(2)) + Columns("review", Overlap()))(table).shape == (
        6,
        6,
    )  # texts and levels alike


def test_unseen_categories_and_other_orders():
    preparer = TablePreparer().fit({"a": [1.0, 2.0], "city": ["Rome", "Oslo"]})
    assert preparer.kinds_["city"] == "category"
    assert preparer.transform({"city": ["Lima", None], "a": [1.0, 2.0]})["city"] == ["Lima", "(missing)"]


def test_extra_columns_are_ignored_with_a_warning():
    preparer = TablePreparer().fit({"a": [1.0, 2.0]})
    with pytest.warns(UserWarning, match="ignored columns that were not seen in fit: c, b"):
        table = preparer.transform({"c": [1, 2], "a": [1.0, 2.0], "b": ["x", "y"]})
    assert table.names == ("a",)


def test_columns_that_were_dropped_may_be_missing():
    preparer = TablePreparer().fit(PEOPLE)
    kept = {name: values for name, values in PEOPLE.items() if name not in ("id", "nothing")}
    assert preparer.transform(kept) == preparer.transform(PEOPLE)


def test_missing_numbers_where_fit_had_none():
    preparer = TablePreparer().fit({"a": [1.0, 2.0, 6.0]})
    with pytest.warns(UserWarning, match="1 missing value but had none in fit; they are replaced by the median 2"):
        assert preparer.transform({"a": [None, 3.0]})["a"][0] == preparer.transform({"a": [2.0]})["a"][0]


def test_an_empty_column_is_missing_everywhere():
    preparer = TablePreparer().fit({"a": [1.0, None, 6.0], "b": ["x", "y", "x"]})
    table = preparer.transform(pl.DataFrame({"a": [None, None], "b": [None, None]}))
    assert table["a missing"].tolist() == [1, 1]
    assert table["b"] == ["(missing)", "(missing)"]


@pytest.mark.parametrize(
    ("new", "error", "message"),
    [
        ({"city": ["Rome"]}, ValueError, "X has no column 'age'"),
        ({"ages": [1.0], "city": ["Rome"]}, ValueError, "did you mean 'ages'"),
        ({"age": ["old"], "city": ["Rome"]}, TypeError, "'age' held numbers in fit, now it holds text"),
        ({"age": [1.0], "city": [3]}, TypeError, "'city' held text in fit, now it holds numbers"),
        ({"age": [1.0], "city": [True]}, TypeError, "'city' held text in fit, now it holds booleans"),
        ({"age": [1.0, "2"], "city": ["a", "b"]}, TypeError, "several types"),
        ({"age": [np.inf], "city": ["Rome"]}, ValueError, "'age' holds infinity in row 0"),
        (np.zeros((2, 3)), ValueError, "X has no column 'age'"),
        (sp.eye_array(3).tocsr(), TypeError, "fit was called with data of the form 'table'"),
        (Graphs([[(0, 1)]]), TypeError, "fit was called with data of the form 'table'"),
    ],
)
def test_new_data_that_do_not_fit(new, error, message):
    preparer = TablePreparer().fit({"age": [31.0, 45.0, 27.0], "city": ["Rome", "Oslo", "Rome"]})
    with pytest.raises(error, match=message):
        preparer.transform(new)


def test_infinite_numbers_name_column_and_row():
    with pytest.raises(ValueError, match="'b' holds infinity in row 2"):
        TablePreparer().fit({"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0, -np.inf]})


def test_no_rows_and_no_columns():
    with pytest.raises(ValueError, match="0 sample"):
        TablePreparer().fit({"a": []})
    with pytest.raises(ValueError, match="0 sample"):
        TablePreparer().fit(pd.DataFrame({"a": []}))
    with pytest.raises(ValueError, match="kinds= needs columns"):
        TablePreparer({"a": "number"}).fit(Graphs([[(0, 1)]]))
    with pytest.raises(ValueError, match="kinds= needs columns"):
        TablePreparer({"a": "number"}).fit(sp.eye_array(3))


def test_nothing_left():
    with pytest.raises(ValueError, match=r"all columns were dropped.*a: dropped.*Give kinds"):
        TablePreparer().fit({"a": [1, 1], "b": [None, None]})


# ---- kinds that are asked for


def test_kinds_are_followed():
    data = {
        "zip": [100, 200, 100, 300],
        "code": ["a1", "b2", "c3", "d4"],
        "size": ["1.5", "2", None, "4"],
        "t": ["x"] * 4,
    }
    kinds = {"zip": "category", "code": "category", "size": "number", "t": "drop"}
    preparer = TablePreparer(kinds).fit(data)
    table = preparer.transform(data)
    assert table["zip"] == [100, 200, 100, 300]
    assert table["code"] == ["a1", "b2", "c3", "d4"]
    assert table.names == ("zip", "code", "size", "size missing")
    assert "t: dropped (requested)." in preparer.notes_
    assert clone(preparer).fit(data).transform(data) == table


def test_dropped_columns_are_not_even_looked_at():
    data = {"a": [1.0, 2.0], "odd": [{"x": 1}, object()]}
    with pytest.raises(TypeError, match=r"kinds=\{'odd': 'drop'\}"):
        TablePreparer().fit(data)
    preparer = TablePreparer({"odd": "drop"}).fit(data)
    assert preparer.transform(data).names == ("a",)
    with pytest.warns(UserWarning, match="not seen in fit: more"):
        assert preparer.transform({**data, "more": [{}, {}]}).names == ("a",)


def test_integers_as_categories_are_the_same_with_missing_ones():
    kinds = {"zip": "category"}
    codes = [
        TablePreparer(kinds).fit_transform(make({"zip": [1, 2, None]})) for make in (dict, pd.DataFrame, pl.DataFrame)
    ]
    assert codes[0] == codes[1] == codes[2]


def test_mixed_columns_are_text_everywhere():
    preparer = TablePreparer().fit({"a": [1, "x", 2.0, 1]})
    assert preparer.transform({"a": [1, "x", 2.0, 1]})["a"] == ["1", "x", "2", "1"]
    assert preparer.transform({"a": [2, 1.0]})["a"] == ["2", "1"]


@pytest.mark.parametrize(
    ("kinds", "error", "message"),
    [
        ({"agee": "number"}, ValueError, "did you mean 'age'"),
        ({"age": "numeric"}, ValueError, "must be one of 'number', 'category'.*got 'numeric'"),
        ({"city": "number"}, TypeError, "'city' has the kind 'number', got 'Rome' in row 0"),
        ({"age": "text"}, TypeError, "'age' should hold texts, got numbers"),
        ({"city": "molecule"}, ValueError, "column 'city': row 0 is not a valid SMILES: 'Rome'"),
        ({"city": "tree"}, ValueError, "column 'city': row 0"),
        ({"empty": "number"}, ValueError, "'empty' has the kind 'number', but all its values are missing"),
    ],
)
def test_kinds_that_do_not_fit(kinds, error, message):
    with pytest.raises(error, match=message):
        TablePreparer(kinds).fit_transform({"age": [31.0, 45.0], "city": ["Rome", "Oslo"], "empty": [None, None]})


def test_trees():
    trees = ["(S (NP tea) (VP is))", "(S (NP ox))", "(S (VP is))"]
    preparer = TablePreparer().fit({"tree": trees})
    assert preparer.kinds_ == {"tree": "tree"}
    assert preparer.transform({"tree": trees})["tree"] == trees
    with pytest.raises(ValueError, match="'tree' has no tree in row 1"):
        preparer.transform({"tree": ["(S a)", None]})


def test_molecules():
    smiles = ["CCO", "c1ccccc1", "CC(=O)O", "CCO"]
    preparer = TablePreparer().fit({"smiles": smiles})
    assert preparer.kinds_ == {"smiles": "molecule"}
    assert Graphs(preparer.transform({"smiles": smiles})["smiles"]) == Graphs.from_smiles(smiles)
    with pytest.raises(ValueError, match="column 'smiles': row 1 is not a valid SMILES: 'C1CC'"):
        preparer.transform({"smiles": ["CC", "C1CC"]})
    with pytest.raises(ValueError, match="'smiles' has no SMILES in row 1"):
        preparer.transform({"smiles": ["CC", None]})


def test_sequences_lose_the_blanks_around_them():
    rng = np.random.default_rng(0)
    reads = ["".join(rng.choice(list("ACGT"), 20)) for _ in range(10)]
    assert TablePreparer().fit_transform({"read": [f"\t{read} " for read in reads]})["read"] == reads


def test_a_name_for_the_indicator_that_is_taken():
    data = {"a": [1.0, None, 3.0], "a missing": [5.0, 6.0, 7.0]}
    table = TablePreparer().fit_transform(data)
    assert table.names == ("a", "a missing_", "a missing")
    assert table["a missing_"].tolist() == [0, 1, 0]


# ---- data without names


def test_arrays(rng):
    X = rng.normal(3, 2, size=(20, 3))
    Z = TablePreparer().fit_transform(X)
    np.testing.assert_allclose(Z, (X - X.mean(axis=0)) / X.std(axis=0))
    np.testing.assert_array_equal(TablePreparer().fit_transform(X.tolist()), Z)


def test_arrays_with_constant_and_missing_columns(rng):
    X = rng.normal(size=(20, 3))
    X[:, 1] = 4.0
    X[[2, 5], 2] = np.nan
    preparer = TablePreparer().fit(X)
    Z = preparer.transform(X)
    assert Z.shape == (20, 4)
    assert (Z[:, 1] == 0).all()
    assert np.flatnonzero(Z[:, 3]).tolist() == [2, 5]
    assert Z[2, 2] == (np.nanmedian(X[:, 2]) - preparer.mean_[2]) / preparer.scale_[2]
    assert "Constant columns, set to zero: column 1." in preparer.notes_
    assert any("replaced by the median in column 2;" in note for note in preparer.notes_)


def test_arrays_with_kinds_are_tables():
    table = TablePreparer({"x1": "category"}).fit_transform(np.array([[1.0, 7], [2.0, 8], [3.0, 7]]))
    assert table.kinds == ("number", "category")


def test_rows_with_texts_are_tables():
    rows = [[1.0, "Rome"], [2.0, "Oslo"], [3.0, "Rome"]]
    table = TablePreparer().fit_transform(rows)
    assert table.names == ("x0", "x1")
    assert TablePreparer().fit_transform(np.array(rows, dtype=object)) == table


def test_a_list_or_a_column_of_texts_is_a_table():
    texts = ["a good tea", "a bad tea", "good and cheap"]
    assert TablePreparer().fit_transform(texts)["x0"] == texts
    assert TablePreparer().fit_transform(pl.Series("review", texts))["review"] == texts
    assert TablePreparer().fit_transform(np.array(texts))["x0"] == texts


def test_sparse_matrices_stay_sparse():
    X = sp.csr_array(np.array([[0, 4.0, 0], [1, -8, 0], [0, 0, 0]]))
    preparer = TablePreparer().fit(X)
    Z = preparer.transform(X)
    assert sp.issparse(Z)
    np.testing.assert_array_equal(Z.toarray(), [[0, 0.5, 0], [1, -1, 0], [0, 0, 0]])
    assert any("largest absolute values" in note for note in preparer.notes_)
    small = sp.csr_array(np.array([[0, 0.5], [-1.0, 0]]))
    assert (TablePreparer().fit(small).transform(small) != small).nnz == 0
    assert TablePreparer().fit(small).notes_ == []
    with pytest.raises(ValueError, match="features"):
        preparer.transform(small)
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        TablePreparer().fit(sp.csr_array([[np.inf, 1.0]]))


def test_containers_stay_as_they_are():
    for samples in (Graphs([[(0, 1)], []]), Strings(["ACGT", "GG"]), Trees(["(a b)", "(a c)"])):
        assert TablePreparer().fit_transform(samples) is samples


def test_lists_of_graphs_are_packed():
    networkx = pytest.importorskip("networkx")
    graphs = [networkx.path_graph(3), networkx.cycle_graph(4)]
    assert TablePreparer().fit_transform(graphs) == Graphs(graphs)
    packed = Graphs(graphs)
    assert TablePreparer().fit_transform(list(packed)) == packed


def test_tables_of_mercer():
    table = Table.from_frame({"age": [31.0, 45.0], "city": ["Rome", "Oslo"], "city2": ["Rome", "Rome"]})
    assert TablePreparer().fit(table).kinds_ == {"age": "number", "city": "category", "city2": "drop"}


def test_it_pickles():
    preparer = TablePreparer().fit(PEOPLE)
    again = pickle.loads(pickle.dumps(preparer))
    assert again.transform(PEOPLE) == preparer.transform(PEOPLE)


def test_names_and_numbers_of_columns():
    preparer = TablePreparer().fit(pd.DataFrame(PEOPLE))
    assert preparer.n_features_in_ == 7
    assert preparer.feature_names_in_.tolist() == list(PEOPLE)
    assert not hasattr(TablePreparer().fit([[1, "a"], [2, "b"]]), "feature_names_in_")
