"""Parameters of estimators: one accepted name each, and nested kernels in ``set_params``."""

from functools import cache
from typing import Any, Self

from mercer._words import OneWord, refuse_other_words
from mercer.kernels import Kernel

__all__ = ["KernelParams", "Params"]


class Params(OneWord):
    """Mixin, left of ``BaseEstimator``: synonyms of a parameter are rejected with the name to use.

    Examples
    --------
    >>> from mercer.perceptron import Perceptron
    >>> Perceptron().set_params(passes=3)
    Traceback (most recent call last):
    ...
    ValueError: Perceptron: got the parameter 'passes', which is called 'max_iter'; pass max_iter=... instead.
    """

    def set_params(self, **params: Any) -> Self:
        """Set parameters of this estimator and of nested estimators.

        Parameters
        ----------
        **params : dict
            Values by name. ``name__other`` is the parameter `other` of the nested estimator `name`.

        Returns
        -------
        self
            Estimator with the new parameters.
        """
        known = self._get_param_names()  # type: ignore[attr-defined]
        refuse_other_words(type(self).__name__, params, known, ValueError)  # as scikit-learn does for unknown names
        super().set_params(**params)  # type: ignore[misc]
        return self


class KernelParams(Params):
    """Mixin, left of ``BaseEstimator``: ``set_params(kernel__0__gamma=2.0)`` replaces the kernel.

    scikit-learn changes nested objects in place. A kernel is immutable, so it is replaced by one with the changed
    parameters; other estimators with the old kernel are not affected.

    Examples
    --------
    >>> from mercer.kernels import RBF, Linear
    >>> from mercer.preprocessing import KernelRows
    >>> kernel = RBF(gamma=1.0) + Linear()
    >>> print(KernelRows(kernel).set_params(kernel__0__gamma=2.0).kernel)
    rbf(gamma=2) + linear
    >>> print(kernel)
    rbf(gamma=1) + linear
    """

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        """Cached parameter names; scikit-learn reads the signature of ``__init__`` several times in every fit."""
        return super()._get_param_names()  # type: ignore[misc,no-any-return]

    def set_params(self, **params: Any) -> Self:
        """Set parameters of this estimator, of its kernels and of nested estimators.

        Whole objects are set first, then their parameters, independent of the order in which they are given.

        Parameters
        ----------
        **params : dict
            Values by name. ``kernel__gamma`` is the parameter `gamma` of the kernel, ``kernel__0__gamma`` that of its
            first part.

        Returns
        -------
        self
            Estimator with the new parameters.
        """
        own = {name: value for name, value in params.items() if "__" not in name}
        super().set_params(**own)
        nested: dict[str, dict[str, Any]] = {}
        for name in params.keys() - own.keys():
            owner, _, path = name.partition("__")
            nested.setdefault(owner, {})[path] = params[name]
        for owner, changes in nested.items():
            value = getattr(self, owner, None)
            if isinstance(value, Kernel):
                setattr(self, owner, value.with_params(**changes))
            else:
                rest = {f"{owner}__{path}": change for path, change in changes.items()}
                super().set_params(**rest)
        return self
