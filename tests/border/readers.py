"""Hands damaged files to every reader, and damaged texts to `mercer.kernel`: ``python -m tests.border.readers``.

A case may take ten seconds. A crash, a case that takes longer, an exception that is not a refusal and a refusal that is
not a sentence are findings. Cases run in processes of 2000.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("POLARS_MAX_THREADS", "1")

import argparse
import faulthandler
import sys
import time
from collections import Counter

from tests.border.case import judge
from tests.border.files import FORMATS, SHARES, file_case, prepare
from tests.border.runner import Source, grouped, planned, run, write

PATIENCE = 10.0  # seconds of a case
BATCH = 2000  # so that imports, a third of a second, count little
SOURCE = Source(file_case, "tests.border.readers", PATIENCE)


def main() -> int:
    """Run cases and list the findings; the exit status is 1 if there are any."""
    parser = argparse.ArgumentParser(prog="python -m tests.border.readers", description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000, help="number of cases (default: 10000)")
    parser.add_argument(
        "--kind", choices=sorted(FORMATS), action="append", default=[], help="only this format; repeatable"
    )
    parser.add_argument("--case", type=int, help="run this one case of the format in the process itself")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--skip", type=int, default=0, help="begin behind the cases of a run of this many")
    parser.add_argument("--json", help="write all findings to this file, one per line")
    parser.add_argument("--progress", action="store_true", help="report after every batch on the standard error")
    parser.add_argument("--shown", type=int, default=40, help="distinct findings that are listed")
    options = parser.parse_args()
    faulthandler.enable()
    if options.case is not None:
        if len(options.kind) != 1:
            parser.error("--case needs one --kind")
        case = file_case(options.seed, options.kind[0], options.case)
        sys.stdout.write(f"{case.what} -> {case.entry}\n")
        sys.stdout.flush()
        fault = judge(case)
        sys.stdout.write(f"{fault.symptom}: {fault.detail}\n" if fault else "as it must be\n")
        return int(fault is not None)
    start = time.monotonic()
    plan = planned(options.cases, options.kind, options.skip, SHARES)
    tell = (lambda text: print(text, file=sys.stderr, flush=True)) if options.progress else None  # noqa: T201
    prepare()
    findings = []
    for kind in dict(plan):  # a batch has one format: after a use of polars, forks of the process cannot use it
        part = [case for case in plan if case[0] == kind]
        findings += run(part, options.seed, batch=BATCH, source=SOURCE, tell=tell)
    if options.json:
        write(findings, options.json)
    groups: dict[tuple[str, str, str], list[object]] = {}
    for (symptom, _, entry), group in grouped(findings):
        groups.setdefault((symptom, entry, group[0].detail[:40]), []).extend(group)
    for group in list(groups.values())[: options.shown]:
        sys.stdout.write(f"{len(group)} x {group[0]}\n")
    told = ", ".join(f"{n} {symptom}" for symptom, n in Counter(f.symptom for f in findings).most_common())
    formats = ", ".join(f"{kind} {n}" for kind, n in Counter(kind for kind, _ in plan).items())
    seconds = time.monotonic() - start
    sys.stdout.write(
        f"{len(plan)} cases in {seconds:.0f} s, {len(groups)} distinct findings: {told or 'no findings'}\n{formats}\n"
    )
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main())
