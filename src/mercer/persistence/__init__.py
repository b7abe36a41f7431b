"""Model files that can be loaded without running code.

=======================  ==========================================================================
`save`                   writes a model, a kernel or packed samples to a file atomically
`load`                   reads it back bit for bit, building only trusted types
`about`                  describes the contents of a file without building them
`TRUSTED_TYPES`          names of types that `load` builds, besides those that skops trusts
`ModelFileError`         raised if a file cannot be loaded
`UntrustedTypeError`     raised if a file contains other types
`Stored`                 representation of kernels, packed samples and sparse matrices in a file
=======================  ==========================================================================

>>> import tempfile, pathlib
>>> import numpy as np
>>> from mercer.svm import SVC
>>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 0, 1, 1]
>>> model = SVC(kernel="rbf(gamma=0.5) + linear").fit(X, y)
>>> with tempfile.TemporaryDirectory() as folder:
...     save(model, pathlib.Path(folder) / "model.mercer")
...     again = load(pathlib.Path(folder) / "model.mercer")
>>> bool((again.decision_function(X) == model.decision_function(X)).all())
True
"""

from mercer._doors import publish
from mercer.persistence.errors import ModelFileError, UntrustedTypeError
from mercer.persistence.model_files import about, load, save
from mercer.persistence.stored import Stored
from mercer.persistence.trusted import TRUSTED_TYPES

__all__ = ["TRUSTED_TYPES", "ModelFileError", "Stored", "UntrustedTypeError", "about", "load", "save"]

publish(__name__, globals())
