"""Face recognition in reduced spaces, after Yang (2001).

====================  =====================================================================
`read`, `olivetti`    read faces from a folder or MATLAB file; scikit-learn's Olivetti faces
`block_means`         reduce the size of images
`face_vectors`        convert images to rows of pixels
`Eigenface`, …        methods: `ICA`, `Fisherface`, `KernelEigenface`, `KernelFisherface`
`leave_one_out`       leave-one-out errors of one method for several numbers of components
`table`               errors of all methods, next to the published ones
`pictures`            mean faces, eigenfaces, Fisherfaces and reconstructions for plots
====================  =====================================================================
"""

from mercer._doors import publish
from mercer.faces.face_pictures import Picture, mistakes, pictures
from mercer.faces.face_table import FaceRow, FaceTable, table
from mercer.faces.leave_one_out import NearestFaces, leave_one_out
from mercer.faces.methods import ICA, METHODS, Eigenface, Fisherface, KernelEigenface, KernelFisherface
from mercer.faces.projections import Method
from mercer.faces.published import PUBLISHED, Published
from mercer.faces.sources import olivetti, read
from mercer.faces.space_images import eigenfaces, fisherfaces, mean_faces, reconstructions
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
