"""Conversion in this process: meshes, points, volumes and voxels become scenes in memory."""

import concurrent.futures
import ctypes
import json
import operator
import os
from collections import deque
from typing import Any, Iterable, Iterator, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import library
from .engine import Engine, Progress, engine_for
from .memory_scene import MemoryScene
from .meshes import Mesh, as_array, bytes_of, looks_like_mesh, mesh_file, mesh_of, positions_of, rgba_of

_MATERIALS = ("texture", "mesh", "colors", "none", "numbers")
_COVERAGES = ("conservative", "thin")
_SOLIDS = {False: 0, True: 1, "winding": 1, "parity": 2, "flood": 3}
_INSIDES = ("winding", "parity", "flood")
_UPS = (None, "x", "y", "z")
_COMBINATIONS = ("union", "intersect", "subtract")
_VALUE_TYPES = ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8")  # of numpy, in the order of VOX_U8 to VOX_F64
_VALUE_MATERIALS = ("auto", "bins", "labels", "none")
_MESH_FILES = (".glb", ".gltf", ".obj", ".ply", ".stl", ".off", ".dae", ".fbx", ".3ds")


def _chosen(value, choices, name):
    if value not in choices:
        raise ValueError(f"{name} is {value!r}, expected one of: {', '.join(map(str, choices))}")
    return choices[value] if isinstance(choices, dict) else choices.index(value)


def _resolution(res):
    """Reads 1024, "4K" or "2^12"."""
    if res is None:
        return 0
    text = str(res)
    factor = {"K": 1 << 10, "M": 1 << 20}.get(text[-1:].upper(), 1)
    digits = text[:-1] if factor > 1 else text
    power = digits[:2] == "2^"
    if not (digits[2:] if power else digits).isdecimal() or (power and int(digits[2:]) > 20):
        raise ValueError(f"res is {res!r}, expected a number of voxels such as 1024 or '4K'")
    number = (1 << int(digits[2:]) if power else int(digits)) * factor
    if not 1 <= number < 1 << 32:
        raise ValueError(f"res is {res!r}, expected 4 to 1M")
    return number


def _set_palette(struct, palette):
    """Gives a structure a palette, and returns the array that it points to."""
    if palette is None:
        return None
    palette = as_array(palette)
    if palette.dtype.kind in "ui" and palette.size > 0 and 0 <= palette.min() and palette.max() <= 255:
        palette = palette.astype(np.uint8)
    palette = np.ascontiguousarray(bytes_of(palette, "the colors of a palette"))
    if palette.ndim != 2 or palette.shape[1] != 3:
        raise ValueError(f"palette is an array [n, 3], not {list(palette.shape)}")
    struct.palette, struct.palette_count = palette.ctypes.data, len(palette)
    return palette


class _Options:
    """The structure of options, and the arrays that it points to."""

    def __init__(self, numbers=False, res=None, voxel_size=None, materials=None, palette=None, coverage="conservative",
                 solid=False, inside=None, close=0.0, interior=None, shell=None, clip=None, center=False, snap=False,
                 up=None, point_radius=0.0, strokes=None, paint_size=0):
        if materials is None:
            materials = "numbers" if numbers else "texture"
        if inside is not None:
            if inside not in _INSIDES or solid not in (False, True):
                raise ValueError(f"inside is {inside!r}, expected one of: {', '.join(_INSIDES)}")
            solid = inside
        if interior is not None and not 0 <= operator.index(interior) <= 15:
            raise ValueError(f"interior is {interior}, expected a material, 0 to 15")
        self.struct = library.VoxelizeOptions(
            resolution=_resolution(res), close=close, interior=0 if interior is None else 1 + operator.index(interior),
            coverage=_chosen(coverage, _COVERAGES, "coverage"), solid=_chosen(solid, _SOLIDS, "solid"),
            materials=_chosen(materials, _MATERIALS, "materials"), up=_chosen(up, _UPS, "up"), center=int(center),
            snap=int(snap), point_radius=point_radius, strokes=None if strokes is None else strokes.encode(),
            paint_size=paint_size)
        if voxel_size is None or np.ndim(voxel_size) == 0:
            self.struct.voxel_size = voxel_size or 0
        else:
            self._sides = np.ascontiguousarray(voxel_size, np.float64)
            if self._sides.shape != (3,):
                raise ValueError("voxel_size is a number, or the sides along x, y and z")
            self.struct.sides = self._sides.ctypes.data
        if shell is not None:
            depths, numbers = zip(*(shell.items() if hasattr(shell, "items") else shell))
            self._depths, self._numbers = np.array(depths, np.float64), np.array(numbers)
            if self._numbers.dtype.kind not in "ui" or self._numbers.min() < 0 or self._numbers.max() > 15:
                raise ValueError(f"shell has the materials {list(numbers)}, expected numbers from 0 to 15")
            self._numbers = self._numbers.astype(np.uint8)
            self.struct.shell_count = len(depths)
            self.struct.shell_depths, self.struct.shell_materials = self._depths.ctypes.data, self._numbers.ctypes.data
        self._palette = _set_palette(self.struct, palette)
        if clip is not None:
            self._clip = np.ascontiguousarray(clip, np.float64)
            if self._clip.shape != (2, 3):
                raise ValueError("clip is two places, the lowest and the highest corner of a box")
            self.struct.clip = self._clip.ctypes.data

    @property
    def pointer(self):
        return ctypes.byref(self.struct)


