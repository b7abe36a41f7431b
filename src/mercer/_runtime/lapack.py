"""BLAS and LAPACK routines of SciPy that release the GIL and work on parts of a matrix in place.

The functions of `scipy.linalg.blas` and `scipy.linalg.lapack` hold the GIL, so that no other thread can wait for Ctrl-C
while they run, and they copy a part of a matrix before they work on it. The same routines are available as C pointers
in `scipy.linalg.cython_blas` and `scipy.linalg.cython_lapack`.
"""

import ctypes
from functools import cache
from typing import Any

import numpy as np

__all__ = ["call", "column_stride", "integers"]

_LETTER = {np.dtype(np.float32): "s", np.dtype(np.float64): "d"}
_SCALAR = {"s": ctypes.c_float, "d": ctypes.c_double}


def call(name: str, dtype: Any, *arguments: Any) -> int:
    """Call a routine by its name without the letter of the type.

    Parameters
    ----------
    name : str
        Name such as ``"potrf"``. The argument `info` is added if the routine has one.
    dtype : dtype
        float32 or float64.
    *arguments : str, int, float or ndarray
        Arguments as in Fortran. Arrays are passed as pointers to their first number and are not checked. The caller is
        responsible for their type, size and layout.

    Returns
    -------
    int
        `info`; 0 for routines without it.
    """
    routine, n_arguments, integer, scalar = _routine(name, _LETTER[np.dtype(dtype)])
    info = integer(0)
    passed = [_pointer(argument, integer, scalar) for argument in arguments]
    if len(passed) < n_arguments:
        passed.append(ctypes.byref(info))
    if len(passed) != n_arguments:
        raise TypeError(f"{name}: expected {n_arguments} arguments with info, got {len(arguments)}.")
    routine(*passed)
    return int(info.value)


def integers(n: int) -> Any:
    """Return an array of n integers of LAPACK's integer type."""
    return np.zeros(max(1, n), dtype=_routine("potrf", "d")[2])


def column_stride(A: Any) -> int:
    """Return the distance between two columns of a (part of a) column-major matrix, LAPACK's leading dimension.

    Matrices of another layout raise ValueError, because LAPACK would read and write outside of them.
    """
    if A.shape[0] > 1 and A.strides[0] != A.itemsize:
        raise ValueError(f"column_stride: expected a column-major matrix, got strides {A.strides}; pass its transpose.")
    return int(max(1, A.shape[0], A.strides[1] // A.itemsize if A.shape[1] > 1 else 1))


def _pointer(argument: Any, integer: Any, scalar: Any) -> Any:
    if isinstance(argument, np.ndarray):
        return ctypes.c_void_p(argument.ctypes.data)
    if isinstance(argument, str):
        return ctypes.c_char_p(argument.encode())
    return ctypes.byref(integer(argument) if isinstance(argument, int) else scalar(argument))


@cache
def _routine(name: str, letter: str) -> tuple[Any, int, Any, Any]:
    """Return the function, the number of its arguments, and the types of its integers and scalars."""
    from scipy.linalg import cython_blas, cython_lapack

    capsule = {**cython_lapack.__pyx_capi__, **cython_blas.__pyx_capi__}[letter + name]
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    signature = api.PyCapsule_GetName(capsule)
    types = signature.decode().partition("(")[2].rstrip(")").split(", ")
    prototype = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(types))  # releases the GIL
    routine = prototype(api.PyCapsule_GetPointer(capsule, signature))
    integer = ctypes.c_int if "int *" in types else ctypes.c_int64
    return routine, len(types), integer, _SCALAR[letter]
