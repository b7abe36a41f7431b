"""Dask arrays and data frames as sources of blocks: the only package that imports Dask."""

from mercer.data.blocks.dask_blocks.cluster import connected
from mercer.data.blocks.dask_blocks.files import read_frame
from mercer.data.blocks.dask_blocks.source import DaskBlocks

__all__ = ["DaskBlocks", "connected", "read_frame"]
