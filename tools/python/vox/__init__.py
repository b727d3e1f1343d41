"""Reads what vox writes into numpy arrays: scene files and reports, both HDF5. With the library libvox_c.so it also converts,
edits and shows, in this process and without files.

    import vox
    scene = vox.open("village.h5")
    scene.resolution, scene.voxel_size, scene.origin, scene.palette, scene.digest
    box = scene[0:512, :, 100]                       # uint8: 0 is empty, material m is m + 1
    for coordinates, materials in scene.voxels():    # the filled voxels, chunk by chunk
        print(scene.centers(coordinates).mean(axis=0))
    rows = vox.report("report.h5")["hash/rows"]
    rows["ms"], rows.units["ms"]

With the library:

    scene = vox.voxelize(vertices, faces, res=1024, uv=uv, textures=[image])     # or a trimesh, or any file
    scene.edit("sphere add center 100,100,100 radius 9 material 1")
    picture, box = scene.render((800, 600)), scene[0:512, :, 100]
    scene.save("house.h5")

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

from .conversion import (Distances, combine, compose, faults, load, sdf, stats, voxelize, voxelize_many, voxelize_points,
                         voxelize_volume)
from .device_array import DeviceArray
from .engine import Engine
from .library import VoxError
from .memory_scene import Hits, MemoryScene
from .opening import Results, Volume, open, report
from .scene import Edit, Scene
from .spatial_hash import SpatialHash

__all__ = ["DeviceArray", "Distances", "Edit", "Engine", "Hits", "MemoryScene", "Results", "Scene", "SpatialHash", "Volume",
           "VoxError", "combine", "compose", "faults", "load", "open", "report", "sdf", "stats", "voxelize", "voxelize_many",
           "voxelize_points", "voxelize_volume"]
__version__ = "0.2.0"
