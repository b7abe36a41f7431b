"""Dates, ordered levels, numbers as text and many categories, from raw tables to models, files and programs."""

import datetime as dt
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from mercer.auto import AutoClassifier, AutoRegressor, TablePreparer, code, evaluate
from mercer.auto.code import _kind
from mercer.explain import shapley_values
from mercer.persistence import load, save

N = 120
RNG = np.random.default_rng(0)
DAYS = [dt.date(2015, 1, 1) + dt.timedelta(days=int(i)) for i in RNG.integers(0, 2000, N)]
SIZES = RNG.choice(["small", "medium", "large"], N).tolist()
PRICES = [f"${value:,.2f}" for value in RNG.uniform(1, 5000, N)]
MAKES = {"dict": dict, "pandas": pd.DataFrame, "polars": pl.DataFrame}


def table():
    return {"day": [str(day) for day in DAYS], "size": list(SIZES), "price": list(PRICES), "x": RNG.normal(size=N)}


def holed(values):
    return [None if i % 10 == 0 else value for i, value in enumerate(values)]


# ---- dates


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_texts_and_objects_give_the_same_dates(make):
    texts, objects = {"day": [str(day) for day in DAYS]}, {"day": list(DAYS)}
    expected = TablePreparer().fit_transform(texts)
    assert expected.names == ("day", "day week sin", "day week cos", "day year sin", "day year cos")
    assert TablePreparer().fit_transform(make(texts)) == expected
    assert TablePreparer().fit_transform(make(objects)) == expected
    moments = np.array(DAYS, dtype="datetime64[D]")
    assert TablePreparer().fit_transform({"day": moments}) == expected
    preparer = TablePreparer().fit(texts)
    assert preparer.transform(make(objects)) == expected
    assert preparer.kinds_ == {"day": "number"}
    assert preparer.readings_ == {"day": ("date", "iso")}
    assert "day: cyclic numbers of the week, year were added." in preparer.notes_


def test_cyclic_numbers_keep_the_circle():
    preparer = TablePreparer(ranks=True).fit({"day": holed(DAYS)})
    prepared = preparer.transform({"day": [dt.date(2018, 1, 1), dt.date(2018, 12, 31), None]})
    weeks = np.column_stack([prepared["day week sin"], prepared["day week cos"]])
    np.testing.assert_allclose(weeks[:2], [[0, np.sqrt(2)]] * 2, atol=1e-12)  # Mondays
    assert weeks[2].tolist() == [0, 0]
    years = np.column_stack([prepared["day year sin"], prepared["day year cos"]])
    assert np.linalg.norm(years[0] - years[1]) < 0.03
    assert prepared["day missing"].tolist() == [0, 0, 1]
    assert list(prepared.names) == preparer.get_feature_names_out().tolist() == preparer.outputs_["day"]
    assert preparer.ranks_["day week sin"] == "day week sin"


def test_dates_beyond_the_training_range():
    preparer = TablePreparer(ranks=True).fit({"day": DAYS})
    late = preparer.transform({"day": ["2093-07-01", "1893-07-01"]})
    assert late["day"].tolist() == [8.0, -8.0]  # clipped
    assert all(np.isfinite(late[name]).all() for name in late.names)


def test_time_zones_are_converted_to_utc():
    aware = [dt.datetime(2020, 1, 1, 2, tzinfo=dt.timezone(dt.timedelta(hours=2))), dt.datetime(2020, 1, 2)]
    texts = ["2020-01-01T02:00+02:00", "2020-01-02 00:00"]
    plain = ["2020-01-01", "2020-01-02"]
    tables = [TablePreparer().fit_transform({"t": values}) for values in (aware, texts, plain)]
    assert tables[0] == tables[1] == tables[2]
    zoned = pd.DataFrame({"t": pd.to_datetime(plain).tz_localize("UTC").tz_convert("Asia/Tokyo")})
    assert TablePreparer().fit_transform(zoned) == tables[0]


