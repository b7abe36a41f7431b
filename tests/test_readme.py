"""The first pages: README.md, docs/benchmarks.md, recipes and translations agree with files, results and scripts."""

import importlib.util
import json
import re
import tomllib
from codeop import CommandCompiler
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import ClassVar, final

import numpy as np
import pytest

from benchmarks import chart, tables_page
from benchmarks.tables import ranks
from benchmarks.tables.names import DEFAULT
from mercer.report import geometry

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FOLDERS = [ROOT / "docs" / "recipes", ROOT / "docs" / "coming-from"]
PAGES = [
    ROOT / "README.md",
    ROOT / "docs" / "quickstart.md",
    ROOT / "docs" / "benchmarks.md",
    *(page for folder in FOLDERS for page in sorted(folder.glob("*.md"))),
]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"")


def script(path):
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def links(text):
    """Targets of links and pictures outside of code."""
    return [first or second for first, second in LINK.findall(FENCE.sub("", text))]


def test_readme_takes_a_minute():
    assert len(README.splitlines()) < 120


def test_the_first_two_blocks_install_and_test():
    blocks = FENCE.findall(README)
    assert blocks[0] == ("sh", "python -m pip install '.[app]' && mercer fit wine --target class --report wine.html\n")
    assert blocks[1] == ("sh", "python -m pip install '.[test]' && python -m pytest\n")


def test_badges_are_those_of_the_project():
    for name, text in script("docs/pictures.py").badge_texts().items():
        assert (ROOT / "docs" / "images" / "badges" / f"{name}.svg").read_text(encoding="utf-8") == text
        assert f"![{re.search('<title>(.*)</title>', text)[1]}](docs/images/badges/{name}.svg)" in README
    assert f"licence: {PROJECT['license']}" in README
    assert f"python: {PROJECT['requires-python'].replace('>=', '≥ ')}" in README
    assert PROJECT["version"] in README


def test_pictures_are_local_and_small():
    pictures = [target for target in links(README) if target.endswith((".png", ".svg"))]
    assert len(pictures) == 3 + 2 + 2 + 6  # badges, chart in two colours, counterexample and report, gallery
    for target in pictures:
        assert (ROOT / target).stat().st_size < 400_000


def test_report_is_photographed_with_its_present_text():
    image = pytest.importorskip("PIL.Image")
    with image.open(ROOT / "docs" / "images" / "report.png") as picture:
        shown = picture.text["text"]
    assert geometry.LEAD in shown, "run python docs/pictures.py report"
    for caption in ("Errors", "Kernel geometry", "Gram matrix: kernel values of all pairs of samples", "baseline"):
        assert caption in shown


def test_figure_of_the_guide_is_that_of_the_example():
    image = pytest.importorskip("PIL.Image")
    source = (ROOT / "examples" / "tables" / "plot_kernel_weights.py").read_text(encoding="utf-8")
    with image.open(ROOT / "docs" / "images" / "kernel-weights.png") as picture:
        assert picture.text["title"] in source, "run python docs/pictures.py weights"


