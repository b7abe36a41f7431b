"""Errors and warnings of mercer.

Every message names the object that raises it, what was expected, what was given, and what to do. Errors derive from the
built-in classes that callers already catch (``ValueError``, ``MemoryError``, ``RuntimeError``), so handling them does
not require this module.
"""

__all__ = [
    "ClusterError",
    "CostLimitError",
    "IndefiniteKernelWarning",
    "KernelSyntaxError",
    "MemoryLimitError",
    "NoFeatureMapError",
    "NoGradientError",
    "NotPositiveDefiniteError",
    "NotSeparableError",
    "UnusedParameterWarning",
    "VersionWarning",
]


class NotPositiveDefiniteError(ValueError):
    """Raised when a method needs a positive semidefinite kernel or matrix and was given one that is not.

    Methods that factorise the Gram matrix, take square roots of its eigenvalues or measure distances in feature space
    raise it, because their result is not defined otherwise. It derives from `ValueError`.

    See Also
    --------
    IndefiniteKernelWarning : Issued by support vector machines, which can be trained with an indefinite kernel.
    mercer.kernels.find_counterexample : Search for data whose Gram matrix has a negative eigenvalue.
    mercer.preprocessing.KernelRepair : Make an indefinite Gram matrix positive semidefinite.

    Examples
    --------
    >>> from mercer.kernels import Polynomial
    >>> k = Polynomial(degree=2, gamma=1.0, coef0=-1.0)
    >>> k.feature_map([[1.0, 2.0]])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    mercer.exceptions.NotPositiveDefiniteError: Polynomial: the coefficient of degree 1 is -2, ...
    """


class NoFeatureMapError(ValueError):
    """Raised when a kernel has no explicit feature map of finite dimension.

    The message names an approximation where there is one. It derives from `ValueError`.

    See Also
    --------
    mercer.preprocessing.KernelRows : Features relative to a set of landmarks, for every kernel.
    mercer.operators.gram : Gram matrix as an operator, which needs no features.

    Examples
    --------
    >>> from mercer.kernels import RBF
    >>> RBF(gamma=1.0).feature_map([[1.0, 2.0]])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    mercer.exceptions.NoFeatureMapError: RBF: has infinitely many features; pass degree=r ...
    """


class NoGradientError(ValueError):
    """Raised when a kernel has no gradient in its first argument.

    Kernels on strings, trees and graphs have none, and the derivatives of functions given by the user are unknown. It
    derives from `ValueError`.

    See Also
    --------
    mercer.kernels.Kernel.gradient : Gradients of kernel values.

    Examples
    --------
    >>> from mercer.kernels import Spectrum
    >>> Spectrum(2).gradient(["GATTACA", "CAT"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    mercer.exceptions.NoGradientError: spectrum(p=2): Spectrum has no gradient in its first argument; ...
    """


class NotSeparableError(ValueError):
    """Raised when a kernel is not a sum of products over the players whose Shapley values are wanted.

    The message names the part of the kernel and what to do. It derives from `ValueError`.

    See Also
    --------
    mercer.explain.shapley_values : Exact Shapley values of kernel expansions.

    Examples
    --------
    >>> from mercer.explain import KernelExpansion, shapley_values
    >>> from mercer.kernels import Sigmoid
    >>> f = KernelExpansion(Sigmoid(), [[1.0, 2.0]], [1.0])
    >>> shapley_values(f, [[0.5, 1.0]], [[0.0, 0.0]])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    mercer.exceptions.NotSeparableError: shapley_values: got sigmoid on the columns of 2 players, ...
    """


class KernelSyntaxError(ValueError):
    """Raised when a text does not describe a kernel, as ``"rbf(gamma=0.1) + linear"`` does.

    The message marks the position in the text and suggests a name where a similar one exists. It derives from
    `ValueError`.

    See Also
    --------
    mercer.kernels.kernel : Parses the text form of a kernel.

    Examples
    --------
    >>> from mercer.kernels import kernel
    >>> kernel("linaer")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    mercer.exceptions.KernelSyntaxError: kernel: unknown name 'linaer'; did you mean 'linear'?...
    """