def test_times_and_durations():
    times = [dt.time(hour) for hour in (0, 6, 12, 18)]
    prepared = TablePreparer().fit_transform({"t": times})
    assert prepared.names == ("t", "t day sin", "t day cos")
    assert prepared == TablePreparer().fit_transform({"t": ["0:00", "6:00", "12:00", "18:00"]})
    durations = {"t": [dt.timedelta(days=i) for i in range(100)]}
    preparer = TablePreparer().fit(durations)
    assert preparer.get_feature_names_out().tolist() == ["t"]
    with pytest.raises(TypeError, match="'t' holds dates, expected durations"):
        preparer.transform({"t": DAYS})
    with pytest.raises(TypeError, match="held dates or times in fit, now it holds text"):
        preparer.transform({"t": ["1 day"]})


def test_ambiguous_dates_are_not_guessed():
    dates = [f"0{1 + i % 9}/0{1 + i % 7}/2020" for i in range(30)] * 2
    preparer = TablePreparer().fit({"day": dates})
    assert preparer.kinds_ == {"day": "category"}
    assert any("are ambiguous and not read as dates" in note for note in preparer.notes_)
    with pytest.raises(ValueError, match="'day' has the kind 'date', got text that are not dates in one unambiguous"):
        TablePreparer({"day": "date"}).fit({"day": dates})
    firm = TablePreparer().fit({"day": [*dates, "31/01/2020"]})
    assert firm.readings_ == {"day": ("date", "day first")}
    assert "day: dates with the day first were converted to days." in firm.notes_


def test_new_texts_that_are_not_dates():
    preparer = TablePreparer().fit({"day": [str(day) for day in DAYS]})
    with pytest.raises(TypeError, match=r"'day' holds 'soon' in row 1, expected dates of the form 'iso'"):
        preparer.transform({"day": ["2020-01-01", "soon"]})
    with pytest.warns(UserWarning, match="1 missing value but had none in fit"):
        assert preparer.transform({"day": ["n/a"]})["day week sin"][0] == 0


def test_a_date_that_is_almost_everywhere():
    dates = [*(str(day) for day in DAYS), "unknown"] * 2
    preparer = TablePreparer().fit({"day": dates})
    assert preparer.kinds_ == {"day": "category"}


def test_number_and_category_refuse_the_cycles():
    assert TablePreparer({"day": "number"}).fit_transform({"day": DAYS}).names == ("day",)
    texts = {"day": [str(day) for day in DAYS]}
    assert TablePreparer({"day": "category"}).fit_transform(texts)["day"] == texts["day"]


# ---- ordered levels


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_ordered_words(make):
    preparer = TablePreparer().fit(make({"size": SIZES}))
    assert preparer.kinds_ == {"size": "number"}
    assert preparer.readings_ == {"size": ("ordered", "small", "medium", "large")}
    assert any("read as ordered, small < medium < large; kinds={'size': 'category'}" in n for n in preparer.notes_)
    z = preparer.transform(make({"size": ["small", "Medium", "large "]}))["size"]
    assert z[2] - z[1] == pytest.approx(z[1] - z[0])
    assert z[1] > z[0]
    assert TablePreparer({"size": "category"}).fit_transform(make({"size": SIZES}))["size"] == SIZES


def test_ordered_types():
    levels = ["tin", "iron", "steel"]
    values = ["iron", "tin", "iron", "tin", None]
    expected = TablePreparer({"m": levels}).fit_transform({"m": values})
    assert expected["m missing"].tolist() == [0, 0, 0, 0, 1]
    frame = pd.DataFrame({"m": pd.Categorical(values, categories=levels, ordered=True)})
    assert TablePreparer().fit_transform(frame) == expected
    assert TablePreparer().fit_transform(pl.DataFrame({"m": pl.Series(values, dtype=pl.Enum(levels))})) == expected
    assert TablePreparer().fit(frame).readings_ == {"m": ("ordered", *levels)}
    unordered = pd.DataFrame({"m": pd.Categorical(values, categories=levels)})
    assert TablePreparer().fit(unordered).kinds_ == {"m": "category"}
    assert TablePreparer({"m": "category"}).fit(frame).kinds_ == {"m": "category"}