def test_thumbnails_are_those_of_the_script():
    image = pytest.importorskip("PIL.Image")
    thumbnails = script("docs/thumbnails.py")
    for name in thumbnails.SCRIPTS:
        picture = thumbnails.FOLDER / f"{Path(name).stem.removeprefix('plot_')}.png"
        assert f"({picture.relative_to(ROOT)})" in README
        assert f"(examples/{name})" in README
        with image.open(picture) as opened:
            assert opened.size == thumbnails.SIZE


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*/*.py")), ids=lambda path: path.stem)
def test_gallery_entries_draw_a_figure(path):
    """Without one, the gallery shows the same default picture for several entries."""
    assert "import matplotlib.pyplot as plt" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")], ids=lambda page: page.stem)
def test_extras_are_installed_from_the_repository(page):
    """mercer is on no package index: ``pip install 'mercer[app]'`` fails unless mercer is installed."""
    assert not re.search(r"pip install ['\"]?mercer", page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_indices_list_every_page(folder):
    text = (folder / "index.md").read_text(encoding="utf-8")
    names = {page.stem for page in folder.glob("*.md")} - {"index"}
    assert {target.removesuffix(".md") for target in links(text) if "/" not in target} == names
    tree = re.search(r"```\{toctree\}\n:hidden:\n\n(.*?)```", text, re.DOTALL)[1]
    assert set(tree.split()) == names


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_show_a_program(page):
    assert page.name == "benchmarks.md" or ">>> " in page.read_text(encoding="utf-8")


# ---- programs

PASTED = [
    *PAGES,
    ROOT / "docs" / "index.md",
    *(ROOT / "docs" / "guide").glob("*.md"),
    *(ROOT / "docs" / "kernels").glob("*.md"),
]
PROMPT = re.compile(r" *(>>>|\.\.\.) ?(.*)")


def faults_of_pasting(block):
    """Lines at which an interpreter that reads line by line leaves the statements of a block.

    A copied block has no output. An empty line ends a compound statement, and without one the next statement is an
    error.
    """
    compiled, statement, in_source, found = CommandCompiler(), [], False, []
    for line in [*block.splitlines(), ""]:
        prompt, code = PROMPT.fullmatch(line).groups() if PROMPT.fullmatch(line) else ("", line)
        in_source = prompt == ">>>" or (prompt == "..." and in_source)
        if prompt != "..." and statement:
            found.append(f"no empty line before: {line}")
            statement = []
        if not in_source:
            continue
        if prompt == "..." and not statement:
            found.append(f"after an empty line: {line}")
            continue
        statement.append(code)
        if compiled("\n".join(statement)) is not None:
            statement = []
    return found


@pytest.mark.parametrize("page", PASTED, ids=lambda page: str(page.relative_to(ROOT)))
def test_programs_can_be_pasted(page):
    blocks = [text for kind, text in FENCE.findall(page.read_text(encoding="utf-8")) if kind == "pycon"]
    assert [fault for block in blocks for fault in faults_of_pasting(block)] == []


def test_programs_that_cannot_be_pasted_are_found():
    assert faults_of_pasting(">>> for i in (1, 2):\n...     i\n...\n1\n2\n>>> f(\n...     3)\n") == []
    assert faults_of_pasting(">>> for i in (1, 2):\n...     i\n>>> i\n2\n") == ["no empty line before: >>> i"]
    gap = ">>> class A:\n...     a = 1\n...\n...     b = 2\n"
    assert faults_of_pasting(gap)[0] == "after an empty line: ...     b = 2"


def test_kernel_of_the_contributors_page_runs():
    from mercer.kernels import Definiteness, Op, VectorKernel

    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (block,) = [text for kind, text in FENCE.findall(text) if kind == "python"]
    names = {"ClassVar": ClassVar, "Op": Op, "PSD": Definiteness.PSD, "VectorKernel": VectorKernel}
    names |= {"dataclass": dataclass, "final": final}
    exec(block, names)
    X = np.random.default_rng(0).normal(size=(5, 3))
    distance = ((X[:, None] - X) ** 2).sum(axis=2)
    np.testing.assert_allclose(names["Cauchy"](gamma=0.5)(X), 1 / (1 + 0.5 * distance), rtol=1e-12)
    assert names["Cauchy"]().definiteness is Definiteness.PSD


# ---- benchmarks


@pytest.mark.parametrize("page", tables_page.PAGES, ids=lambda page: page.name)
def test_tables_agree_with_the_results(page):
    assert tables_page.filled(page) == page.read_text(encoding="utf-8"), "run python -m benchmarks.tables_page"


def test_every_comparison_is_on_the_page():
    text = "".join(page.read_text(encoding="utf-8") for page in tables_page.PAGES)
    tables = dict(re.findall(r"<!-- table: (\w+) -->(.*?)<!-- end -->", text, re.DOTALL))
    recorded = {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in tables_page.RESULTS.glob("*.json")
        if not path.stem.startswith(("accuracy_", "semi_supervised"))
    }
    assert tables.keys() == tables_page.COMMANDS.keys()
    assert recorded.keys() <= tables.keys()
    rows = [row for data in recorded.values() for part in ("cases", "goals") for row in data.get(part, [])]
    verdicts = [row["verdict"] for row in rows]
    assert text.count("(missed)") == verdicts.count("MISSED") > 0
    for name, table in tables.items():
        source = tables_page.FILES.get(name, name)
        if source not in recorded:
            assert f"python -m benchmarks.{tables_page.COMMANDS[name]}" in table
            continue
        data = recorded[source]
        parts = {"svm_memory": ["memory"], "scale_goals": ["goals"], "cost_tables": ["goals"], "cost_model": ["models"]}
        parts |= {"cluster_model": ["models"], "cluster_extrapolation": ["extrapolation"]}
        parts |= {"dask_scale": ["goals", "cases"]}
        shown = [row for part in parts.get(name, ["cases"]) for row in data[part]]
        assert table.count("\n| ") == len(shown) + 2
        assert all(f"{package} {version}" in table for package, version in data["versions"].items())
        assert data["machine"]["cpu"] in table


@pytest.mark.parametrize("path", sorted(tables_page.RESULTS.glob("*.json")), ids=lambda path: path.stem)
def test_every_record_has_date_processor_and_versions(path):
    data = json.loads(path.read_text(encoding="utf-8"))
    assert date.fromisoformat(data["date"]) <= date.today()
    assert {"cpu", "threads", "simd", "python"} <= {name for name, value in data["machine"].items() if value}
    assert "mercer" in data["versions"]
    assert len(data["versions"]) > 1
    assert all(re.match(r"\d+\.\d+", version) for version in data["versions"].values())


def test_speed_on_the_landing_page_agrees_with_the_results():
    cases = json.loads((tables_page.RESULTS / "svm.json").read_text(encoding="utf-8"))["cases"]
    times = [case["notes"]["seconds"] for case in cases if case["name"].startswith("fit ")]
    ratios = [by["sklearn"] / by["mercer"] for by in times]
    text = " ".join((ROOT / "docs" / "index.md").read_text(encoding="utf-8").split())
    assert f"{min(ratios):.1f} to {max(ratios):.0f} times as fast as scikit-learn's" in text


def test_picture_of_scaling_agrees_with_the_results():
    image = pytest.importorskip("PIL.Image")
    pictures = script("docs/pictures.py")
    with image.open(pictures.IMAGES / "scaling.png") as picture:
        assert json.loads(picture.text["curve"]) == pictures.measured_curve(), "run python docs/pictures.py scaling"


@pytest.mark.parametrize("theme", chart.PICTURES)
def test_chart_agrees_with_the_results(theme):
    image = pytest.importorskip("PIL.Image")
    with image.open(chart.PICTURES[theme]) as picture:
        drawn = json.loads(picture.text["bars"])
        assert picture.width == 1600
    results = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in tables_page.RESULTS.glob("*.json")}
    expected = []
    for _, file, labels in chart.GROUPS:
        for name in labels:
            case = next(case for case in results[file]["cases"] if case["name"] == name)
            times = case["notes"].get("seconds", {}) if file == "svm" else {"mercer": case["mercer"], "": case["rival"]}
            expected += [times[rival] / times["mercer"] for rival in times if rival != "mercer"]
    assert sorted(bar["speedup"] for bar in drawn) == pytest.approx(sorted(expected))
    assert [bar["speedup"] for bar in drawn] == [bar.speedup for bar in chart.bars()], "run python -m benchmarks.chart"


def test_chart_is_described_by_its_range():
    speedups = [bar.speedup for bar in chart.bars()]
    assert f"{min(speedups):.1f} to {max(speedups):.0f} times" in README


def test_chart_has_the_dates_processors_and_versions_of_its_files():
    files = [tables_page.results(file) for file in {file for _, file, _ in chart.GROUPS}]
    dates = [data["date"] for data in files]
    assert f"recorded {min(dates)} to {max(dates)}" in README
    for data in files:
        assert re.sub(r"\(R\)| Processor", "", data["machine"]["cpu"]) in README
    versions = {package: version for data in files for package, version in data["versions"].items()}
    text = " ".join(README.split())
    for package, name in (("scikit-learn", "scikit-learn"), ("scikit-learn-intelex",) * 2, ("grakel", "GraKeL")):
        assert f"{name} {versions[package]}" in text


def test_first_page_states_the_measured_range():
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    fits = [bar for bar in chart.bars() if bar.group == "SVM, fit" and bar.rival == "scikit-learn"]
    large = [bar.speedup for bar in fits if "000" in bar.label or "561" in bar.label]
    assert len(large) == 5
    assert f"10 000 samples and more are {min(large):.1f} to {max(large):.0f} times as fast as scikit-learn's" in page


def test_ranks_on_the_first_page_are_the_recorded_ones():
    data = tables_page.results("accuracy_tables")
    found = ranks.mean_ranks(ranks.errors(data["results"], DEFAULT["tables"]))
    text = " ".join(README.split())
    assert min(found, key=found.get) == "mercer"
    assert f"rank first of {['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven'][len(found)]} methods" in text
    assert f"on {len({row['table'] for row in data['results']})} public tables" in text
    assert (
        f"(mean rank {found['mercer']:.2f}, CatBoost {found['catboost']:.2f}, LightGBM {found['lightgbm']:.2f};" in text
    )


# ---- translations


def test_himalaya_solves_the_same_equations():
    himalaya = pytest.importorskip("himalaya.kernel_ridge")
    from mercer.kernels import RBF, Linear
    from mercer.ridge import KernelRidge

    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(80, 3)), rng.normal(size=(3, 3))
    y = np.sin(X[:, 0]) + X[:, 1]
    kernels, deltas = [RBF(gamma=0.5), Linear()], np.array([-1.0, 0.5])
    theirs = himalaya.WeightedKernelRidge(alpha=0.5, deltas=deltas, kernels="precomputed")
    theirs.fit(np.stack([k(X) for k in kernels]), y)
    predicted = theirs.predict(np.stack([k(new, X) for k in kernels]))
    ours = KernelRidge(alpha=0.5, kernel=float(np.exp(-1)) * kernels[0] + float(np.exp(0.5)) * kernels[1]).fit(X, y)
    np.testing.assert_allclose(ours.predict(new), predicted, atol=1e-4)
    page = (ROOT / "docs" / "coming-from" / "mkl.md").read_text(encoding="utf-8")
    assert repr(ours.predict(new).round(4)) in page
