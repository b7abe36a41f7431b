"""Names of cases in the tables of the pages, in place of the abbreviations in the files of results."""

__all__ = ["LABELS", "OTHERS"]

LABELS = {  # of cases whose name in the file is an abbreviation
    "svm": {
        "fit letter": "`SVC.fit`, letter, 15 000 × 16, 26 classes",
        "fit magic": "`SVC.fit`, magic, 15 000 × 10",
        "fit mnist": "`SVC.fit`, MNIST, 10 000 × 784, 10 classes",
        "fit a9a dense": "`SVC.fit`, a9a, 32 561 × 123, dense",
        "fit a9a csr": "`SVC.fit`, a9a, CSR",
        "fit kin40k": "`SVR.fit`, kin40k, 10 000 × 8",
        "predict letter": "`SVC.predict`, letter, 2000 rows",
        "predict magic": "`SVC.predict`, magic, 2000 rows",
        "predict mnist": "`SVC.predict`, MNIST, 2000 rows",
        "predict a9a dense": "`SVC.predict`, a9a, dense, 2000 rows",
        "predict a9a csr": "`SVC.predict`, a9a, CSR, 2000 rows",
        "predict kin40k": "`SVR.predict`, kin40k, 2000 rows",
        "small n=100": "`SVC`, fit and predict, 100 × 10",
        "small n=500": "`SVC`, fit and predict, 500 × 10",
        "small n=2000": "`SVC`, fit and predict, 2000 × 10",
    },
    "ridge": {
        f"{what} kin40k n=10000 alpha={alpha}": f"`KernelRidge.{what}`, kin40k, 10 000 × 8, α = {alpha}"
        for what in ("fit", "predict")
        for alpha in ("0.1", "0.001", "1e-06")
    },
    "ridge_path": {
        "leave-one-out n=3000, over eigh": "`KernelRidgeCV.fit`, 3000 samples, 50 alphas, leave-one-out",
        "leave-one-out n=3000, over a grid": "`KernelRidgeCV.fit`, 3000 samples, 50 alphas, leave-one-out",
    },
    "multiple_kernel": {
        **{f"limit: 100 kernels, n=1000, p={p}": f"SVM, 100 kernels, n = 1000, p = {p}" for p in (1, 2)},
        "fixed: weights and alpha given": "ridge with given weights and alpha, 39 kernels, n = 1000",
        "select: random_search": "ridge, weights and alpha chosen, 39 kernels, n = 500; random search",
        "select: hyper_gradient": "the same; hyperparameter gradient",
        "targets (10): random_search": "the same for ten targets with separate weights; random search",
        "targets (10): hyper_gradient": "the same; hyperparameter gradient",
    },
    "model_selection": {
        "independence n=500 B=1000": "`independence_test`, 500 samples, 1000 permutations",
        "two samples n=250+250 B=1000": "`two_sample_test`, 2 × 250 samples, 1000 permutations",
        "grid strings n=400 SVC, cache": "search over 8 values, 5 folds: `SVC`, subsequence kernel, 400 strings",
        "grid ridge n=600 chi2, cache": "the same: `KernelRidge`, chi-squared kernel, 600 histograms of 500 bins",
        "grid rbf n=2500 SVC, cache": "the same: `SVC`, Gaussian kernel, 2500 × 100, `exact=False`",
    },
    "kernel_pca": {
        "mnist 5000 fit": "`KernelPCA.fit`, MNIST, 5000 × 784, 20 components",
        "mnist 5000 transform 2000 rows": "`KernelPCA.transform`, MNIST, 2000 rows",
        "kin40k 5000 fit": "`KernelPCA.fit`, kin40k, 5000 × 8, 20 components",
        "kin40k 5000 transform 2000 rows": "`KernelPCA.transform`, kin40k, 2000 rows",
        "mnist eigenvectors": "the eigenvectors alone, MNIST, 5000 × 5000",
    },
    "discriminant": {
        "fit mnist n=5000": "`KernelDiscriminantAnalysis.fit`, MNIST, 5000 × 784",
        "eigen mnist n=2000": "default solver, MNIST, 2000 × 784",
        "auto mnist n=500": '`reg="auto"`, MNIST, 500 × 784',
    },
    "cluster": {"kernel k-means, n_init=1, by_product": "`KernelKMeans.fit`, 10 000 × 20, 10 clusters, one start"},
    "perceptron": {"a9a 32560 x 123, 10 passes": "`KernelPerceptron.fit`, a9a, 32 560 × 123, 10 passes"},
    "strings": {
        "spectrum ZZZ3 p=6": "`Spectrum(6)`, ZZZ3, 11 074 × 200 nt",
        "gapped EP300 (10, 4)": "`Gapped(10, 4)`, EP300, 4000 × 100 nt",
        "subsequence scop_1.34 n=500 p=5": "`Subsequence(5)`, 500 proteins of SCOP 1.34",
        "reads 1e6 to LinearSVC": "10⁶ reads of 100 nt, features of `Spectrum(6)`, scikit-learn's `LinearSVC`",
    },
    "trees": {
        "subset tree TREC n=5452": "`SubsetTree`, TREC, 5452 questions",
        "partial tree TREC n=5452": "`PartialTree`, TREC, 5452 questions",
        "python, subset tree n=40": "`SubsetTree`, 40 questions",
        "python, partial tree n=40": "`PartialTree`, 40 questions",
    },
    "graphs": {
        "wl NCI1 h=5": "`WeisfeilerLehman(5)`, NCI1, 4110 molecules",
        "shortest path NCI1": "`ShortestPath()`, NCI1",
        "shortest path PROTEINS": "`ShortestPath()`, PROTEINS, 1113 graphs",
        "large 1e6 edges, WL h=5": "one graph of 10⁶ edges, five rounds of WL",
        "large 1e6 edges, graphlets 3": "one graph of 10⁶ edges, `Graphlet(3)`",
        "large 1e6 edges, graphlets 4": "one graph of 10⁶ edges, `Graphlet(4)`",
        "memory NCI1 WeisfeilerLehman(5)": "peak memory, `WeisfeilerLehman(5)`, NCI1",
        "memory PROTEINS ShortestPath()": "peak memory, `ShortestPath()`, PROTEINS",
        "graphlets PROTEINS/10 size=4": "`Graphlet(4)`, a tenth of PROTEINS",
        "graphlets PROTEINS/10 size=5": "`Graphlet(5)`, a tenth of PROTEINS",
    },
}
OTHERS = {  # names of what mercer is compared with
    "10 seconds": "time limit",
    "60 seconds": "time limit",
    "300 seconds": "time limit",
    "3 minutes": "time limit",
    "20 s allowed": "time limit",
    "150 ms": "time limit",
    "its slowest leaf alone: rbf": "mercer: its slowest leaf alone, rbf",
    "computing its tiles alone": "mercer: computing its tiles alone",
    "mercer.ridge.KernelRidge": "mercer: one `KernelRidge` fit",
    "solver='eigen'": "mercer: `solver='eigen'`",
    "without the cache": "mercer: without the cache",
    "sklearn arpack": "scikit-learn, ARPACK",
    "sklearn.kernel_ridge": "scikit-learn",
    "sklearn.svm.SVC": "scikit-learn `SVC`",
    "GridSearchCV": "scikit-learn `GridSearchCV`",
    "NumPy, by_product": "NumPy loop",
}
