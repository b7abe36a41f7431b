"""``mercer check``: whether a function is a kernel, on all data or on these."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from mercer.cli.shared.options import Code, Flag, Json, Rows, Seed, Target

if TYPE_CHECKING:
    from mercer.cli.shared.inputs import Samples
    from mercer.kernels import Counterexample, GramReport, Kernel

__all__ = ["check"]

REFUTED = 3


def check(
    kernel: str,
    data: str | None = None,
    /,
    *,
    target: Target = None,
    conditional: Flag = False,
    rows: Rows = 1000,
    seed: Seed = 0,
    json: Json = False,
    code: Code = False,
) -> int:
    """Prove that a kernel is valid, or show where it fails.

    Prints the proof tree of the certificate. What is not proved is searched for a counterexample; with DATA the Gram
    matrix is examined too. Ends with exit code 3 if the kernel was refuted, else 0: proved, or no violation found.

    Parameters
    ----------
    kernel
        A name (rbf) or an expression in quotes ("rbf(gamma=0.1) - linear").
    data
        A file, a folder or a bundled name, to check the kernel on these samples.
    target
        Column to leave out of the samples.
    conditional
        Ask only for conditional definiteness, which is enough where data are centred.
    """
    from mercer.cli.shared.output import print_code, print_json, terminal

    if code:
        print_code(_program(kernel, data, target, conditional, rows, seed), json=json)
        return 0
    found = _Findings(kernel, conditional, seed)
    if data is not None:
        from mercer.cli.shared.inputs import read_samples

        found.examine(read_samples(data, target=target, supervised=False).draw(rows or None, seed))
    found.search()
    if json:
        print_json(found.plain())
    else:
        from mercer.cli.check.display import show_findings

        show_findings(terminal(), found.plain(), found.counterexample)
    return REFUTED if found.outcome == "refuted" else 0


class _Findings:
    """What the certificate, the data and the search say."""

    def __init__(self, text: str, conditional: bool, seed: int) -> None:
        import mercer

        self.kernel: Kernel = mercer.kernel(text)
        self.certificate = self.kernel.certificate()
        self.conditional, self.seed = conditional, seed
        verdict = self.certificate.definiteness
        self.proved = verdict.conditional if conditional else verdict.value == "psd"
        self.counterexample: Counterexample | None = None
        self.report: GramReport | None = None
        self.samples: Samples | None = None
        self.unsearched: str | None = None

    def examine(self, samples: "Samples") -> None:
        """The Gram matrix on data."""
        from mercer.kernels import check_gram

        self.samples = samples
        self.report = check_gram(self.kernel(samples.X))

    def search(self) -> None:
        """A counterexample, among the data if there are any; not where a proof says that there is none."""
        from mercer.kernels import find_counterexample

        if self.proved and not self._violated:
            return
        source = None if self.samples is None else self.samples.X
        try:
            self.counterexample = find_counterexample(
                self.kernel, source, conditional=self.conditional, random_state=self.seed
            )
        except ValueError as error:
            if source is not None:
                raise
            self.unsearched = str(error)

    @property
    def _violated(self) -> bool:
        report = self.report
        return report is not None and not (report.is_cpd if self.conditional else report.is_psd)

    @property
    def outcome(self) -> str:
        refuted_by_proof = self.samples is None and self.certificate.definiteness.value == "not_psd"
        if self.counterexample is not None or self._violated or (refuted_by_proof and not self.conditional):
            return "refuted"
        if self.proved:
            return "proved"
        return "not refuted" if self.report is None else "valid on the data"

    def plain(self) -> dict[str, Any]:
        """All of it as plain data."""
        found, samples = self.counterexample, self.samples
        return {
            "kernel": str(self.kernel),
            "asked": "cpd" if self.conditional else "psd",
            "outcome": self.outcome,
            "certificate": self.certificate.to_dict(),
            "data": None
            if samples is None or self.report is None
            else {
                "name": samples.name,
                "rows": samples.n,
                "of": samples.total,
                "notes": list(samples.notes),
                "gram": {**asdict(self.report), "verdict": self.report.verdict},
            },
            "counterexample": None
            if found is None
            else {
                "kind": found.kind,
                "kernel": str(found.kernel),
                "points": _records(found.points),
                "t": found.t,
                "value": found.value,
            },
            "unsearched": self.unsearched,
        }


def _records(points: Any) -> list[Any]:
    """One entry for each sample."""
    import numpy as np
    import scipy.sparse as sp

    from mercer.data.frames import as_frame

    frame = as_frame(points)
    if frame is not None:
        return list(frame.iter_rows(named=True))
    if sp.issparse(points):
        points = points.toarray()
    return points.tolist() if isinstance(points, np.ndarray) else [str(point) for point in points]


def _program(kernel: str, data: str | None, target: str | None, conditional: bool, rows: int, seed: int) -> list[str]:
    from mercer.cli.shared.inputs import COUNTING, READING, imports, quoted, reading_program, sampling_program

    options = ", conditional=True" * conditional + f", random_state={seed}" * bool(seed)
    lines = [f"kernel = mercer.kernel({quoted(kernel)})", "print(kernel.certificate())"]
    if data is None:
        return ["import mercer", "", *lines, f"print(mercer.find_counterexample(kernel{options}))"]
    return [
        *imports(["import mercer"], READING, COUNTING),
        "",
        *reading_program(data, target, supervised=False),
        *sampling_program(rows or None, seed),
        *lines,
        "print(mercer.check_gram(kernel(X)))",
        f"print(mercer.find_counterexample(kernel, X{options}))",
    ]
