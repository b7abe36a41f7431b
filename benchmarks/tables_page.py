"""Write the tables of measurements in the pages from the files in benchmarks/results.

``python -m benchmarks.tables_page`` replaces every region of a page between ``<!-- table: NAME -->`` and
``<!-- end -->`` by the table of ``benchmarks/results/NAME.json``, with its command, date, processor and versions. A
test compares the pages with the files. A benchmark without a file has its command in the place of the table.
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGES = tuple(
    ROOT / "docs" / page
    for page in (
        "benchmarks.md",
        "guide/scaling.md",
        "guide/auto.md",
        "guide/multiple-kernel.md",
        "kernels/strings.md",
        "kernels/trees.md",
        "kernels/graphs.md",
    )
)
SPACE = "\N{NO-BREAK SPACE}"  # between a number and its unit
REGION = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)

COMMANDS = {  # arguments after the module's name
    "gram": "rivals.gram",
    "svm": "rivals.svm --data PATH",
    "svm_memory": "rivals.svm --data PATH --kind memory",
    "ridge": "rivals.ridge --data PATH",
    "ridge_path": "rivals.ridge_path",
    "kernel_pca": "rivals.kernel_pca --data PATH",
    "discriminant": "rivals.discriminant --data PATH",
    "cluster": "rivals.cluster",
    "perceptron": "rivals.perceptron --data PATH",
    "strings": "rivals.strings --data PATH",
    "trees": "rivals.trees --data PATH",
    "graphs": "rivals.graphs --data PATH",
    "multiple_kernel": "rivals.multiple_kernel",
    "model_selection": "rivals.model_selection",
    "shapley": "rivals.shapley --mixture",
    "startup": "rivals.startup",
    "scale": "rivals.scale --data PATH --huge --threads 1",
    "scale_goals": "rivals.scale --data PATH --huge --threads 1",
    "cost_model": "cost_model",
    "accuracy_tables": "accuracy_tables --data PATH",
    "accuracy_tables_rare": "accuracy_tables --data PATH --rare",
    "accuracy_few_labels": "accuracy_few_labels",
    "accuracy_strings": "accuracy_strings --data PATH",
    "accuracy_splice": "accuracy_splice --data PATH",
    "accuracy_trec": "accuracy_trec --data PATH",
    "accuracy_graphs": "accuracy_graphs --data PATH",
    "accuracy_views": "accuracy_views --data PATH",
    "accuracy_simplemkl": "accuracy_simplemkl --data PATH",
}
FILES = {"svm_memory": "svm", "scale_goals": "scale", "accuracy_tables_rare": "accuracy_tables"}  # of other names
LABELS = {  # of cases whose name in the file is an abbreviation
    "svm": {
        "fit letter": "`SVC.fit`, letter, 15 000 × 16, 26 classes",
        "fit magic": "`SVC.fit`, magic, 15 000 × 10",
        "fit mnist": "`SVC.fit`, MNIST, 10 000 × 784, 10 classes",
        "fit a9a dense": "`SVC.fit`, a9a, 32 561 × 123, dense",
        "fit a9a csr": "`SVC.fit`, a9a, CSR",
        "fit kin40k": "`SVR.fit`, kin40k, 10 000 × 8",
        "predict letter": "`SVC.predict`, letter, 2000 rows",
        "predict magic": "`SVC.predict`, magic, 2000 rows",
        "predict mnist": "`SVC.predict`, MNIST, 2000 rows",
        "predict a9a dense": "`SVC.predict`, a9a, dense, 2000 rows",
        "predict a9a csr": "`SVC.predict`, a9a, CSR, 2000 rows",
        "predict kin40k": "`SVR.predict`, kin40k, 2000 rows",
        "small n=100": "`SVC`, fit and predict, 100 × 10",
        "small n=500": "`SVC`, fit and predict, 500 × 10",
        "small n=2000": "`SVC`, fit and predict, 2000 × 10",
    },
    "ridge": {
        f"{what} kin40k n=10000 alpha={alpha}": f"`KernelRidge.{what}`, kin40k, 10 000 × 8, α = {alpha}"
        for what in ("fit", "predict")
        for alpha in ("0.1", "0.001", "1e-06")
    },
    "ridge_path": {
        "leave-one-out n=3000, over eigh": "`KernelRidgeCV.fit`, 3000 samples, 50 alphas, leave-one-out",
        "leave-one-out n=3000, over a grid": "`KernelRidgeCV.fit`, 3000 samples, 50 alphas, leave-one-out",
    },
    "kernel_pca": {
        "mnist 5000 fit": "`KernelPCA.fit`, MNIST, 5000 × 784, 20 components",
        "mnist 5000 transform 2000 rows": "`KernelPCA.transform`, MNIST, 2000 rows",
        "kin40k 5000 fit": "`KernelPCA.fit`, kin40k, 5000 × 8, 20 components",
        "kin40k 5000 transform 2000 rows": "`KernelPCA.transform`, kin40k, 2000 rows",
        "mnist eigenvectors": "the eigenvectors alone, MNIST, 5000 × 5000",
    },
    "discriminant": {
        "fit mnist n=5000": "`KernelDiscriminantAnalysis.fit`, MNIST, 5000 × 784",
        "eigen mnist n=2000": "default solver, MNIST, 2000 × 784",
        "auto mnist n=500": '`reg="auto"`, MNIST, 500 × 784',
    },
    "cluster": {"kernel k-means, n_init=1, by_product": "`KernelKMeans.fit`, 10 000 × 20, 10 clusters, one start"},
    "perceptron": {"a9a 32560 x 123, 10 passes": "`KernelPerceptron.fit`, a9a, 32 560 × 123, 10 passes"},
    "strings": {
        "spectrum ZZZ3 p=6": "`Spectrum(6)`, ZZZ3, 11 074 × 200 nt",
        "gapped EP300 (10, 4)": "`Gapped(10, 4)`, EP300, 4000 × 100 nt",
        "subsequence scop_1.34 n=500 p=5": "`Subsequence(5)`, 500 proteins of SCOP 1.34",
        "reads 1e6 to LinearSVC": "10⁶ reads of 100 nt, features of `Spectrum(6)`, scikit-learn's `LinearSVC`",
    },
    "trees": {
        "subset tree TREC n=5452": "`SubsetTree`, TREC, 5452 questions",
        "partial tree TREC n=5452": "`PartialTree`, TREC, 5452 questions",
        "python, subset tree n=40": "`SubsetTree`, 40 questions",
        "python, partial tree n=40": "`PartialTree`, 40 questions",
    },
    "graphs": {
        "wl NCI1 h=5": "`WeisfeilerLehman(5)`, NCI1, 4110 molecules",
        "shortest path NCI1": "`ShortestPath()`, NCI1",
        "shortest path PROTEINS": "`ShortestPath()`, PROTEINS, 1113 graphs",
        "large 1e6 edges, WL h=5": "one graph of 10⁶ edges, five rounds of WL",
        "large 1e6 edges, graphlets 3": "one graph of 10⁶ edges, `Graphlet(3)`",
        "large 1e6 edges, graphlets 4": "one graph of 10⁶ edges, `Graphlet(4)`",
        "memory NCI1 WeisfeilerLehman(5)": "peak memory, `WeisfeilerLehman(5)`, NCI1",
        "memory PROTEINS ShortestPath()": "peak memory, `ShortestPath()`, PROTEINS",
        "graphlets PROTEINS/10 size=4": "`Graphlet(4)`, a tenth of PROTEINS",
        "graphlets PROTEINS/10 size=5": "`Graphlet(5)`, a tenth of PROTEINS",
    },
}
OTHERS = {  # names of what mercer is compared with
    "10 seconds": "time limit",
    "60 seconds": "time limit",
    "300 seconds": "time limit",
    "3 minutes": "time limit",
    "20 s allowed": "time limit",
    "150 ms": "time limit",
    "its slowest leaf alone: rbf": "mercer: its slowest leaf alone, rbf",
    "computing its tiles alone": "mercer: computing its tiles alone",
    "mercer.ridge.KernelRidge": "mercer: one `KernelRidge` fit",
    "solver='eigen'": "mercer: `solver='eigen'`",
    "without the cache": "mercer: without the cache",
    "sklearn arpack": "scikit-learn, ARPACK",
    "sklearn.kernel_ridge": "scikit-learn",
    "sklearn.svm.SVC": "scikit-learn `SVC`",
    "GridSearchCV": "scikit-learn `GridSearchCV`",
    "NumPy, by_product": "NumPy loop",
}


def results(name: str) -> dict[str, Any]:
    """The record of a benchmark."""
    return dict(json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8")))


def quantity(value: float, unit: str = "s") -> str:
    """Three digits, with the unit; milliseconds below 0.01 s."""
    if unit == "s" and value < 0.01:
        value, unit = 1000 * value, "ms"
    return f"{value:.0f}{SPACE}{unit}" if value >= 100 else f"{value:.3g}{SPACE}{unit}"


def ratio(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.2f}"


def goal(case: dict[str, Any]) -> str:
    if case["target"] is None:
        return ""
    missed = " (missed)" if case["verdict"] == "MISSED" else ""
    return f"{'≤' if case['at_most'] else '≥'}{SPACE}{case['target']:g}{missed}"


def heading(name: str, data: dict[str, Any], up: str) -> str:
    """Command, file, date, processor and versions, in one paragraph; `up` leads from the page to the root."""
    source = FILES.get(name, name)
    machine, date = data["machine"], data["date"]
    threads = f"{machine['threads']} thread{'s' if machine['threads'] > 1 else ''}"
    threads += f", {machine['clock']} time" if "clock" in machine else ""
    versions = data.get("versions")  # older records have none
    packages = ", ".join(f"{package} {version}" for package, version in versions.items()) if versions else ""
    return (
        f"`python -m benchmarks.{COMMANDS[name]}`, recorded {date} in "
        f"[{source}.json]({up}/benchmarks/results/{source}.json).\n"
        f"{machine['cpu']}, {threads}, {machine['simd']}; Python {machine['python']}"
        f"{f', {packages}' if packages else '; versions of packages were not recorded'}.\n"
    )


def rows(header: Iterable[str], body: Iterable[Iterable[str]]) -> str:
    header = list(header)
    lines = [header, ["---"] * len(header), *body]
    return "".join(f"| {' | '.join(cell.replace('*', chr(92) + '*') for cell in line)} |\n" for line in lines)


def comparison(name: str, data: dict[str, Any]) -> str:
    """One row per case, in the order of the file."""
    labels = LABELS.get(name, {})
    return rows(
        ["case", "compared with", "mercer", "other", "ratio", "goal"],
        (
            [
                labels.get(case["name"], case["name"]),
                OTHERS.get(case["rival_name"], case["rival_name"]),
                quantity(case["mercer"], case.get("unit", "s")),
                quantity(case["rival"], case.get("unit", "s")),
                ratio(case["ratio"]),
                goal(case),
            ]
            for case in data["cases"]
        ),
    )


def machines(data: dict[str, Any]) -> str:
    """Both rivals side by side; the ratio is to the faster."""
    body = []
    for case in data["cases"]:
        seconds = case["notes"]["seconds"]
        times = [quantity(seconds[who]) if who in seconds else "–" for who in ("mercer", "sklearn", "sklearnex")]
        body.append([LABELS["svm"][case["name"]], *times, ratio(case["ratio"]), goal(case)])
    return rows(["case", "mercer", "scikit-learn", "scikit-learn-intelex", "ratio", "goal"], body)


def memory(data: dict[str, Any]) -> str:
    return rows(
        ["fit", "`cache_size`", "peak above data and libraries", "goal"],
        (
            [
                case["name"].removeprefix("memory "),
                f"{case['cache']}{SPACE}MB",
                f"{case['above_data']}{SPACE}MB",
                f"≤{SPACE}{case['allowed']}{SPACE}MB{'' if case['verdict'] == 'met' else ' (missed)'}",
            ]
            for case in data["memory"]
        ),
    )


def goals(data: dict[str, Any]) -> str:
    """One row per goal, and per number without one."""
    body = []
    for row in data["goals"]:
        bound = "" if row["goal"] is None else f"{'≥' if row['at_least'] else '≤'}{SPACE}{row['goal']:g}"
        missed = " (missed)" if row["verdict"] == "MISSED" else ""
        body.append([row["name"], quantity(row["value"], row["unit"]).rstrip(SPACE), f"{bound}{missed}"])
    return rows(["what", "value", "goal"], body)


def cost_model(data: dict[str, Any]) -> str:
    """Coefficients of the models of time and memory, and their errors on points that were held out."""
    body = []
    for what, unit, scale in (("time", "ns", 1e9), ("memory", "bytes", 1.0)):
        model = data["models"][what]
        parts = [
            f"{scale * value / 1e6:.2g}·10⁶" if name == "1" else f"{scale * value:.2g}{SPACE}{name}"
            for name, value in model["coefficients"].items()
            if value
        ]
        errors = [f"{100 * model[f'{which} relative error']:.0f}{SPACE}%" for which in ("median", "largest")]
        body.append([f"{what} in {unit}", " + ".join(parts), *errors])
    return rows(["", "model", "median error", "largest error"], body)


def accuracy_tables(data: dict[str, Any]) -> str:
    """Automatic models beside gradient boosting."""
    from benchmarks.tables.page import body  # it imports this module

    return body(data)


def accuracy_tables_rare(data: dict[str, Any]) -> str:
    """The same with rare classes."""
    from benchmarks.tables.page import rare_body

    return rare_body(data)


BODIES = {
    "svm": machines,
    "svm_memory": memory,
    "scale_goals": goals,
    "cost_model": cost_model,
    "accuracy_tables": accuracy_tables,
    "accuracy_tables_rare": accuracy_tables_rare,
}


def body(name: str, data: dict[str, Any]) -> str:
    """The table of a benchmark."""
    from benchmarks import accuracy_page  # it imports this module

    own = {**BODIES, **accuracy_page.BODIES}
    return own[name](data) if name in own else comparison(name, data)


def table(name: str, up: str = "..") -> str:
    """The text of one region."""
    source = FILES.get(name, name)
    if not (RESULTS / f"{source}.json").exists():
        return f"Not recorded: `python -m benchmarks.{COMMANDS[name]}` measures it.\n"
    data = results(source)
    return f"{heading(name, data, up)}\n{body(name, data)}"


def filled(page: Path) -> str:
    """The text of a page with every region written anew."""
    up = "/".join(".." for _ in page.relative_to(ROOT).parents[:-1])
    return REGION.sub(lambda found: f"{found[1]}\n{table(found[2], up)}\n{found[3]}", page.read_text(encoding="utf-8"))


def main() -> None:
    for page in PAGES:
        text = filled(page)
        page.write_text(text, encoding="utf-8")
        print(f"{page.relative_to(ROOT)}: {len(REGION.findall(text))} tables written")


if __name__ == "__main__":
    main()
