"""Automatic models beside gradient boosting on a folder of tables: errors, ranks and seconds.

``python -m benchmarks.accuracy_tables --data PATH``, with the folder that holds tables/adult and so on. Tables are
split 70 to 30, stratified by class, with 5 seeds up to 10 000 rows and 2 above; every method has its defaults. Results
are stored after every fit, and what is stored is not computed again, unless the version of a method has changed or
``--again METHOD`` asks for it. Methods that are not installed keep their stored results. ``--rare`` thins tables of two
classes to one positive sample in a hundred. ``--stored`` fits nothing and prints the comparison.
"""

import argparse
import time
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.rivals.harness import machine
from benchmarks.tables import page, plot, ranks, rare
from benchmarks.tables.facts import FACTS, Table, read, split
from benchmarks.tables.methods import METHODS, Method, prototype
from benchmarks.tables.names import DEFAULT, LABELS
from benchmarks.tables.scores import scored
from benchmarks.tables.store import RESULTS, Key, Row, Store


def fitted(method: Method, table: Table, seed: int, mode: str, threads: int) -> Row:
    """Scores and seconds of one fit; a fit that raises has the message instead of scores."""
    train, test = split(table, seed)
    X, y, X_test, y_test = table.X.iloc[train], table.y[train], table.X.iloc[test], table.y[test]
    seconds = {"fit_seconds": 0.0, "fit_cpu_seconds": 0.0, "predict_seconds": 0.0}
    with threadpool_limits(threads):
        try:
            start, cpu = time.perf_counter(), time.process_time()
            model = method.make(table.task, X, seed, threads, **method.params)
            model.fit(X, y)
            seconds["fit_seconds"] = time.perf_counter() - start
            seconds["fit_cpu_seconds"] = time.process_time() - cpu  # unlike the former, the same on a busy machine
            start = time.perf_counter()
            predicted = np.asarray(model.predict(X_test)).ravel()
            seconds["predict_seconds"] = time.perf_counter() - start
            scores = scored(model, X_test, y_test, predicted, mode, table.classes)
        except Exception as error:  # a library that fails on a table ranks last there, and the others go on
            return {"scores": {}, "failed": f"{type(error).__name__}: {error}"[:300], **seconds}
    return {"scores": {name: float(f"{value:.6g}") for name, value in scores.items()}, **_rounded(seconds)}


def _rounded(seconds: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in seconds.items()}


def tasks(args: argparse.Namespace, name: str, methods: dict[str, Method], store: Store) -> list[Key]:
    """Fits of a table that are not stored, seed by seed."""
    default = rare.SEEDS if args.mode == "rare" else FACTS[name].seeds
    keys = [(args.mode, name, seed, who) for seed in range(args.seeds or default) for who in methods]
    return [key for key in keys if not store.valid(key, str(methods[key[3]].version), methods[key[3]].params)]


def run(args: argparse.Namespace, methods: dict[str, Method], store: Store) -> None:
    """Fit what is not stored, small tables first."""
    for name in args.tables:
        missing = tasks(args, name, methods, store)
        if not missing or (args.mode == "rare" and FACTS[name].task != "classification"):
            continue
        table = read(args.data, name)
        if args.mode == "rare" and (reason := rare.refused(table)):
            print(f"{name}: left out, {reason}")
            continue
        for mode, _, seed, who in missing:
            method = methods[who]
            used = rare.thinned(table, seed) if mode == "rare" else table
            row: Row = {"mode": mode, "table": name, "seed": seed, "method": who, "task": table.task, "size": used.size}
            row |= {"package": method.package, "version": method.version, "params": method.params}
            row |= {"threads": args.threads, "date": date.today().isoformat()}
            row |= fitted(method, used, seed, mode, args.threads)
            store.add(row)
            shown = row.get("failed") or "  ".join(f"{key} {value:.4f}" for key, value in row["scores"].items())
            times = f"{row['fit_seconds']:8.2f} s {row['predict_seconds']:7.2f} s"
            print(f"{name:20}{seed:2} {LABELS[who]:22}{times}  {shown}", flush=True)


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder that holds tables/")
    parser.add_argument("--tables", nargs="+", choices=list(FACTS), default=list(FACTS), metavar="TABLE")
    parser.add_argument("--max-rows", type=int, default=None, help="leave larger tables out")
    parser.add_argument("--methods", nargs="+", choices=[*LABELS], default=None, metavar="METHOD")
    parser.add_argument("--seeds", type=int, default=None, help="splits per table, instead of 5 or 2")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path, default=RESULTS, help="stored results")
    parser.add_argument("--again", nargs="+", choices=[*LABELS], default=[], metavar="METHOD", help="compute anew")
    parser.add_argument("--prototype", type=Path, default=None, help="Python file that defines AutoKernel(reg)")
    parser.add_argument("--rare", dest="mode", action="store_const", const="rare", default="tables")
    parser.add_argument("--stored", action="store_true", help="fit nothing, print what is stored")
    parser.add_argument("--plot", type=Path, default=None, help="critical-difference diagram, PNG")
    parser.add_argument("--page", type=Path, default=None, help="the comparison as Markdown")
    args = parser.parse_args(argv)
    if args.data is None and not args.stored:
        parser.error("--data is required, except with --stored")
    if args.methods is None:
        args.methods = DEFAULT[args.mode] + (["prototype"] if args.prototype else [])
    args.tables = [name for name in FACTS if name in args.tables and FACTS[name].rows <= (args.max_rows or np.inf)]
    return args


def available(args: argparse.Namespace) -> dict[str, Method]:
    """Chosen methods that can be run here; the others are named."""
    known = {**METHODS, **({"prototype": prototype(args.prototype)} if args.prototype else {})}
    chosen = {name: known[name] for name in args.methods if name in known and known[name].version is not None}
    for name in args.methods:
        if name not in chosen:
            print(f"{LABELS[name]} is not installed; its stored results are used.")
    return chosen


def main(argv: list[str] | None = None) -> None:
    """Fit, store and compare."""
    args = arguments(argv)
    store = Store(args.json, {"date": date.today().isoformat(), "machine": {**machine(), "threads": args.threads}})
    if not args.stored:
        methods = available(args)
        gone = store.drop(
            lambda row: row["mode"] == args.mode and row["method"] in args.again and row["table"] in args.tables
        )
        if gone:
            print(f"{gone} stored results are computed anew; if interrupted, continue without --again.")
        run(args, methods, store)
    report(args, {"results": list(store.rows.values())})


def report(args: argparse.Namespace, data: dict[str, Any]) -> None:
    """Print the comparison of the chosen methods and tables; write page and picture if asked."""
    data["results"] = [row for row in data["results"] if row["table"] in args.tables]
    text = (page.rare_body if args.mode == "rare" else page.body)(data, args.methods)
    print(f"\n{text}")
    if args.page:
        args.page.write_text(text, encoding="utf-8")
    known = [method for method in args.methods if method in page.present(data["results"], "tables")]
    found = ranks.errors(data["results"], known) if known and args.mode == "tables" else {}
    if args.plot and len(known) > 1 and found:
        difference = ranks.critical_difference(len(known), len(found))
        plot.draw(ranks.mean_ranks(found), difference, len(found), args.plot)


if __name__ == "__main__":
    main()
