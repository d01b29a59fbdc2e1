"""Eigenvectors of symmetric matrices, by as many threads at once as call for them.

SciPy holds the GIL while LAPACK works, and NumPy works in double precision. Single precision takes some 60 % of
the time, so LAPACK is called here without the GIL, by the pointer that SciPy publishes for Cython.
"""

import ctypes
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cython_lapack

from ..qubo import Matrix

# Rows from which single precision is quicker.
SINGLE = 50
# jobz, uplo, n, a, lda, w, work, lwork, iwork, liwork, info: all of them by their address.
ARGUMENTS = 11


@cache
def _ssyevd() -> Any:
    capsule = cython_lapack.__pyx_capi__["ssyevd"]
    name, pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * ARGUMENTS)
    return kind(pointer(capsule, name(capsule)))


def eigen(A: Matrix) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the eigenvalues, from the lowest, and the eigenvectors as columns; in single precision if A is large.

    Examples
    --------
    >>> eigen(np.array([[2.0, 1.0], [1.0, 2.0]]))[0]
    array([1., 3.])
    """
    n = len(A)
    if n < SINGLE:
        return np.linalg.eigh(A)
    vectors, values = A.astype(np.float32, order="C"), np.empty(n, np.float32)
    work, iwork = np.empty(1 + 6 * n + 2 * n * n, np.float32), np.empty(3 + 5 * n, np.int32)
    info, sizes = ctypes.c_int(), [ctypes.c_int(size) for size in (n, work.size, iwork.size)]
    size, lwork, liwork = map(ctypes.byref, sizes)
    _ssyevd()(
        b"V", b"L", size, vectors.ctypes.data, size, values.ctypes.data,
        work.ctypes.data, lwork, iwork.ctypes.data, liwork, ctypes.byref(info),
    )  # fmt: skip
    if info.value:
        raise np.linalg.LinAlgError(f"LAPACK's ssyevd found no eigenvalues of a matrix of {n} rows.")
    # LAPACK counts columns first.
    return values, vectors.T
