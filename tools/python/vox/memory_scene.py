"""A scene in the library's memory."""

import ctypes
import html
import json
import os
import struct
import zlib
from typing import Any, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import library
from .device_array import DeviceArray, layout
from .engine import Engine
from .grid import Box, box_of
from .memory_bricks import volume_of
from .opening import Volume
from .scene import Voxels

_SHADES = ("material", "normal", "depth", "level", "sharing")
_DENSE = {"u1": (0, np.uint8, ()), "u2": (1, np.uint16, ()), "rgba": (2, np.uint8, (4,))}


class Hits(NamedTuple):
    """What each ray hits first: the `distances` to it in the world, float64 [n] (infinity: nothing); the `voxels`, int32 [n, 3]
    (-1: nothing); their `materials`, uint8 [n] (255: nothing) and `colors`, uint8 [n, 4] (alpha 0: nothing); and the `normals`
    of the faces at which rays enter, int8 [n, 3], 0 for rays that begin in the voxel."""

    distances: np.ndarray
    voxels: np.ndarray
    materials: np.ndarray
    colors: np.ndarray
    normals: np.ndarray


def png_of(pixels: np.ndarray) -> bytes:
    """Returns the bytes of a PNG file with these pixels, uint8 [height, width, 4]."""
    height, width = pixels.shape[:2]
    rows = np.zeros((height, 1 + 4 * width), np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)) + chunk(b"IEND", b""))