def _voxelized_mesh(engine, mesh, numbers, options):
    made = _Options(numbers, **options)
    return MemoryScene(engine, engine._make("vox_voxelize", mesh.pointer, made.pointer))


def _is_path(source):
    return isinstance(source, (str, bytes, os.PathLike))


def _are_paths(source):
    return isinstance(source, (list, tuple)) and len(source) > 0 and all(map(_is_path, source))


def voxelize(source: Any, faces: Any = None, *, res: Union[int, str, None] = None, voxel_size: Any = None,
             uv: Any = None, textures: Optional[Sequence[Any]] = None, colors: Any = None, material_of: Any = None,
             material_colors: Any = None, materials: Optional[str] = None, palette: Any = None,
             coverage: str = "conservative", solid: Union[bool, str] = False, inside: Optional[str] = None,
             close: float = 0.0, interior: Optional[int] = None, shell: Any = None, clip: Any = None,
             center: bool = False, snap: bool = False, up: Optional[str] = None, point_radius: float = 0.0,
             strokes: Optional[str] = None, paint_size: int = 0, v_up: bool = True, wrap: str = "repeat",
             alpha_cutoff: float = 0.0, device: str = "auto", engine: Optional[Engine] = None,
             progress: Progress = None) -> MemoryScene:
    """Makes a scene of a mesh in arrays, of an object with `vertices` and `faces` such as a trimesh, or of a file.

    `source` are the vertices, an array [n, 3], and `faces` the numbers of each triangle's vertices, [m, 3]; without `faces`,
    each three vertices are a triangle. Or `source` is the path of any file that vox-convert reads, a list of such paths for
    one scene, or the object. `res` is the number of voxels along the longest side, such as 1024 or "4K", in place of
    `voxel_size`, a number or the three sides of voxels that are no cubes.

    Looks: `uv` are texture coordinates of vertices, [n, 2], or of corners, [m, 3, 2], with v upwards if `v_up`; `textures`
    are images, [height, width, 3 or 4] as uint8 or as floats from 0 to 1; `colors` are those of vertices, [n, 3 or 4];
    `material_of` is the number of each triangle's texture, or of its color in `material_colors`, [k, 3]. Without textures
    these numbers, 0 to 15, become the materials of voxels.

    `materials` is texture, mesh, colors, none or numbers; `palette` up to 16 colors, [k, 3]; `coverage` conservative or
    thin; `clip` the two corners of a box in the world; `up` the axis of a file that points up. `strokes` is a script of
    strokes that are painted on the mesh first (docs/converting.md), and `paint_size` the texels along each side of the
    square for paint.

    Solids: `inside` is winding (as `solid=True`), parity, or flood, which fills what no path leads to; `close` the width in
    voxels of gaps that close to tell what is inside; `interior` the material of voxels inside, and `shell` those of voxels
    near the surface by their depth in voxels, such as {2: 3, 5.5: 4}.

    >>> vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    >>> scene = vox.voxelize(vertices, faces, res=64, solid=True, material_of=[0, 1, 2, 3])
    >>> scene.resolution, scene.filled, len(scene.palette)
    (64, 47902, 4)
    """
    engine = engine_for(device, engine, progress)
    options = {"res": res, "voxel_size": voxel_size, "materials": materials, "palette": palette, "coverage": coverage,
               "solid": solid, "inside": inside, "close": close, "interior": interior, "shell": shell, "clip": clip,
               "center": center, "snap": snap, "strokes": strokes, "paint_size": paint_size}
    arrays = {"uv": uv, "textures": textures, "colors": colors, "material_of": material_of,
              "material_colors": material_colors}
    given = [name for name, value in {"faces": faces, **arrays}.items() if value is not None]
    paths = [source] if _is_path(source) else source if _are_paths(source) else []
    given += [name for name, changed in {"v_up": not v_up, "wrap": wrap != "repeat", "alpha_cutoff": alpha_cutoff != 0}.items()
              if changed]
    if given and (paths or isinstance(source, Mesh)):
        raise ValueError(f"{', '.join(given)} cannot be given with a file")
    if not paths and (up is not None or point_radius != 0):
        raise ValueError("up and point_radius are for files")
    if isinstance(source, Mesh):
        return _voxelized_mesh(engine, source, False, options)
    if not paths:
        mesh, numbers = mesh_of(source, faces, v_up=v_up, wrap=wrap, alpha_cutoff=alpha_cutoff, **arrays)
        return _voxelized_mesh(engine, mesh, numbers, options)
    made = _Options(up=up, point_radius=point_radius, **options)
    names = (ctypes.c_char_p * len(paths))(*map(os.fsencode, paths))
    return MemoryScene(engine, engine._make("vox_voxelize_files", names, len(names), made.pointer, files=True))


