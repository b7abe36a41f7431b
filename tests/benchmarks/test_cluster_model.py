"""Model of fits on workers: coefficients, extrapolation and tables, from made-up measurements."""

import numpy as np
import pytest

from benchmarks import cluster_model, tables_page
from benchmarks.cluster_model import MODELS, Run

RUNS = [
    Run(n, d, m, rows, workers)
    for n in (100_000, 300_000, 1_000_000)
    for d in (5, 20)
    for m in (100, 300)
    for rows in (25_000, 100_000)
    for workers in (1, 2)
]


def model_value(terms, run):
    return sum(10.0 ** -(9 + i) * term(run) for i, term in enumerate(terms.values()))


def cluster_rows(noise=0.0):
    """Rows as they are measured, of models with coefficients 10⁻⁹, 10⁻¹⁰, …"""
    rng = np.random.default_rng(0)
    factors = 1 + noise * rng.uniform(-1, 1, size=(len(RUNS), len(MODELS)))
    return [
        run._asdict() | {key: model_value(terms, run) * x for (terms, key), x in zip(MODELS.values(), row, strict=True)}
        for run, row in zip(RUNS, factors, strict=True)
    ]


def test_exact_models_of_clusters_are_extrapolated_without_error():
    found = cluster_model.summary(cluster_rows())
    for model in found["models"].values():
        assert max(model["largest relative error"], model["largest size"]["largest"]) < 1e-3
    for row, sizes in zip(found["extrapolation"], cluster_model.FAR, strict=True):
        for terms, key in MODELS.values():
            assert row[key]["value"] == pytest.approx(model_value(terms, Run(*sizes)), rel=0.01)
            assert row[key]["low"] <= row[key]["value"] <= row[key]["high"] <= 1.02 * row[key]["value"]
        assert row["seconds of client and scheduler"] < row["seconds"]["value"]
    times = [row["seconds"]["value"] for row in found["extrapolation"]]
    assert times == sorted(times, reverse=True)


def test_noise_widens_the_intervals_of_clusters():
    for row in cluster_model.summary(cluster_rows(0.2))["extrapolation"]:
        for _, key in MODELS.values():
            assert row[key]["low"] < 0.9 * row[key]["value"]
            assert row[key]["high"] > 1.1 * row[key]["value"]


def test_tables_of_clusters_have_a_row_for_each_model_and_number_of_workers():
    found = cluster_model.summary(cluster_rows(0.2))
    assert tables_page.cluster_model(found).count("\n") == len(MODELS) + 2
    text = tables_page.cluster_extrapolation(found)
    assert [line.split(" | ")[0].strip("| ") for line in text.splitlines()[2:]] == ["10", "100", "1000"]


def test_coefficients_are_written_without_exponents():
    written = tables_page.terms({"1": 0.12, "v/p": 3.2e-9, "n": 0.0, "blocks": 0.13, "m²": 1.6e-6}, 1e9)
    assert written.replace("\N{NO-BREAK SPACE}", " ") == "120·10⁶ + 3.2 v/p + 130·10⁶ blocks + 1600 m²"
