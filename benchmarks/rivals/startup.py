"""What an import costs: ``python -m benchmarks.rivals.startup``. Fresh processes, alternating, medians."""

import statistics

from benchmarks.rivals.harness import Case, in_fresh_process, options, report

TIMED = """
import json, time
import sklearn.base
start = time.perf_counter()
{statement}
print(json.dumps({{"seconds": time.perf_counter() - start}}))
"""


def main() -> None:
    args = options(__doc__ or "").parse_args()
    statements = {"import mercer": "import mercer", "import mercer.kernels": "import mercer.kernels", "nothing": "pass"}
    times: dict[str, list[float]] = {name: [] for name in statements}
    for _ in range(args.repeats):
        for name, statement in statements.items():
            times[name].append(in_fresh_process(TIMED.format(statement=statement))["seconds"])
    median = {name: statistics.median(values) for name, values in times.items()}
    cases = [
        Case(f"{name} after sklearn.base", median[name], 0.150, "150 ms", 1.0, at_most=True)
        for name in statements
        if name != "nothing"
    ]
    report("Start-up", cases, {}, ["mercer", "scikit-learn"], args.json)


if __name__ == "__main__":
    main()
