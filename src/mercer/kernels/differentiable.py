"""Mixin of kernels with free parameters and derivatives."""

from typing import TYPE_CHECKING, Any, cast

from mercer._typing import Data, DoubleArray

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel

__all__ = ["Differentiable"]


class Differentiable:
    """Mixin of kernels that returns free parameters as a vector, and derivatives of kernel values.

    The implementation is imported at the first call, because it needs all kernel classes.
    """

    @property
    def theta(self) -> DoubleArray:
        """Logarithms of the free parameters.

        Free are the positive numbers in which the kernel can be differentiated: widths, weights, shapes, exponents of
        distances, positive constants and factors. A parameter that is zero or negative, an integer such as a degree,
        and parameters of kernels on strings, trees and graphs are not free. A composite kernel has its own parameters
        first, then those of its parts in order.

        Returns
        -------
        ndarray of shape (n_parameters,)
            Natural logarithms; empty if there is no free parameter.

        Raises
        ------
        ValueError
            If a parameter depends on the data, such as ``gamma="scale"``.

        See Also
        --------
        with_theta : Copy of the kernel with other values.
        parameter_gradient : Derivatives in theta.

        Examples
        --------
        >>> from mercer.kernels import RBF, Linear
        >>> k = 2.0 * RBF(gamma=0.5) + Linear(coef0=1.0)
        >>> k.theta.round(4)
        array([ 0.6931, -0.6931,  0.    ])
        >>> k.theta_names
        ('0__scale', '0__kernel__gamma', '1__coef0')
        """
        from mercer.kernels.gradients.theta import theta_of

        return theta_of(cast("Kernel", self))

    @property
    def theta_names(self) -> tuple[str, ...]:
        """Names of the free parameters, in the order of `theta`.

        Returns
        -------
        tuple of str
            Nested names as in `get_params`. An entry of a vector has its index in brackets, ``"weights[2]"``.
        """
        from mercer.kernels.gradients.theta import names_of

        return names_of(cast("Kernel", self))

    @property
    def theta_bounds(self) -> DoubleArray:
        """Bounds of `theta` for optimisers.

        Within the bounds, the certificate of the kernel does not change: exponents of distances stay at most 2, and g
        of `WeightedColumns` at most 1. Other parameters range from 1e-6 to 1e6. Bounds are widened to contain the
        present value.

        Returns
        -------
        ndarray of shape (n_parameters, 2)
            Logarithms of the lower and upper bounds.
        """
        from mercer.kernels.gradients.theta import bounds_of

        return bounds_of(cast("Kernel", self))

    def with_theta(self, theta: Any) -> "Kernel":
        """Copy of the kernel with other values of its free parameters.

        Parameters
        ----------
        theta : array-like of shape (n_parameters,)
            Logarithms of the new values, in the order of `theta_names`.

        Returns
        -------
        Kernel
            New kernel. Parameters that are not free are unchanged.

        Raises
        ------
        ValueError
            If theta has another length, or a value overflows.

        Examples
        --------
        >>> import numpy as np
        >>> from mercer.kernels import Matern
        >>> Matern(gamma=(1.0, 2.0)).with_theta(np.log([3.0, 4.0])).gamma
        (3.0000000000000004, 4.0)
        """
        from mercer.kernels.gradients.theta import with_theta

        return with_theta(cast("Kernel", self), theta)

    def gradient(self, X: Data, Z: Data = None, coef: Any = None, *, n_jobs: int | None = None) -> DoubleArray:
        """Gradients of kernel values in their first argument.

        Parameters
        ----------
        X : array, sparse matrix, DataFrame or Table of shape (n_samples_X, n_features)
            Samples x_i at which the gradients are computed.
        Z : array, sparse matrix, DataFrame or Table of shape (n_samples_Z, n_features), default=None
            Second arguments z_j. None means X.
        coef : array-like of shape (n_samples_Z, n_outputs), default=None
            Coefficients c_jt. If given, the gradients of the functions f_t(x) = Σ_j c_jt k(x, z_j) are returned, and no
            array of size n_samples_X × n_samples_Z × n_features is allocated.
        n_jobs : int, default=None
            Number of threads. None and -1 use all available threads, -2 all but one.

        Returns
        -------
        ndarray of shape (n_samples_X, n_samples_Z, n_features) or (n_samples_X, n_features, n_outputs)
            Gradients of k(x_i, z_j) in x_i, or those of f_t at x_i if `coef` is given, in float64.

        Raises
        ------
        NoGradientError
            If a part of the kernel is not differentiable in x: kernels on strings, trees and graphs, functions of the
            user.
        ValueError
            If a parameter depends on the data.

        See Also
        --------
        parameter_gradient : Derivatives in the parameters.

        Notes
        -----
        At a kink, the mean of the derivatives on both sides is used. Hence a pair with x = z contributes zero to the
        gradients of kernels of a distance, and a coordinate with x_k = z_k zero to those of kernels of the L1 distance.
        Categories have gradient zero.

        The cost is O(n_samples_X · n_samples_Z · n_features), for each output if `coef` is given.

        Examples
        --------
        >>> import numpy as np
        >>> from mercer.kernels import RBF
        >>> X = np.array([[0.0, 0.0], [1.0, 0.0]])
        >>> RBF(gamma=0.5).gradient(X[:1], X).round(4) + 0.0
        array([[[0.    , 0.    ],
                [0.6065, 0.    ]]])
        """
        from mercer.kernels.gradients.contract import gradient

        return gradient(cast("Kernel", self), X, Z, coef, n_jobs)

    def parameter_gradient(self, X: Data, Z: Data, G: Any, *, n_jobs: int | None = None) -> DoubleArray:
        """Derivatives of kernel values in `theta`, summed over all pairs with weights.

        If G is the derivative of a function of the Gram matrix, the result is the derivative of the function in theta.

        Parameters
        ----------
        X : array, sparse matrix, list, DataFrame or container
            Samples x_i.
        Z : array, sparse matrix, list, DataFrame or container, or None
            Samples z_j. None means X, and only half of the pairs are computed.
        G : array-like of shape (n_samples_X, n_samples_Z)
            Weights of the kernel values.
        n_jobs : int, default=None
            Number of threads. None and -1 use all available threads, -2 all but one.

        Returns
        -------
        ndarray of shape (n_parameters,)
            Σ_ij G_ij ∂k(x_i, z_j)/∂theta, in the order of `theta_names`; empty if there is no free parameter.

        Raises
        ------
        ValueError
            If a parameter depends on the data, or G has another shape.

        See Also
        --------
        theta : The free parameters.
        gradient : Gradients in the first argument.

        Notes
        -----
        Panels of rows are processed one after the other, so that the memory does not grow with the number of
        parameters. The cost is that of a few Gram matrices, and O(n²D) for vectors of weights. The derivatives in the
        weights of `WeightedColumns` and in one gamma per column of `RBF` and `Laplacian` are summed in one pass over
        the pairs, without temporary arrays of their number.

        Examples
        --------
        The derivative of the sum of all kernel values in log γ:

        >>> import numpy as np
        >>> from mercer.kernels import RBF
        >>> X = np.array([[0.0], [1.0], [3.0]])
        >>> k = RBF(gamma=0.5)
        >>> k.parameter_gradient(X, None, np.ones((3, 3))).round(6)
        array([-1.247853])
        >>> step = 1e-6
        >>> ((k.with_theta(k.theta + step)(X) - k(X)).sum() / step).round(4)
        np.float64(-1.2479)
        """
        from mercer.kernels.gradients.contract import parameter_gradient

        return parameter_gradient(cast("Kernel", self), X, Z, G, n_jobs)
