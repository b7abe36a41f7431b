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

from benchmarks.table_labels import LABELS, OTHERS

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGES = tuple(
    ROOT / "docs" / page
    for page in (
        "benchmarks.md",
        "guide/scaling.md",
        "guide/auto.md",
        "guide/faces.md",
        "guide/multiple-kernel.md",
        "guide/transductive.md",
        "guide/laplacian.md",
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
    "multiple_kernel_scores": "rivals.multiple_kernel",
    "model_selection": "rivals.model_selection",
    "shapley": "rivals.shapley --mixture",
    "startup": "rivals.startup",
    "cluster_model": "cluster_model",
    "cluster_extrapolation": "cluster_model",
    "scale": "rivals.scale --data PATH --huge --threads 1",
    "scale_goals": "rivals.scale --data PATH --huge --threads 1",
    "cost_model": "cost_model",
    "cost_tables": "cost_tables",
    "dask_scale": "rivals.dask_scale",
    "accuracy_tables": "accuracy_tables --data PATH",
    "accuracy_tables_rare": "accuracy_tables --data PATH --rare",
    "accuracy_few_positives": "accuracy_few_positives --data PATH",
    "accuracy_growth": "accuracy_growth --data PATH",
    "rotated_tables": "accuracy_variants --data PATH",
    "landmark_tables": "accuracy_variants --data PATH",
    "accuracy_auto": "accuracy_auto --data PATH",
    "accuracy_few_labels": "accuracy_few_labels",
    "accuracy_faces_orl": "accuracy_faces --data PATH",
    "accuracy_faces_yale": "accuracy_faces --data PATH",
    "accuracy_faces_ridge": "accuracy_faces --data PATH",
    "semi_supervised": "semi_supervised --data PATH",
    "semi_supervised_laplacian": "semi_supervised --data PATH",
    "accuracy_strings": "accuracy_strings --data PATH",
    "accuracy_splice": "accuracy_splice --data PATH",
    "accuracy_trec": "accuracy_trec --data PATH",
    "accuracy_graphs": "accuracy_graphs --data PATH",
    "accuracy_views": "accuracy_views --data PATH",
    "accuracy_columns": "accuracy_columns --data PATH",
}
FILES = {  # of other names
    "multiple_kernel_scores": "multiple_kernel",
    "cluster_extrapolation": "cluster_model",
    "svm_memory": "svm",
    "scale_goals": "scale",
    "accuracy_tables_rare": "accuracy_tables",
    "rotated_tables": "accuracy_variants",
    "landmark_tables": "accuracy_variants",
    "semi_supervised_laplacian": "semi_supervised",
    "accuracy_faces_orl": "accuracy_faces",
    "accuracy_faces_yale": "accuracy_faces",
    "accuracy_faces_ridge": "accuracy_faces",
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
    return (
        f"`python -m benchmarks.{COMMANDS[name]}`, recorded {data['date']} in "
        f"[{source}.json]({up}/benchmarks/results/{source}.json).\n"
        f"{place(data)}.\n"
    )


def place(data: dict[str, Any]) -> str:
    """Processor and versions."""
    machine = data["machine"]
    threads = f"{machine['threads']} thread{'s' if machine['threads'] > 1 else ''}"
    threads += f", {machine['clock']} time" if "clock" in machine else ""
    packages = ", ".join(f"{package} {version}" for package, version in data["versions"].items())
    return f"{machine['cpu']}, {threads}, {machine['simd']}; Python {machine['python']}, {packages}"


def older(name: str, data: dict[str, Any]) -> str:
    """Date, processor and versions of rows that were recorded before the others, as `harness.merge` marks them."""
    found: dict[str, list[str]] = {}
    for row in (row for part in ("cases", "goals") for row in data.get(part, []) if "date" in row):
        moved = "machine" in row or "versions" in row
        origin = f"{row['date']}{f' on {place({**data, **row})}' if moved else ''}"
        found.setdefault(origin, []).append(LABELS.get(name, {}).get(row["name"], row["name"]))
    return "".join(f"\nRecorded {origin}: {span(names)}.\n" for origin, names in found.items())


def span(names: list[str]) -> str:
    """One or two names, or the first and the last of several."""
    return " and ".join(names) if len(names) < 3 else f"{len(names)} rows, from “{names[0]}” to “{names[-1]}”"


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


def kernel_weights(data: dict[str, Any]) -> str:
    """Times and scores of multiple kernel learning, or the relative gap where there is no rival."""

    def cell(case: dict[str, Any], who: str, name: str) -> str:
        score = case["notes"].get("mean R² on other samples", {}).get(name)
        return quantity(case[who]) + ("" if score is None else f", R² {score:.3f}")

    body = []
    for case in data["cases"]:
        gap = case["notes"].get("relative gap")
        rival = OTHERS.get(case["rival_name"], case["rival_name"])
        label = LABELS["multiple_kernel"][case["name"]] + ("" if gap is None else f", gap {gap:.1g}")
        body.append(
            [label, cell(case, "mercer", "mercer"), f"{rival} {cell(case, 'rival', rival)}", ratio(case["ratio"])]
        )
    return rows(["task", "mercer", "compared with", "ratio"], body)


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


def on_workers(data: dict[str, Any]) -> str:
    """Goals, and ratios of times."""
    body = [
        [f"{case['name']}: speed relative to {case['rival_name']}", ratio(case["ratio"]), goal(case)]
        for case in data["cases"]
    ]
    return goals(data) + rows(["", "", ""], body).split("\n", 2)[2]


def cost_model(data: dict[str, Any]) -> str:
    """Coefficients of the models of time and memory, and their errors on points that were held out."""
    body = []
    for what, unit, scale in (("time", "ns", 1e9), ("memory", "bytes", 1.0)):
        model = data["models"][what]
        errors = [percent(model[f"{which} relative error"]) for which in ("median", "largest")]
        body.append([f"{what} in {unit}", terms(model["coefficients"], scale), *errors])
    return rows(["", "model", "median error", "largest error"], body)


def terms(coefficients: dict[str, float], scale: float) -> str:
    """A model as a sum."""
    return " + ".join(
        millions(scale * value) if name == "1" else f"{coefficient(scale * value)}{SPACE}{name}"
        for name, value in coefficients.items()
        if value
    )


def millions(value: float) -> str:
    return f"{coefficient(value / 1e6)}·10⁶"


def coefficient(value: float) -> str:
    """Two digits, without exponents of Python."""
    if value >= 1e6:
        return millions(value)
    return f"{value:.0f}" if value >= 100 else f"{value:.2g}"


def percent(value: float) -> str:
    return f"{100 * value:.0f}{SPACE}%"


def cluster_model(data: dict[str, Any]) -> str:
    """Models of fits on workers, with their errors on points that were held out and on the largest n."""
    body = []
    for what, model in data["models"].items():
        unit, scale = ("ns", 1e9) if what == "time" else ("bytes", 1.0)
        errors = [model["median relative error"], model["largest relative error"], model["largest size"]["largest"]]
        body.append([f"{what} in {unit}", terms(model["coefficients"], scale), *map(percent, errors)])
    largest = f"largest error for n = {data['models']['time']['largest size']['n']}"
    return rows(["", "model", "median error", "largest error", largest], body)


def cluster_extrapolation(data: dict[str, Any]) -> str:
    """What the models say about 10⁹ samples, with intervals."""

    def interval(found: dict[str, float], scale: float, unit: str) -> str:
        value, low, high = (f"{scale * found[key]:.3g}" for key in ("value", "low", "high"))
        return f"{value}{SPACE}{unit} ({low} to {high})"

    body = [
        [
            f"{row['workers']}",
            interval(row["seconds"], 1.0, "s"),
            f"{row['seconds of client and scheduler']:.3g}{SPACE}s",
            interval(row["worker bytes"], 1e-6, "MB"),
            interval(row["client bytes"], 1e-9, "GB"),
        ]
        for row in data["extrapolation"]
    ]
    return rows(["workers", "time", "of it client and scheduler", "memory of a worker", "memory of the client"], body)


def accuracy_tables(data: dict[str, Any]) -> str:
    """Automatic models beside gradient boosting."""
    from benchmarks.tables.page import body  # it imports this module

    return body(data)


def accuracy_tables_rare(data: dict[str, Any]) -> str:
    """The same with rare classes."""
    from benchmarks.tables.page import rare_body

    return rare_body(data)


BODIES = {
    "cluster_model": cluster_model,
    "cluster_extrapolation": cluster_extrapolation,
    "multiple_kernel_scores": kernel_weights,
    "svm": machines,
    "svm_memory": memory,
    "scale_goals": goals,
    "dask_scale": on_workers,
    "cost_tables": goals,
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
    return f"{heading(name, data, up)}\n{body(name, data)}{older(name, data)}"


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
