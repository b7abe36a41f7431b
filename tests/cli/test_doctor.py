"""The command ``mercer doctor``."""

import json

import mercer
from mercer.cli import main


def test_it_tells_what_is_there_and_tests_it(capsys, monkeypatch):
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"mercer {mercer.__version__}\n")
    assert max(map(len, shown.splitlines())) <= 80
    for word in (
        "numpy",
        "scikit-learn",
        "polars",
        "threads",
        "memory",
        "✓ differs from NumPy",
        "✓ converged, relative gap",
    ):
        assert word in shown

    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["self_test"]["passed"]
    assert found["self_test"]["gram"]["error"] < 1e-12
    assert found["self_test"]["svc"]["relative_gap"] < 1e-6
    assert found["machine"]["threads"] >= 1
    assert found["optional"]["rdkit"]["install"] == "pip install 'mercer[chem]'"


def test_what_is_missing_is_said(capsys, monkeypatch):
    from importlib.metadata import PackageNotFoundError, version

    def without_rdkit(name):
        if name == "rdkit":
            raise PackageNotFoundError
        return version(name)

    monkeypatch.setattr("mercer.cli.doctor.importlib.metadata.version", without_rdkit)
    assert main(["doctor"]) == 0
    assert "pip install 'mercer[chem]'" in capsys.readouterr().out


def test_a_failed_test_is_an_error(capsys, monkeypatch):
    svc = {"passed": True, "status": "", "relative_gap": 0}
    failed = {"passed": False, "gram": {"passed": False, "error": 1.0}, "svc": svc}
    monkeypatch.setattr("mercer.cli.doctor._self_test", lambda: failed)
    assert main(["doctor"]) == 1
    assert "✗ differs from NumPy by 1.0e+00" in capsys.readouterr().out


def test_the_program_runs(capsys):
    assert main(["doctor", "--code"]) == 0
    exec(compile(capsys.readouterr().out, "<doctor>", "exec"), {})
    shown = capsys.readouterr().out
    assert mercer.__version__ in shown
    assert "converged relative gap:" in shown
