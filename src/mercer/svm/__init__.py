"""Support vector machines with scikit-learn's names and signatures, any kernel, and a certificate."""

from mercer._doors import publish
from mercer.svm.nu_svc import NuSVC
from mercer.svm.one_class import SVDD, OneClassSVM
from mercer.svm.path import CPath, c_path
from mercer.svm.svc import SVC
from mercer.svm.svr import SVR, NuSVR

__all__ = ["SVC", "SVDD", "SVR", "CPath", "NuSVC", "NuSVR", "OneClassSVM", "c_path"]

publish(__name__, globals())
