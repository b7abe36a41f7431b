"""Models in files that anyone may open: no pickle, no code.

=======================  ==========================================================================
`save`                   a model, a kernel or packed samples to a file, in one step
`load`                   back, the same to the bit; only of types that are trusted
`about`                  what is in a file, without building it
`TRUSTED_TYPES`          names that `load` takes, beside those that skops trusts
`UntrustedTypeError`     raised for others, a `ModelFileError` as all that `load` raises about a file
`Stored`                 what stands in a file for a kernel, packed samples or a sparse matrix
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
