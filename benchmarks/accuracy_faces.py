"""Face recognition after Yang (2001): leave-one-out errors on the ORL and Yale faces, and choices that matter.

``python -m benchmarks.accuracy_faces --data PATH``, with the folder that holds faces/orl and faces/yale. Besides the
two tables of `mercer faces` these are: errors on ORL with brightness kept, with homogeneous polynomials, and for grids
of ridge penalties and widths; on Yale errors for other widths, and those of discriminants without a penalty on n − c
principal components, as Belhumeur et al. (1997) compute them.
"""

import argparse
import itertools
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from benchmarks.rivals.harness import header
from mercer.datasets import Images
from mercer.faces import Fisherface, KernelEigenface, KernelFisherface, Method, block_means, face_vectors, read, table
from mercer.kernels import RBF, Polynomial

RESULTS = Path(__file__).parent / "results" / "accuracy_faces.json"
RIDGES = (0.001, 0.01, 0.1, 1.0)
WIDTHS = (0.1, 0.3, 1.0, 3.0)  # in units of 1/median² of the distances
HOMOGENEOUS = [KernelEigenface(Polynomial(degree=d, gamma=1.0, coef0=0.0)) for d in (2, 3)]


def whole(images: Images) -> list[dict[str, Any]]:
    """The table of all methods."""
    return [
        {
            "method": row.method.name,
            "errors": dict(zip(map(str, row.components), row.errors, strict=True)),
            "best": row.best_errors,
            "at": row.best_components,
            "rate": row.rate,
            "published": None if row.published is None else list(row.published),
        }
        for row in table(images).rows
    ]


def smallest(images: Images, **options: Any) -> dict[str, int]:
    """Smallest numbers of errors by method."""
    return {row.method.name: row.best_errors for row in table(images, **options).rows}


def penalties(images: Images, pixels: np.ndarray) -> list[dict[str, Any]]:
    """Errors with all discriminant directions for each penalty: linear, of degree 2, and Gaussian of some widths."""
    gamma = RBF("median").resolve(pixels).gamma
    found = []
    for ridge in RIDGES:
        methods: dict[str, Method] = {
            "Fisherface": Fisherface(ridge),
            "degree 2": KernelFisherface(Polynomial(degree=2), ridge),
            **{f"γ = {factor:g}": KernelFisherface(RBF(factor * gamma), ridge) for factor in WIDTHS},
        }
        rows = table(images, methods=list(methods.values()), components=[39]).rows
        found.append({"ridge": ridge, **{name: row.errors[-1] for name, row in zip(methods, rows, strict=True)}})
    return found


def without_penalty(X: np.ndarray, labels: np.ndarray) -> int:
    """Leave-one-out errors of discriminants on n − c principal components, by as many refits."""
    errors = 0
    for i in range(len(X)):
        rest = np.delete(np.arange(len(X)), i)
        space = [PCA(len(rest) - len(np.unique(labels))), LinearDiscriminantAnalysis(solver="eigen")]
        model = make_pipeline(*space, KNeighborsClassifier(1)).fit(X[rest], labels[rest])
        errors += int(model.predict(X[i : i + 1])[0] != labels[i])
    return errors


def widths(images: Images, X: np.ndarray, ridges: Iterable[float]) -> list[dict[str, Any]]:
    """Errors of Gaussian kernels with all discriminant directions."""
    gamma, found = RBF("median").resolve(X).gamma, []
    for ridge, factor in itertools.product(ridges, WIDTHS):
        row = table(images, methods=[KernelFisherface(RBF(factor * gamma), ridge)], components=[14]).rows[0]
        found.append({"ridge": ridge, "width": factor, "errors": row.errors[-1]})
    return found


def main() -> None:
    """Print and write everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds faces/")
    parser.add_argument("--json", type=Path, default=RESULTS)
    args = parser.parse_args()
    orl, yale = (read(args.data / "faces" / name) for name in ("orl", "yale"))
    X = face_vectors(yale)
    found = {
        "orl": whole(orl),
        "yale": whole(yale),
        "orl, brightness kept": smallest(orl, center="none"),
        "orl, homogeneous": smallest(orl, methods=HOMOGENEOUS),
        "orl, homogeneous, brightness kept": smallest(orl, methods=HOMOGENEOUS, center="none"),
        "orl, penalties": penalties(orl, face_vectors(block_means(orl.pixels, 4))),
        "yale, widths": widths(yale, X, RIDGES),
        "yale, no penalty": without_penalty(X, np.asarray(yale.labels)),
    }
    for name, value in found.items():
        print(name, json.dumps(value, ensure_ascii=False, indent=1))
    args.json.write_text(
        json.dumps({**header(["mercer", "numpy", "scikit-learn"]), **found}, ensure_ascii=False, indent=1) + "\n"
    )


if __name__ == "__main__":
    main()