def voxelize_points(positions: Any, colors: Any = None, *, radius: float = 0.0, device: str = "auto",
                    engine: Optional[Engine] = None, progress: Progress = None, **options: Any) -> MemoryScene:
    """Fills the voxels of points, an array [n, 3], or those within `radius` of a point. `colors` are [n, 3 or 4]. Options are
    `res`, `voxel_size`, `materials` (texture, colors or none), `palette`, `clip`, `center` and `snap` of `voxelize()`.

    >>> vox.voxelize_points([[0, 0, 0], [1, 1, 1], [3, 3, 3]], voxel_size=1, clip=[[0, 0, 0], [4, 4, 4]]).filled
    3
    """
    engine = engine_for(device, engine, progress)
    places = positions_of(positions)
    points = library.Points(count=len(places), positions=places.ctypes.data, position_type=int(places.dtype == np.float64))
    if colors is not None:
        rgb = np.ascontiguousarray(rgba_of(colors, "colors")[..., :3])
        if rgb.shape != places.shape:
            raise ValueError(f"colors has the shape {list(rgb.shape)}, expected one for each point")
        points.colors = rgb.ctypes.data
    made = _Options(point_radius=radius, **options)
    return MemoryScene(engine, engine._make("vox_voxelize_points", ctypes.byref(points), made.pointer))


def voxelize_volume(source: Any, *, materials: str = "auto", threshold: Optional[float] = None, palette: Any = None,
                    spacing: Any = (1, 1, 1), origin: Any = (0, 0, 0), size: Any = None, dtype: Any = None, offset: int = 0,
                    device: str = "auto", engine: Optional[Engine] = None, progress: Progress = None) -> MemoryScene:
    """Makes a scene of the values of a volume: an array [x, y, z], or the path of a file without a header, whose `size`,
    `dtype` (such as "<u2") and `offset` in bytes are given; x is fastest in it. `voxelize()` reads files with a header.

    `materials` is bins of the range of values, labels, none, or auto, which decides by the values. Values below `threshold`
    are empty. `spacing` are the distances between values along the axes, and `origin` is where the first one's voxel begins.

    >>> values = np.zeros((8, 8, 8), np.uint8)
    >>> values[2:4, :, 1] = 5
    >>> scene = vox.voxelize_volume(values, spacing=(1, 1, 2))
    >>> scene.filled, scene.resolution
    (32, 16)
    """
    engine = engine_for(device, engine, progress)
    volume = library.Volume(materials=_chosen(materials, _VALUE_MATERIALS, "materials"), offset=offset)
    if _is_path(source):
        if size is None or dtype is None:
            raise ValueError("a file without a header needs size and dtype")
        kind, volume.path = np.dtype(dtype), os.fsencode(source)
        volume.big_endian = int(kind.newbyteorder("<") != kind)
    else:
        if size is not None or dtype is not None or offset != 0:
            raise ValueError("size, dtype and offset are for files: an array has its own")
        values = np.asfortranarray(as_array(source))
        values = values.astype(values.dtype.newbyteorder("="), copy=False)
        kind, size = values.dtype, values.shape
        volume.values, volume.bytes = values.ctypes.data, values.nbytes
    if len(size or ()) != 3:
        raise ValueError(f"a volume has three sizes, not {size}")
    volume.size, volume.type = tuple(size), _chosen(kind.str[1:], _VALUE_TYPES, "the type of values")
    if len(spacing) != 3 or len(origin) != 3:
        raise ValueError(f"spacing is {spacing} and origin {origin}, expected three numbers each")
    volume.spacing, volume.origin = tuple(spacing), tuple(origin)
    if threshold is not None:
        volume.has_threshold, volume.threshold = 1, threshold
    kept = _set_palette(volume, palette)
    scene = engine._make("vox_voxelize_volume", ctypes.byref(volume))
    del kept
    return MemoryScene(engine, scene)


