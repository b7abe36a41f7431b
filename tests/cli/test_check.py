"""The command ``mercer check``: proofs, counterexamples, data, exit codes."""

import json

import numpy as np
import pytest

import mercer
from mercer.cli import main


def answer(capsys, *argv):
    code = main(["check", *argv, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_proof(capsys):
    assert main(["check", "rbf + 0.5*chi2"]) == 0
    shown = capsys.readouterr().out
    assert "├── rbf  ✓ PSD" in shown
    assert "✓ valid: proved positive semidefinite for all data with x ≥ 0" in shown
    code, found = answer(capsys, "rbf + 0.5*chi2")
    assert (code, found["outcome"], found["counterexample"]) == (0, "proved", None)
    assert found["certificate"] == mercer.kernel("rbf + 0.5*chi2").certificate().to_dict()


def test_a_counterexample_is_complete(capsys):
    code, found = answer(capsys, "sigmoid")
    assert (code, found["outcome"]) == (3, "refuted")
    points, t = (np.array(found["counterexample"][name]) for name in ("points", "t"))
    assert t @ mercer.kernel(found["counterexample"]["kernel"])(points) @ t < 0
    assert main(["check", "sigmoid"]) == 3
    shown = capsys.readouterr().out
    assert repr(found["counterexample"]["points"][0][0]) in shown  # all digits
    assert f"tᵀKt = {found['counterexample']['value']:.6g} < 0" in shown
    assert "✗ refuted: not positive semidefinite" in shown


def test_conditional(capsys):
    assert answer(capsys, "power")[0] == 3
    assert main(["check", "power"]) == 3
    assert "(--conditional)" in capsys.readouterr().out
    code, found = answer(capsys, "power", "--conditional")
    assert (code, found["outcome"], found["asked"]) == (0, "proved", "cpd")
    code, found = answer(capsys, "(-1)*power", "--conditional")
    assert code == 3
    assert found["counterexample"]["kind"] == "not cpd"
    assert abs(sum(found["counterexample"]["t"])) < 1e-12


def test_undecided(capsys):
    assert main(["check", "2*spectrum - spectrum"]) == 0  # strings: nothing to draw points from
    assert "? undecided: no proof, and no samples to search" in " ".join(capsys.readouterr().out.split())
    assert main(["check", "2*rbf(gamma=1) - rbf(gamma=1)"]) == 0
    assert "? undecided: no proof, and no counterexample found" in capsys.readouterr().out
    assert main(["check", "local_alignment"]) == 3
    assert "✗ refuted: not positive semidefinite, by proof; give DATA for an example" in capsys.readouterr().out


def test_on_data(capsys):
    code, found = answer(capsys, "rbf", "iris", "--rows", "60")
    assert (code, found["outcome"]) == (0, "proved")
    assert (found["data"]["rows"], found["data"]["of"]) == (60, 150)
    assert "60 of 150 rows were sampled at random (seed 0)" in " ".join(found["data"]["notes"])
    assert found["data"]["gram"]["is_psd"]
    code, found = answer(capsys, "rbf - linear", "iris")
    assert code == 3
    assert found["data"]["gram"]["min_eigenvalue"] < 0
    assert isinstance(found["counterexample"]["points"][0], dict)
    assert main(["check", "rbf - linear", "iris"]) == 3
    shown = capsys.readouterr().out
    assert "Gram matrix of 150 samples of iris: indefinite" in shown
    assert "petal length (cm)=" in shown
    assert main(["check", "sigmoid", "iris"]) == 0  # gamma=1 and large products: tanh is 1 for all pairs
    assert "✓ no violation: positive semidefinite on these data; proved not to be on others" in capsys.readouterr().out
    assert main(["check", "local_alignment", "motifs"]) == 3
    assert "✗ refuted: not positive semidefinite, by the eigenvalues of this matrix" in capsys.readouterr().out
    code, found = answer(capsys, "2*rbf(gamma=1) - rbf(gamma=1)", "iris")
    assert (code, found["outcome"]) == (0, "valid on the data")


def test_columns_and_target(capsys, folder):
    (folder / "people.csv").write_text("age,city,class\n31,Rome,a\n45,Oslo,b\n27,Rome,a\n")
    assert answer(capsys, "rbf[age] + overlap[city]", "people.csv")[0] == 0
    assert main(["check", "rbf", "people.csv", "--target", "class"]) == 1
    assert "city" in capsys.readouterr().err
    assert main(["check", "rbf[agee]", "people.csv"]) == 1
    assert "age" in capsys.readouterr().err


@pytest.mark.parametrize(
    "argv", [["sigmoid"], ["sigmoid", "iris", "--rows", "50", "--seed", "1"], ["power", "--conditional"]]
)
def test_the_program_says_the_same(capsys, argv):
    found = answer(capsys, *argv)[1]
    assert main(["check", *argv, "--code"]) == 0
    exec(compile(capsys.readouterr().out, "<check>", "exec"), {})
    shown = capsys.readouterr().out
    assert str(mercer.kernel(argv[0]).certificate()) in shown
    if found["counterexample"] is None:
        assert shown.endswith("None\n")
    else:
        assert f"tᵀKt = {found['counterexample']['value']:.6g}" in shown
    if found["data"] is not None:
        assert f"{found['data']['gram']['min_eigenvalue']:.6g}" in shown