class MemoryScene:
    """R³ voxels that `voxelize()`, `load()` and others have made. It answers as the scenes of `open()` do, with boxes by
    x, y, z in which 0 is empty and material m is m + 1, and it can be changed, shown and saved.

    Arrays that it returns have their own memory.

    >>> scene = vox.voxelize([[0, 0, 0], [1, 0, 0], [0, 1, 0]], res=16)
    >>> scene.edit("box add min 0,0,4 max 2,2,6 material 0")
    >>> coordinates, materials = scene.voxels()
    >>> coordinates.shape, materials.dtype
    ((159, 3), dtype('uint8'))
    >>> scene[:2, 0, 4]
    array([1, 1], dtype=uint8)
    """

    def __init__(self, engine: Engine, pointer: Any) -> None:
        self._engine, self._pointer = engine, pointer
        self._read_info()

    def __del__(self):
        library.load().vox_scene_delete(ctypes.byref(self._pointer))

    def __repr__(self):
        return f"<scene of {self.resolution}³ in memory, {self.filled:,} voxels, digest {self.digest}>"

    def _call(self, name, *arguments, files=False):
        self._engine._call(name, self._pointer, *arguments, files=files)

    def _change(self, name, *arguments, files=False):
        try:
            self._call(name, *arguments, files=files)
        finally:  # an interrupt that comes when the scene has changed already does not undo the change
            self._read_info()

    def _read_info(self):
        info = library.Info()
        library.check(library.load().vox_scene_info(self._pointer, ctypes.byref(info)))
        self.resolution: int = info.resolution
        self.depth: int = info.depth
        self.filled: int = info.voxels
        self.origin: np.ndarray = np.array(info.origin)
        sides = np.array(info.voxel_size)  # as in scenes of files: one number for cubes
        self.voxel_size = float(sides[0]) if (sides == sides[0]).all() else sides
        self.material_bits: int = info.material_bits
        self.has_colors: bool = info.has_colors == 1
        self.coverage: str = ("conservative", "thin")[info.coverage]
        self.solid: bool = info.solid == 1
        self.up: str = ("", "x", "y", "z")[info.up]
        self.digest: str = info.digest.decode()
        self.bytes: int = info.dag_bytes
        count = info.palette_count
        self.palette: np.ndarray = np.array(info.palette, np.uint8).reshape(16, 4)[:count, :3]
        self.palette_shares: np.ndarray = np.array(info.shares)[:count]
        name = library.load().vox_scene_palette_name
        self.palette_names = [name(self._pointer, entry).decode(errors="replace") for entry in range(count)]

    @property
    def size(self) -> Tuple[int, int, int]:
        """The number of voxels along each axis."""
        return (self.resolution,) * 3

    # --- voxels ---

    def _box(self, box):
        low, high, single = box_of(box, self.size)
        return np.ascontiguousarray(low), np.ascontiguousarray(high), single

    def count(self, box: Any = ...) -> int:
        """Returns the number of filled voxels in a box."""
        low, high, _ = self._box(box)
        count = ctypes.c_uint64()
        self._call("vox_scene_count", low.ctypes.data, high.ctypes.data, ctypes.byref(count))
        return count.value

    def _made(self, like, on_device):
        """Returns an array and its address."""
        if on_device:
            array = DeviceArray(self._engine, like)
            return array, array.address
        array = np.empty(like.shape, like.dtype)
        return array, array.ctypes.data

    def voxels(self, box: Any = ..., on_device: bool = False) -> Voxels:
        """Returns the filled voxels of a box, in Morton order: their coordinates, int32 [n, 3], and materials, uint8 [n]; with
        `on_device` as `DeviceArray`s."""
        low, high, _ = self._box(box)
        count = self.count(box)
        coordinates, at = self._made(layout((count, 3), np.int32), on_device)
        materials, materials_at = self._made(layout((count,), np.uint8), on_device)
        self._call("vox_scene_voxels", low.ctypes.data, high.ctypes.data, count, at, materials_at, None)
        return Voxels(coordinates, materials)

    def colors(self, box: Any = ..., on_device: bool = False) -> Union[np.ndarray, DeviceArray]:
        """Returns the colors of the filled voxels of a box in the order of `voxels()`, uint8 [n, 3] in sRGB: their own, or
        those of their materials."""
        low, high, _ = self._box(box)
        count = self.count(box)
        colors, at = self._made(layout((count, 3), np.uint8), on_device)
        self._call("vox_scene_voxels", low.ctypes.data, high.ctypes.data, count, None, None, at)
        return colors

    def dense(self, box: Any = ..., kind: str = "u1", on_device: bool = False) -> Union[np.ndarray, DeviceArray]:
        """Returns all voxels of a box by x, y, z; in memory x is fastest. `kind` is u1 or u2, for numbers of one or two bytes
        in which 0 is empty and material m is m + 1, or rgba, for colors [..., 4] whose alpha is 0 where a voxel is empty.
        With `on_device` the result is a `DeviceArray`, which torch and cupy share.

        >>> vox.voxelize([[0, 0, 0], [1, 0, 0], [0, 1, 0]], res=16).dense(np.s_[0:4, 0:2, 0], kind="rgba").shape
        (4, 2, 4)
        """
        if kind not in _DENSE:
            raise ValueError(f"kind is {kind!r}, expected one of: {', '.join(_DENSE)}")
        number, dtype, parts = _DENSE[kind]
        low, high, single = self._box(box)
        like = layout(tuple(int(side) for side in (high - low)[::-1]) + parts, dtype)
        index = tuple(0 if axis in single else slice(None) for axis in range(3))
        if on_device:
            values = DeviceArray(self._engine, like.swapaxes(0, 2)[index])
            at = values.address
        else:
            values = np.empty(like.shape, dtype)
            at = values.ctypes.data
        self._call("vox_scene_dense", low.ctypes.data, high.ctypes.data, number, at, like.nbytes)
        return values if on_device else values.swapaxes(0, 2)[index]

    def __getitem__(self, key: Box) -> np.ndarray:
        return self.dense(key)

    def centers(self, coordinates: Any) -> np.ndarray:
        """Returns the centers of these voxels in the world, float64 [n, 3]."""
        return self.origin + self.voxel_size * (np.asarray(coordinates) + 0.5)

    def bricks(self, size: int = 0, types: str = "all") -> Volume:
        """Returns the scene's materials as bricks of `size` voxels a side, 4 to 512, with what `open()` returns for a file of
        them. 0 is the size that takes the least memory. `types` are names separated by commas (docs/formats.md).

        >>> scene = vox.voxelize([[0, 0, 0], [1, 0, 0], [0, 1, 0]], res=64)
        >>> bricks = scene.bricks(size=16)
        >>> bricks
        <volume of 64 x 64 x 64 uint8, 2,143 filled, background 0>
        >>> bool((bricks[:, :, 0] == scene[:, :, 0]).all())
        True
        """
        if not 0 <= size < 2**32:
            raise ValueError(f"size is {size}, expected 4, 8, 16, ... 512, or 0")
        options = library.BricksOptions(types=types.encode(), side=size)
        pointer = self._engine._make("vox_scene_bricks", self._pointer, ctypes.byref(options), delete="vox_bricks_delete")
        has_palette = len(self.palette) > 0
        return volume_of(pointer, (self.palette, self.palette_names, self.palette_shares) if has_palette else None)

    def rays(self, origins: Any, directions: Any) -> Hits:
        """Returns what rays in the world hit first: `origins` and `directions` are arrays [n, 3], or one place for all.
        Directions may have any length but 0.

        >>> scene = vox.voxelize([[0, 0, 0], [1, 0, 0], [0, 1, 0]], res=16)
        >>> hits = scene.rays([0.26, 0.26, 1], [[0, 0, -1], [0, 0, 1]])
        >>> hits.voxels, hits.normals[0], hits.distances[1]
        (array([[ 4,  4,  0],
               [-1, -1, -1]], dtype=int32), array([0, 0, 1], dtype=int8), inf)
        """
        given = [np.asarray(places, np.float64) for places in (origins, directions)]
        if any(places.ndim not in (1, 2) or places.shape[-1] != 3 for places in given):
            raise ValueError("origins and directions are places, arrays [n, 3] or three numbers")
        origins, directions = (np.ascontiguousarray(p) for p in np.broadcast_arrays(*(np.atleast_2d(p) for p in given)))
        n = len(origins)
        hits = Hits(np.empty(n), np.empty((n, 3), np.int32), np.empty(n, np.uint8), np.empty((n, 4), np.uint8),
                    np.empty((n, 3), np.int8))
        to = library.Hits(**{name: array.ctypes.data for name, array in hits._asdict().items()})
        self._call("vox_scene_rays", n, origins.ctypes.data, directions.ctypes.data, ctypes.byref(to))
        return hits

    # --- changes ---

    def copy(self) -> "MemoryScene":
        """Returns another scene with the same content. Voxels are not copied until one of the two changes."""
        return MemoryScene(self._engine, library.made(library.load().vox_scene_copy, self._pointer))

    def edit(self, script: str, folder: Optional[str] = None) -> None:
        """Runs the commands of an edit script (docs/editing.md). Files that it names are relative to `folder`."""
        self._change("vox_scene_edit", script.encode(), os.fsencode(folder) if folder else None, files=True)

    def clip(self, box: Any) -> None:
        """Removes all voxels outside of a box."""
        low, high, _ = self._box(box)
        self._change("vox_scene_clip", low.ctypes.data, high.ctypes.data)

    def coarser(self, res: int) -> None:
        """Makes larger voxels: halving the resolution, and rounding up, must lead to `res`."""
        self._change("vox_scene_coarser", res)

    def make_palette(self) -> None:
        """Turns colors of 24 bits into a palette of at most 16, and materials."""
        self._change("vox_scene_make_palette")

    # --- what comes of it ---

    def save(self, path: Any, overwrite: bool = False) -> None:
        """Writes a file whose extension chooses the format: .h5, .vox, .nrrd, .obj, … A file of another program is replaced
        only with `overwrite`."""
        self._call("vox_scene_save", os.fsencode(path), int(overwrite), files=True)

    def stats(self) -> dict:
        """Returns statistics, by the names that vox-stats and vox-convert have for them. `dedup` is the number of octree
        nodes for each unique node.

        >>> facts = vox.voxelize([[0, 0, 0], [1, 0, 0], [0, 1, 0]], res=64).stats()
        >>> facts["svo_nodes"], facts["unique_nodes"], round(facts["dedup"], 2)
        (212, 13, 16.31)
        """
        return json.loads(self._engine._text("vox_scene_stats", self._pointer))

    def render(self, size: Tuple[int, int] = (800, 600), *, view: str = "iso", eye: Any = None, target: Any = None,
               fov: float = 40, turn: float = 0, samples: int = 4, shade: str = "material",
               shadows: bool = True) -> np.ndarray:
        """Returns a picture, uint8 [height, width, 4]. `view` is iso, front, back, left, right, top or bottom, turned by
        `turn` degrees; `eye` and `target` are places in the world instead. `shade` is material, normal, depth, level or
        sharing.

        >>> vox.voxelize([[0, 0, 0], [1, 0, 0], [0, 1, 0]], res=16).render((40, 30), view="front").shape
        (30, 40, 4)
        """
        if shade not in _SHADES:
            raise ValueError(f"shade is {shade!r}, expected one of: {', '.join(_SHADES)}")
        width, height = size
        if not (0 < width <= 32768 and 0 < height <= 32768):
            raise ValueError(f"size is {size}, expected 1 to 32768 pixels along each side")
        places = [None if place is None else np.ascontiguousarray(place, np.float64) for place in (eye, target)]
        for place in places:
            if place is not None and place.shape != (3,):
                raise ValueError("eye and target are places, three numbers each")
        camera = library.Camera(view=view.encode(), fov=fov, turn=turn, samples=samples, shade=_SHADES.index(shade),
                                no_shadows=int(not shadows))
        camera.eye, camera.target = (None if place is None else place.ctypes.data for place in places)
        pixels = np.empty((height, width, 4), np.uint8)
        self._call("vox_scene_render", ctypes.byref(camera), width, height, pixels.ctypes.data, pixels.nbytes)
        return pixels

    def _repr_png_(self):
        """A small picture, for notebooks."""
        return png_of(self.render((320, 240)))

    def _repr_html_(self):
        """A small picture and figures, for notebooks."""
        import base64  # only notebooks need it
        picture = base64.b64encode(self._repr_png_()).decode()
        kind = "24-bit colors" if self.has_colors else f"{len(self.palette)} materials" if self.material_bits else "filled"
        rows = {"resolution": f"{self.resolution}³", "voxels": f"{self.filled:,} ({kind})",
                "voxel size": str(self.voxel_size), "memory": f"{self.bytes / 2**20:.2f} MiB", "digest": self.digest}
        cells = "".join(f"<tr><td>{name}</td><td>{html.escape(text)}</td></tr>" for name, text in rows.items())
        return f'<img src="data:image/png;base64,{picture}" width="320" height="240"><table>{cells}</table>'