def compose(scenes: Sequence[MemoryScene], *, device: str = "auto", engine: Optional[Engine] = None,
            progress: Progress = None, **options: Any) -> MemoryScene:
    """Puts scenes on one grid, at their places in the world; the last one that fills a voxel decides its material. Options
    are `res`, `voxel_size`, `materials` (texture, colors or none), `palette`, `clip`, `center` and `snap` of `voxelize()`.

    >>> parts = [vox.voxelize_volume(np.ones((4, 4, 4), np.uint8), origin=(x, 0, 0)) for x in (0, 6)]
    >>> vox.compose(parts, voxel_size=1).filled
    128
    """
    engine = engine_for(device, engine, progress)
    made = _Options(**options)
    pointers = (ctypes.c_void_p * len(scenes))(*(scene._pointer.value for scene in scenes))
    return MemoryScene(engine, engine._make("vox_compose", pointers, len(pointers), made.pointer))


def load(path: Union[str, "os.PathLike[str]"], device: str = "auto", engine: Optional[Engine] = None) -> MemoryScene:
    """Loads a scene file, or voxels of another program, as a scene that can be edited. `vox.open()` reads a scene file
    without the library.

    >>> scene = vox.voxelize([[0, 0, 0], [1, 0, 0], [0, 1, 0]], res=16)
    >>> scene.save("triangle.h5", overwrite=True)
    >>> vox.load("triangle.h5").digest == scene.digest
    True
    """
    engine = engine_for(device, engine)
    return MemoryScene(engine, engine._make("vox_scene_load", os.fsencode(path), files=True))


def combine(first: Any, second: Any, how: str, *, device: str = "auto", engine: Optional[Engine] = None,
            progress: Progress = None, **options: Any) -> MemoryScene:
    """Voxelizes two meshes, each a path, an object with vertices and faces, or a pair of arrays, and keeps the voxels of
    their union, intersection, or what is left after subtracting the second (`how`: union, intersect or subtract). Options
    are `res`, `voxel_size`, `materials`, `palette`, `coverage`, `clip`, `center` and `snap` of `voxelize()`."""
    engine = engine_for(device, engine, progress)
    meshes = [_mesh(source) for source in (first, second)]
    made = _Options(**options)
    return MemoryScene(engine, engine._make("vox_combine", meshes[0].pointer, meshes[1].pointer,
                                            _chosen(how, _COMBINATIONS, "how"), made.pointer))


class Distances(NamedTuple):
    """What `sdf()` returns."""

    values: np.ndarray  # float32 [x, y, z]
    origin: np.ndarray  # the place of the lower corner of voxel (0, 0, 0)
    voxel_size: np.ndarray  # the sides along x, y and z


def sdf(source: Any, faces: Any = None, *, band: float = 3, device: str = "auto", engine: Optional[Engine] = None,
        progress: Progress = None, **options: Any) -> Distances:
    """Returns the distances from the centers of voxels to a mesh: a path, an object with vertices and faces, or arrays. They
    are exact up to `band` voxels from the triangles, and the width of the band beyond. Options are `res`, `voxel_size`,
    `solid`, `inside` (winding or parity), `close`, `clip`, `center` and `snap` of `voxelize()`; with a solid, distances
    inside are negative.

    >>> vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    >>> field = vox.sdf(vertices, faces, res=8, solid=True, band=2)
    >>> field.values.shape, float(field.values[1, 1, 1]), float(field.values[7, 7, 7])
    ((8, 8, 8), -0.1875, 0.25)
    """
    engine = engine_for(device, engine, progress)
    mesh = mesh_of(source, faces)[0] if faces is not None else _mesh(source)
    made, info = _Options(**options), library.Info()
    engine._call("vox_mesh_distances", mesh.pointer, made.pointer, band, None, 0, ctypes.byref(info))
    values = np.empty((info.resolution,) * 3, np.float32, order="F")
    engine._call("vox_mesh_distances", mesh.pointer, made.pointer, band, values.ctypes.data, values.nbytes, None)
    return Distances(values, np.array(info.origin), np.array(info.voxel_size))


