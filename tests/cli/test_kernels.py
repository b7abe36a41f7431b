"""The command ``mercer kernels``."""

import json

import pytest

from mercer.cli import main
from mercer.kernels import kernel, registered
from mercer.kernels.registry import NODES


def test_the_table_shows_every_kernel_in_80_columns(capsys):
    assert main(["kernels"]) == 0
    shown = capsys.readouterr().out
    lines = shown.splitlines()
    assert max(map(len, lines)) <= 80
    first_words = {line.split()[0] for line in lines if line.split()}
    for name, cls in registered().items():
        if cls not in NODES:
            assert name in first_words
    for written, _ in NODES.values():
        assert written in shown
    assert "exp(−γ‖x−z‖²)" in shown
    assert "✗ not PSD" in shown
    assert "x ≥ 0" in shown
    assert "gamma='scale'" in shown


@pytest.mark.parametrize("width", ["40", "120"])
def test_other_widths(capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", width)
    assert main(["kernels"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= int(width)


def test_json_holds_the_same(capsys):
    assert main(["kernels", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    by_name = {entry["name"]: entry for entry in data["kernels"]}
    assert set(by_name) == {name for name, cls in registered().items() if cls not in NODES}
    assert len(data["nodes"]) == len(NODES)
    for name, entry in by_name.items():
        cls = registered()[name]
        assert entry["formula"] == cls.formula
        assert entry["formula"]
        assert entry["definiteness"] == cls().definiteness.value
        assert entry["domain"] == cls.domain
    rbf = by_name["rbf"]["parameters"][0]
    assert (rbf["name"], rbf["default"]) == ("gamma", "scale")
    assert "γ > 0" in rbf["about"]
    exp = next(node for node in data["nodes"] if node["class"] == "ExpOf")
    assert (exp["of_psd"], exp["of_cpd"]) == ("psd", "psd")


@pytest.mark.parametrize("name", ["rbf", "gaussian"])
def test_one_kernel(capsys, name):
    assert main(["kernels", name]) == 0
    shown = capsys.readouterr().out
    assert "Gaussian kernel" in shown
    assert "mercer.kernels.RBF" in shown
    assert "Schoenberg 1938" in shown


def test_one_node(capsys):
    assert main(["kernels", "exp"]) == 0
    shown = capsys.readouterr().out
    assert "mercer.kernels.ExpOf" in shown
    assert "of CPD kernels: ✓ PSD" in shown


def test_an_expression_gets_its_proof(capsys):
    text = "rbf(gamma=0.1)*poly + 0.5*chi2"
    assert main(["kernels", text]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(text)
    assert "└── chi2  ✓ PSD" in shown
    assert "0__0__gamma" in shown
    assert main(["kernels", text, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["certificate"] == kernel(text).certificate().to_dict()


@pytest.mark.parametrize("argv", [[], ["rbf"]])
def test_the_program_runs(capsys, argv):
    assert main(["kernels", *argv, "--code"]) == 0
    exec(compile(capsys.readouterr().out, "<kernels>", "exec"), {})
    shown = capsys.readouterr().out
    assert "exp(−γ‖x−z‖²)" in shown
    assert main(["kernels", *argv, "--code", "--json"]) == 0
    assert "mercer" in json.loads(capsys.readouterr().out)["code"]


def test_help_shows_python_and_exit_codes(capsys):
    assert main(["kernels", "--help"]) == 0
    shown = capsys.readouterr().out
    assert "mercer.kernels.registered()" in shown
    assert "Exit codes" in shown


@pytest.mark.parametrize(("text", "message"), [("rbff", "did you mean 'rbf'"), ("rbf(gamma=-1)", "gamma must be")])
def test_errors_in_the_input_exit_with_1(capsys, text, message):
    assert main(["kernels", text]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.splitlines()[-2:] == ["  " + text, "  ^"]
