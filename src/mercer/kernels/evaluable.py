"""Mixin of kernels that computes values on data: Gram matrices, diagonals, distances and features."""

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from mercer._runtime.limits import require_memory
from mercer._typing import Data, FloatArray
from mercer._validation import as_csr
from mercer.data import n_samples
from mercer.kernels import evaluate as evaluation
from mercer.kernels.metric import distances_in_place
from mercer.kernels.prepared import Prepared
from mercer.kernels.program import Builder
from mercer.kernels.sharing import sharing

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel

__all__ = ["Evaluable"]


class Evaluable:
    """Mixin of kernels with the methods that a user calls on data, all derived from the program of the kernel."""

    def __call__(  # type: ignore[misc]
        self: "Kernel", X: Data, Y: Data = None, *, out: FloatArray | None = None, n_jobs: int | None = None
    ) -> FloatArray:
        """Compute the dense Gram matrix.

        Data-dependent parameters are resolved on X. A result that does not fit in memory raises an error before it is
        allocated.

        Parameters
        ----------
        X : array, sparse matrix, list, DataFrame or container
            Samples.
        Y : array, sparse matrix, list, DataFrame or container, default=None
            Second set of samples. None means X, and only half of the values are computed.
        out : ndarray of shape (n_samples_X, n_samples_Y), default=None
            Array for the result.
        n_jobs : int, default=None
            Number of threads. None and -1 use all available threads, -2 all but one.

        Returns
        -------
        ndarray of shape (n_samples_X, n_samples_Y)
            Kernel values, in float32 if all data are float32, else in float64.
        """
        left = self.prepare(X)
        right = left if Y is None else left.kernel.prepare(Y)
        return self.block(left, right, out=out, n_jobs=n_jobs)

    def prepare(self: "Kernel", X: Data) -> Prepared:  # type: ignore[misc]
        """Convert data once for several calls of `block`.

        Data-dependent parameters are resolved on X unless they are numbers already. Parts of an expression that read
        the same samples share their conversion: a list of texts becomes one `Strings` container, whatever the number of
        string kernels.

        Parameters
        ----------
        X : array, sparse matrix, list, DataFrame or container
            Samples.

        Returns
        -------
        Prepared
            The converted samples and the resolved kernel, ``prepared.kernel``. ``prepared.take(rows)`` selects samples
            without copying.
        """
        with sharing():
            return self._prepare(X)

    def _prepare(self: "Kernel", X: Data) -> Prepared:  # type: ignore[misc]
        """Prepare data for an enclosing kernel, which shares the conversions of all its parts."""
        if n_samples(X) == 0:
            raise ValueError(f"{type(self).__name__}: X has 0 samples, expected at least 1; check how it was selected.")
        with sharing(join=True):
            X = as_csr(type(self).__name__, X) if sp.issparse(X) else X
            kernel = self._resolve(X, None)
            builder = Builder(X)
            kernel.emit(builder, X)
            return builder.finish(kernel)

    def block(  # type: ignore[misc]
        self: "Kernel", A: Prepared, B: Prepared, *, out: FloatArray | None = None, n_jobs: int | None = None
    ) -> FloatArray:
        """Compute a block of the Gram matrix between prepared data sets.

        Parameters
        ----------
        A : Prepared
            Samples prepared by `prepare`.
        B : Prepared
            Samples prepared for the same resolved kernel. ``B is A`` means that only half of the values are computed.
        out : ndarray of shape (n_samples_A, n_samples_B), default=None
            Array for the result.
        n_jobs : int, default=None
            Number of threads. None and -1 use all available threads, -2 all but one.

        Returns
        -------
        ndarray of shape (n_samples_A, n_samples_B)
            Kernel values.

        Raises
        ------
        ValueError
            If the data were prepared for another kernel.
        """
        if isinstance(A, Prepared) and self.is_resolved and A.kernel != self:
            raise ValueError(
                f"{type(self).__name__}: the data were prepared for another kernel, {A.kernel}; "
                f"call {self!s}.prepare(X)."
            )
        if out is None and isinstance(A, Prepared) and isinstance(B, Prepared):
            shape = f"{A.n} x {B.n}"
            itemsize = np.result_type(A.dtype, B.dtype).itemsize
            require_memory(
                A.n * B.n * itemsize,
                what=f"{type(self).__name__}: a dense {shape} Gram matrix of {8 * itemsize}-bit numbers",
                instead="Use mercer.operators.gram(kernel, X), which never stores the whole matrix"
                + (", or float32 data, which halves it." if itemsize == 8 else "."),
            )
        return evaluation.block(A, B, out=out, n_jobs=n_jobs)

    def diag(self: "Kernel", X: Data, *, n_jobs: int | None = None) -> FloatArray:  # type: ignore[misc]
        """Diagonal of the Gram matrix, computed without the matrix.

        Parameters
        ----------
        X : array, sparse matrix, list, DataFrame, container or Prepared
            Samples.
        n_jobs : int, default=None
            Number of threads. None and -1 use all available threads, -2 all but one.

        Returns
        -------
        ndarray of shape (n_samples,)
            Values k(x, x).
        """
        prepared = X if isinstance(X, Prepared) else self.prepare(X)
        return evaluation.paired(prepared, prepared, n_jobs=n_jobs)

    def distance(self: "Kernel", X: Data, Y: Data = None, *, n_jobs: int | None = None) -> FloatArray:  # type: ignore[misc]
        """Distances in the feature space of the kernel, √(k(x, x) + k(z, z) − 2k(x, z)).

        The distance is a pseudo-metric if the kernel is PSD or conditionally PSD.

        Parameters
        ----------
        X : array, sparse matrix, list, DataFrame or container
            Samples.
        Y : array, sparse matrix, list, DataFrame or container, default=None
            Second set of samples. None means X.
        n_jobs : int, default=None
            Number of threads. None and -1 use all available threads, -2 all but one.

        Returns
        -------
        ndarray of shape (n_samples_X, n_samples_Y)
            Distances.

        Raises
        ------
        ValueError
            If a squared distance is negative by more than rounding.
        """
        left = self.prepare(X)
        right = left if Y is None else left.kernel.prepare(Y)
        K = self.block(left, right, n_jobs=n_jobs)
        a = self.diag(left, n_jobs=n_jobs)
        b = a if right is left else self.diag(right, n_jobs=n_jobs)
        distances_in_place(str(self), K, a, b)
        if Y is None:
            np.fill_diagonal(K, 0)
        return K

    def feature_map(  # type: ignore[misc]
        self: "Kernel", X: Data, *, degree: int | None = None, maximum: int | None = None, vocabularies: Any = None
    ) -> Any:
        """Explicit features φ(X) with φ(X) φ(Z)ᵀ = k(X, Z), for kernels with a finite feature map.

        Parameters
        ----------
        X : array, sparse matrix, list, DataFrame or container
            Samples. Data-dependent parameters are resolved on them.
        degree : int, default=None
            Highest degree of the Taylor series, for kernels with infinitely many features that have one (`RBF`,
            `ExpOf`). The features are then an approximation; `RBF.taylor_bound` bounds its error.
        maximum : int, default=None
            Largest count that can occur, for kernels on integer counts (`Intersection`, `AdditiveChi2`, `Brownian`) and
            on categories 0, …, maximum (`Delta`, `Overlap`).
        vocabularies : Vocabularies, default=None
            Assignment of features to columns, for kernels on strings, trees, graphs and categories, whose features are
            those that occur in the data. The same object, read with ``again()``, gives other data the same columns.
            `mercer.preprocessing.FeatureMap` does this automatically.

        Returns
        -------
        ndarray or CSR matrix of shape (n_samples, n_features_out)
            Features; a CSR matrix if all parts of the kernel have sparse features.

        Raises
        ------
        NoFeatureMapError
            If the kernel has no finite feature map, or needs an option that is None.
        NotPositiveDefiniteError
            If the kernel is not PSD, so that no real features exist.
        """
        options = {"degree": degree, "maximum": maximum, "vocabularies": vocabularies}
        with sharing():
            return self._resolve(X, None).features(X, options)
