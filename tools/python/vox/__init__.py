"""Reads what vox writes into numpy arrays: scene files and reports, both HDF5.

    import vox
    scene = vox.open("village.h5")
    scene.resolution, scene.voxel_size, scene.origin, scene.palette, scene.digest
    box = scene[0:512, :, 100]                       # uint8: 0 is empty, material m is m + 1
    for coordinates, materials in scene.voxels():    # the filled voxels, chunk by chunk
        print(scene.centres(coordinates).mean(axis=0))
    rows = vox.report("report.h5")["hash/rows"]
    rows["ms"], rows.units["ms"]

docs/python.md explains it by example, docs/formats.md defines the contents of the files. A defect of a file is a
ValueError that names the file and the dataset.
"""

try:
    import h5py as _h5py
    import numpy as _numpy
except ImportError as error:
    raise ImportError(
        f"vox needs numpy and h5py, but {error.name} is missing: install python3-h5py, or run pip install h5py"
    ) from error

from .opening import open
from .report import Results, report
from .scene import Edit, Scene
from .spatial_hash import SpatialHash
from .volume import Volume

__all__ = ["Edit", "Results", "Scene", "SpatialHash", "Volume", "open", "report"]
__version__ = "0.1.0"
