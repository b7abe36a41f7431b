"""Computations of ``mercer check``."""

from dataclasses import asdict
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._validation import as_dense
from mercer.cli.shared.inputs import Samples
from mercer.data.frames import as_frame
from mercer.kernels import Counterexample, GramReport, Kernel, check_gram, find_counterexample, kernel

__all__ = ["Findings"]


class Findings:
    """Certificate of a kernel, its Gram matrix on data, and the search for a counterexample."""

    def __init__(self, text: str, conditional: bool, seed: int) -> None:
        self.kernel: Kernel = kernel(text)
        self.certificate = self.kernel.certificate()
        self.conditional, self.seed = conditional, seed
        verdict = self.certificate.definiteness
        self.proved = verdict.conditional if conditional else verdict.value == "psd"
        self.counterexample: Counterexample | None = None
        self.report: GramReport | None = None
        self.samples: Samples | None = None
        self.unsearched: str | None = None

    def examine(self, samples: Samples) -> None:
        """Check the Gram matrix of the samples."""
        self.samples = samples
        self.report = check_gram(self.kernel(samples.X))

    def search(self) -> None:
        """Search for a counterexample, among the samples if given; skipped if the kernel is proved valid."""
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
        """One of "refuted", "proved", "not refuted" and "valid on the data"."""
        refuted_by_proof = self.samples is None and self.certificate.definiteness.value == "not_psd"
        if self.counterexample is not None or self._violated or (refuted_by_proof and not self.conditional):
            return "refuted"
        if self.proved:
            return "proved"
        return "not refuted" if self.report is None else "valid on the data"

    def plain(self) -> dict[str, Any]:
        """Return all findings as plain data."""
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
    frame = as_frame(points)
    if frame is not None:
        return list(frame.iter_rows(named=True))
    if sp.issparse(points):
        points = as_dense("check", points)
    return points.tolist() if isinstance(points, np.ndarray) else [str(point) for point in points]
