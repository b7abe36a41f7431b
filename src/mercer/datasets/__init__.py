"""Data sets: readers of files and folders of many formats, and bundled data sets.

`read` takes a path or a name and returns a `Dataset`, whose notes record every automatic decision. polars and
scikit-learn are imported when the first data set needs them.

>>> from mercer.datasets import read
>>> data = read("wine")
>>> X, y, groups = data.split()
>>> X.shape, y.shape, groups
((178, 13), (178,), None)
"""

from mercer._doors import publish
from mercer.datasets.bundled import load, names
from mercer.datasets.dataset import Dataset
from mercer.datasets.images import Images, read_images
from mercer.datasets.reading import read
from mercer.datasets.splitting import Split
from mercer.datasets.table_blocks import TableBlocks, read_blocks

__all__ = ["Dataset", "Images", "Split", "TableBlocks", "load", "names", "read", "read_blocks", "read_images"]

publish(__name__, globals())