def faults(source: Any, faces: Any = None, *, device: str = "auto", engine: Optional[Engine] = None,
           progress: Progress = None, **options: Any) -> dict:
    """Returns what makes the inside of a mesh unclear, as `vox-convert --report` writes it: counts of open edges, edges of
    more than two triangles, triangles that face the other way than their neighbors, and crossings, and their places.
    Options are `res`, `voxel_size`, `clip`, `center` and `snap` of `voxelize()`.

    >>> found = vox.faults([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], res=16)
    >>> found["open_edges"], found["crossings"], len(found["faults"][0]["places"]["open_edges"])
    (3, 0, 3)
    """
    engine = engine_for(device, engine, progress)
    mesh = mesh_of(source, faces)[0] if faces is not None else _mesh(source)
    made = _Options(**options)
    return json.loads(engine._text("vox_mesh_report", mesh.pointer, made.pointer))


def _mesh(source):
    if isinstance(source, Mesh):
        return source
    if _is_path(source):
        return mesh_file(source)
    if looks_like_mesh(source):
        return mesh_of(source)[0]
    vertices, faces = source
    return mesh_of(vertices, faces)[0]


def _read_ahead(source, up):
    """Reads what can be read without an engine: a mesh file. Whatever is wrong with it, the engine finds again."""
    if _is_path(source) and os.fsdecode(source).lower().endswith(_MESH_FILES):
        try:
            return mesh_file(source, _chosen(up, _UPS, "up"))
        except library.VoxError:
            return source
    return source


def voxelize_many(sources: Iterable[Any], *, ahead: int = 2, up: Optional[str] = None, device: str = "auto",
                  engine: Optional[Engine] = None, progress: Progress = None, **options: Any) -> Iterator[MemoryScene]:
    """Yields the scene of each of many sources, in their order: paths, objects with vertices and faces, or pairs of vertices
    and faces. One engine makes them all, while other threads read up to `ahead` more mesh files. Options are those of
    `voxelize()`. The first source that cannot be read or voxelized is an error.

    >>> [scene.filled for scene in vox.voxelize_many([([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])] * 2, res=16)]
    [151, 151]
    """
    engine = engine_for(device, engine, progress)
    if ahead < 1:
        raise ValueError(f"ahead is {ahead}, expected at least 1")
    with concurrent.futures.ThreadPoolExecutor(min(ahead, os.cpu_count() or 1), "vox-read") as readers:
        waiting: deque = deque()
        rest = iter(sources)

        def fill():
            while len(waiting) <= ahead:
                try:
                    waiting.append(readers.submit(_read_ahead, next(rest), up))
                except StopIteration:
                    return

        try:
            fill()
            while waiting:
                source = waiting.popleft().result()
                fill()
                faces = None
                if not (_is_path(source) or isinstance(source, Mesh) or looks_like_mesh(source)):
                    source, faces = source
                yield voxelize(source, faces, up=up if _is_path(source) else None, engine=engine, **options)
        finally:
            for future in waiting:
                future.cancel()


def stats(scene: Any, device: str = "auto", engine: Optional[Engine] = None) -> dict:
    """Returns statistics of a scene, or of the file at a path, by the names that vox-stats and vox-convert have for them.

    >>> facts = vox.stats(vox.voxelize([[0, 0, 0], [1, 0, 0], [0, 1, 0]], res=16))
    >>> facts["voxels"], facts["filled"]["end"], facts["levels"][0]["side"]
    (151, [16, 16, 1], 16)
    """
    if _is_path(scene):
        scene = load(scene, device, engine)
    return scene.stats()


__all__ = ["Distances", "combine", "compose", "faults", "load", "sdf", "stats", "voxelize", "voxelize_many",
           "voxelize_points", "voxelize_volume"]
