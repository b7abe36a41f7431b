"""Support vector machines with scikit-learn's names and signatures, for any kernel, with a certificate for each fit."""

from mercer._doors import publish
from mercer.svm.nu_svc import NuSVC
from mercer.svm.nu_svr import NuSVR
from mercer.svm.one_class import OneClassSVM
from mercer.svm.path import CPath, c_path
from mercer.svm.svc import SVC
from mercer.svm.svdd import SVDD
from mercer.svm.svr import SVR

__all__ = ["SVC", "SVDD", "SVR", "CPath", "NuSVC", "NuSVR", "OneClassSVM", "c_path"]

publish(__name__, globals())
