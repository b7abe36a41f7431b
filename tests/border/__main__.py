"""Hands malformed inputs to every entry point: ``python -m tests.border --cases 1000000``."""

import os

# Read when NumPy and the core are imported. Matrices are small, and more threads would wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import faulthandler
import sys
from collections import Counter

from tests.border.case import judge
from tests.border.kinds import KINDS, case_of
from tests.border.runner import grouped, planned, run, write


def main() -> int:
    """Run cases and list the findings; the exit status is 1 if there are any."""
    parser = argparse.ArgumentParser(prog="python -m tests.border", description=__doc__)
    parser.add_argument("--cases", type=int, default=5000, help="number of cases (default: 5000)")
    parser.add_argument("--kind", choices=sorted(KINDS), action="append", default=[], help="only this kind; repeatable")
    parser.add_argument("--case", type=int, help="run this one case of the kind in the process itself")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--skip", type=int, default=0, help="begin behind the cases of a run of this many")
    parser.add_argument("--batch", type=int, default=250, help="cases of a process")
    parser.add_argument("--json", help="write all findings to this file, one per line")
    parser.add_argument("--shown", type=int, default=40, help="distinct findings that are listed")
    options = parser.parse_args()
    faulthandler.enable()
    if options.case is not None:
        if len(options.kind) != 1:
            parser.error("--case needs one --kind")
        case = case_of(options.seed, options.kind[0], options.case)
        sys.stdout.write(f"{case.what} -> {case.entry}, must {case.must}\n")
        sys.stdout.flush()
        fault = judge(case)
        sys.stdout.write(f"{fault.symptom}: {fault.detail}\n" if fault else "as it must be\n")
        return int(fault is not None)
    tell = (lambda text: print(text, file=sys.stderr)) if sys.stderr.isatty() else None  # noqa: T201
    plan = planned(options.cases, options.kind, options.skip)
    findings = run(plan, options.seed, batch=options.batch, tell=tell)
    if options.json:
        write(findings, options.json)
    groups = list(grouped(findings))
    for _, group in groups[: options.shown]:
        sys.stdout.write(f"{len(group)} x {group[0]}\n")
    counts = Counter(finding.symptom for finding in findings)
    told = ", ".join(f"{n} {symptom}" for symptom, n in counts.most_common()) or "no findings"
    sys.stdout.write(f"{len(plan)} cases, {len(groups)} distinct findings: {told}\n")
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main())