def test_requested_orders():
    with pytest.raises(ValueError, match=r"the order of its values is not known; list them"):
        TablePreparer({"m": "ordered"}).fit({"m": ["tin", "iron", "tin"]})
    with pytest.raises(ValueError, match=r"'m' holds 'lead' in row 1, which is not in the given order"):
        TablePreparer({"m": ["tin", "iron"]}).fit({"m": ["tin", "lead"]})
    with pytest.raises(ValueError, match="or a list of different levels, got"):
        TablePreparer({"m": ["tin", "tin"]}).fit({"m": ["tin", "iron"]})
    numbers = TablePreparer({"m": [3, 1, 2]}).fit({"m": [1, 2, 3, 3]})
    z = numbers.transform({"m": [3, 1, 2]})["m"]
    assert (np.diff(z) > 0).all()


def test_levels_outside_the_order_are_counted():
    preparer = TablePreparer().fit({"size": holed(SIZES)})
    with pytest.warns(UserWarning, match="'size' has 2 values, such as 'giant', that are not in the order"):
        prepared = preparer.transform({"size": ["giant", "small", "vast", "?"]})
    assert prepared["size missing"].tolist() == [1, 0, 1, 1]


# ---- numbers as text


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_numbers_as_text(make):
    values = [float(price[1:].replace(",", "")) for price in PRICES]
    preparer = TablePreparer().fit(make({"price": PRICES}))
    assert preparer.readings_ == {"price": ("amount", ".", "$")}
    assert "price: text read as numbers in $." in preparer.notes_
    expected = TablePreparer().fit_transform({"price": values})
    assert preparer.transform(make({"price": PRICES})) == expected
    assert preparer.transform(make({"price": values})) == expected  # numbers are accepted
    with pytest.raises(TypeError, match=r"'price' holds '€3' in row 0, expected numbers .* and the unit '\$'"):
        preparer.transform(make({"price": ["€3", "$4"]}))


def test_marks_of_missing_numbers():
    preparer = TablePreparer().fit({"a": ["1", "NA", "3", "?", "5,000", "-"], "b": [1, 2, "?", 4, 5, 6.5]})
    assert preparer.kinds_ == {"a": "number", "b": "number"}
    prepared = preparer.transform({"a": ["1", "n/a"], "b": [2.0, 3.0]})
    assert prepared["a missing"].tolist() == [0, 1]
    assert TablePreparer().fit({"a": ["x", "?", "x", "y"]}).kinds_ == {"a": "category"}


def test_identifiers_as_text_are_unused():
    preparer = TablePreparer().fit({"id": [str(i) for i in range(20)], "x": np.arange(20.0), "one": [1] * 20})
    assert preparer.unused_ == {"id": "identifier, all values are different", "one": "all values are equal"}
    rows = TablePreparer().fit({"row": [f"{i:,}" for i in range(990, 1010)], "x": np.arange(20.0)})
    assert rows.unused_ == {"row": "row identifier"}
    assert TablePreparer({"x": "drop"}).fit({"x": [1, 2], "y": [1, 2]}).unused_ == {"x": "requested"}
    matrix = np.column_stack([np.arange(5.0), np.ones(5)])
    assert TablePreparer().fit(matrix).unused_ == {"x1": "all values are equal"}


def test_almost_numbers_are_noted():
    preparer = TablePreparer().fit({"a": [*map(str, range(20)), "many", "many"]})
    assert preparer.kinds_ == {"a": "category"}
    assert "a: not read as numbers, because of values such as 'many'." in preparer.notes_


# ---- many categories


def test_frequencies_and_new_levels():
    values = [f"p{i % 60}" for i in range(90)] + ["p0"] * 6
    preparer = TablePreparer(ranks=True).fit({"place": values})
    names = ["place", "place frequency", "place frequency rank"]
    assert preparer.get_feature_names_out().tolist() == names
    prepared = preparer.transform({"place": values})
    assert prepared["place"] == values
    raw = prepared["place frequency"] * preparer.scales_["place frequency"] + preparer.means_["place frequency"]
    np.testing.assert_allclose(raw[[0, 1, 59]], np.log([8, 2, 1]), atol=1e-12)
    with pytest.warns(UserWarning, match="'place' has 2 rows with categories that were not seen in fit"):
        new = preparer.transform({"place": ["p0", "q", "r", None]})
    assert preparer.new_categories({"place": ["p0", "q", "r", None]}) == {"place": 2}
    assert preparer.new_categories({"place": values}) == {}
    assert new["place"] == ["p0", "(other)", "(other)", "(missing)"]
    assert new["place frequency"][1] == prepared["place frequency"][59]
    assert any("frequencies of its 60 categories" in note for note in preparer.notes_)


