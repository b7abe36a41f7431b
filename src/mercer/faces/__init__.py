"""Recognition of faces in reduced spaces, after Yang (2001).

==================  ===================================================================
`read`, `olivetti`  faces of a folder or a MATLAB file; scikit-learn's Olivetti faces
`block_means`       smaller images
`face_vectors`      images as rows of pixels
`Eigenface`, …      the methods: `ICA`, `Fisherface`, `KernelEigenface`, `KernelFisherface`
`leave_one_out`     the errors of one method, for many numbers of components at once
`table`             those of all, beside the published ones
`pictures`          mean faces, eigenfaces, Fisherfaces, reconstructions, ready to be drawn
==================  ===================================================================
"""

from mercer._doors import publish
from mercer.faces.face_pictures import (
    Picture,
    eigenfaces,
    fisherfaces,
    mean_faces,
    mistakes,
    pictures,
    reconstructions,
)
from mercer.faces.face_table import FaceRow, FaceTable, table
from mercer.faces.leave_one_out import NearestFaces, leave_one_out
from mercer.faces.methods import ICA, METHODS, Eigenface, Fisherface, KernelEigenface, KernelFisherface, Method
from mercer.faces.published import PUBLISHED, Published
from mercer.faces.sources import olivetti, read
from mercer.faces.vectors import block_means, face_vectors

__all__ = [
    "ICA",
    "METHODS",
    "PUBLISHED",
    "Eigenface",
    "FaceRow",
    "FaceTable",
    "Fisherface",
    "KernelEigenface",
    "KernelFisherface",
    "Method",
    "NearestFaces",
    "Picture",
    "Published",
    "block_means",
    "eigenfaces",
    "face_vectors",
    "fisherfaces",
    "leave_one_out",
    "mean_faces",
    "mistakes",
    "olivetti",
    "pictures",
    "read",
    "reconstructions",
    "table",
]

publish(__name__, globals())