class MemoryLimitError(MemoryError):
    """Raised before an allocation that would take more than 80 % of the available memory.

    Nothing has been allocated when it is raised, so the process can continue with another method. The message states
    the size of the buffer, the available memory and a cheaper way. It derives from `MemoryError`.

    See Also
    --------
    CostLimitError : The same for computing time.
    mercer.operators.gram : Gram matrix as an operator, which is evaluated by tiles.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.exceptions import MemoryLimitError
    >>> from mercer.kernels import RBF
    >>> from mercer.operators import gram
    >>> K = gram(RBF(gamma=1.0), np.zeros((10**7, 2)))
    >>> try:
    ...     K.dense()
    ... except MemoryLimitError as error:
    ...     print(str(error).split(",")[0])
    BlockedOperator: the dense matrix of 10000000 x 10000000 64-bit numbers needs 800.0 TB
    """


class CostLimitError(ValueError):
    """Raised before a computation whose parameters make one sample, or one pair of samples, take longer than 100 s.

    The time is an estimate for one core. Only parameters can exceed the limit: the number of samples does not count,
    because Ctrl-C ends a long computation. It derives from `ValueError`.

    See Also
    --------
    MemoryLimitError : The same for memory.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.data import Graphs
    >>> from mercer.kernels import RandomWalk
    >>> from mercer.operators import gram
    >>> nodes = np.arange(10_000)
    >>> path = Graphs.from_edges(np.column_stack([nodes, nodes + 1]))
    >>> gram(RandomWalk(form="steps", n_steps=100_000, labeled=False), path).dense()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    mercer.exceptions.CostLimitError: RandomWalk: 100000 steps on ...
    """


class ClusterError(RuntimeError):
    """Raised when a Dask cluster cannot run a fit or a prediction.

    It has no workers, a worker cannot import the client's version of mercer, or workers died too often while they
    computed the same block. The message names the workers. It derives from `RuntimeError`.

    See Also
    --------
    mercer.data.BlockSource : Data sets in blocks, on one machine or on a cluster.

    Examples
    --------
    >>> from mercer.exceptions import ClusterError
    >>> issubclass(ClusterError, RuntimeError)
    True
    """


class IndefiniteKernelWarning(UserWarning):
    """Issued when a support vector machine is fitted with a kernel that is proved not to be positive semidefinite.

    The dual problem may then have several local optima. The fit continues, and ``solution_.status`` is
    ``Status.NOT_PSD`` if the Gram matrix of the training samples has a negative direction that the solver met.

    See Also
    --------
    NotPositiveDefiniteError : Raised where the result is not defined for indefinite kernels.
    mercer.preprocessing.KernelRepair : Make an indefinite Gram matrix positive semidefinite.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from mercer.svm import SVC
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = SVC(kernel="sigmoid", gamma=1.0).fit(np.eye(4), [0, 1, 0, 1])
    >>> print(str(caught[0].message).split(": ")[1])
    the kernel sigmoid is not positive semidefinite
    """


class UnusedParameterWarning(UserWarning):
    """Issued when `gamma`, `degree`, `coef0` or `kernel_params` is set but not used with the given kernel.

    Kernel objects, the text form such as ``"rbf(gamma=0.1)"`` and functions have parameters of their own. The
    estimator's parameters complete only the names of scikit-learn, such as ``"rbf"`` and ``"poly"``.

    See Also
    --------
    mercer.kernels.kernel : Parses the text form of a kernel.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from mercer.ridge import KernelRidge
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = KernelRidge(kernel="rbf(gamma=1)", gamma=0.1).fit(np.eye(3), [1.0, 2.0, 3.0])
    >>> print(str(caught[0].message).split(",")[0])
    KernelRidge: gamma=0.1 is not used with the text form 'rbf(gamma=1)'
    """


class VersionWarning(UserWarning):
    """Issued when a model file was written by another minor version of mercer or scikit-learn.

    The model is loaded. Its predictions may differ from those of the version that wrote the file.

    See Also
    --------
    mercer.persistence.load : Loads a model file and issues this warning.
    mercer.persistence.about : Versions and content of a model file, without loading it.

    Examples
    --------
    Refuse files of other versions:

    >>> import warnings
    >>> from mercer.exceptions import VersionWarning
    >>> warnings.simplefilter("error", VersionWarning)
    >>> VersionWarning.__mro__[1].__name__
    'UserWarning'
    """