def test_evaluation_counts_new_levels():
    rng = np.random.default_rng(0)
    X = {"x": rng.normal(size=N), "place": [f"p{i % 100}" for i in range(N)]}
    found = evaluate(AutoRegressor(kernel="rbf[x]", model="ridge"), X, X["x"], cv=4)
    preparers = [
        TablePreparer().fit({"place": [X["place"][i] for i in np.flatnonzero(found.folds != k)]}) for k in range(4)
    ]
    tests = [{"place": [X["place"][i] for i in np.flatnonzero(found.folds == k)]} for k in range(4)]
    new = sum(one.new_categories(test)["place"] for one, test in zip(preparers, tests, strict=True))
    assert new > 50
    assert f"Evaluation: place: {new} test rows with categories that were not seen in fit." in found.notes


def test_frequent_categories_have_no_frequencies():
    assert TablePreparer().fit_transform({"a": [f"p{i % 60}" for i in range(2000)]}).names == ("a",)
    assert TablePreparer().fit_transform({"a": [f"p{i % 9}" for i in range(20)]}).names == ("a",)


# ---- models, files, explanations, programs


def test_a_model_of_everything(tmp_path):
    X = table()
    X["size"], X["day"] = holed(X["size"]), holed(X["day"])
    X["place"] = [f"p{i % 55}" for i in range(N)]
    y = X["x"] + np.array([size == "large" for size in X["size"]]) + np.sin(np.arange(N))
    model = AutoRegressor().fit(X, y)
    assert model.best_params_ == {"model": "stack"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        predicted = model.predict(X)
    players = model._score_players(model._score_samples(X))
    assert list(players) == ["day", "size", "price", "x", "place"]
    places = sorted(i for own in players.values() for i in own)
    assert places == list(range(len(model.columns_)))
    found = shapley_values(model, {name: values[:3] for name, values in X.items()}, background=X)
    assert list(found.names) == list(players)
    assert found.values.shape == (3, 5)
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), predicted[:3], atol=1e-8)
    save(model, tmp_path / "model.mercer")
    np.testing.assert_array_equal(load(tmp_path / "model.mercer").predict(X), predicted)


def test_preparers_of_earlier_versions():
    data = {"a": holed(range(20)), "b": ["x", "y"] * 10, "c": [1] * 20, "d": DAYS[:20]}
    kinds = {"d": "number"}  # dates had no cyclic numbers
    preparer = TablePreparer(kinds, ranks=True).fit(data)
    expected = preparer.transform(data)
    outputs, unused = preparer.outputs_, preparer.unused_
    for name in ("readings_", "cycles_", "levels_", "frequencies_", "outputs_", "unused_"):
        del preparer.__dict__[name]
    preparer._upgrade()
    assert preparer.transform(data) == expected
    assert preparer.outputs_ == outputs
    assert preparer.unused_ == unused == {"c": "all values are equal"}


def test_programs_repeat_the_readings(tmp_path):
    from mercer.datasets import read

    X = table()
    X["size"] = holed(X["size"])
    target = np.where(np.array([size == "large" for size in X["size"]]) ^ (X["x"] > 0), "yes", "no")
    path = tmp_path / "data.csv"
    pl.DataFrame({**X, "target": target}).write_csv(path)
    data, y, _ = read(str(path)).split("target")
    model = AutoClassifier(model="svm", cv=3).fit(data, y)
    program = code(model, str(path), "target")
    assert '"size": ["small", "medium", "large"],' in program
    assert '"day": "date",' in program
    space = {}
    exec(compile(program, "program", "exec"), space)
    np.testing.assert_array_equal(space["predict"](data), model.predict(data))
    assert _kind(model.preparer_, "x") == '"number"'
