"""The library libvox_c.so by ctypes: where it is found, its structures as vox.h has them, and its errors as exceptions."""

import ctypes
import ctypes.util
import os
from ctypes import POINTER, byref, c_char_p, c_double, c_float, c_int32, c_int64, c_uint8, c_uint32, c_uint64, c_void_p

NAME = "libvox_c.so"
SOVERSION = 0
CANCELLED = 4

PROGRESS = ctypes.CFUNCTYPE(c_int32, c_void_p, c_char_p, c_double)
LOG = ctypes.CFUNCTYPE(None, c_void_p, c_int32, c_char_p)


class VoxError(Exception):
    """An error of the library: `str(error)` says all, `what` the problem, `where` the file, its line or the argument, and
    `hint` what can be done about it. `where` and `hint` may be empty."""

    def __init__(self, what: str, where: str = "", hint: str = "", code: int = 1) -> None:
        super().__init__(what)
        self.what, self.where, self.hint, self.code = what, where, hint, code

    def __str__(self):
        return (self.where + ": " if self.where else "") + self.what + (f" ({self.hint})" if self.hint else "")

    def __reduce__(self):
        return VoxError, (self.what, self.where, self.hint, self.code)


class Sized(ctypes.Structure):
    """A structure that begins with its size."""

    def __init__(self, **fields):
        super().__init__(struct_size=ctypes.sizeof(type(self)), **fields)


class EngineOptions(Sized):
    _fields_ = [("struct_size", c_uint64), ("device", c_char_p), ("memory_limit", c_uint64), ("threads", c_uint32),
                ("reserved", c_uint32)]


class Material(Sized):
    _fields_ = [("struct_size", c_uint64), ("name", c_char_p), ("image", c_void_p), ("image_width", c_uint32),
                ("image_height", c_uint32), ("base_color", c_float * 4), ("alpha_cutoff", c_float), ("wrap_u", c_uint32),
                ("wrap_v", c_uint32), ("reserved", c_uint32)]


class MeshArrays(Sized):
    _fields_ = [("struct_size", c_uint64), ("vertices", c_uint64), ("triangles", c_uint64), ("positions", c_void_p),
                ("indices", c_void_p), ("uv", c_void_p), ("corner_uv", c_void_p), ("colors", c_void_p),
                ("material_of", c_void_p), ("materials", POINTER(Material)), ("material_count", c_uint32),
                ("position_type", c_uint32), ("v_direction", c_uint32), ("reserved", c_uint32)]


class VoxelizeOptions(Sized):
    _fields_ = [("struct_size", c_uint64), ("voxel_size", c_double), ("resolution", c_uint32), ("coverage", c_uint32),
                ("solid", c_uint32), ("materials", c_uint32), ("palette", c_void_p), ("palette_count", c_uint32),
                ("up", c_uint32), ("clip", c_void_p), ("center", c_uint32), ("snap", c_uint32),
                ("point_radius", c_double), ("sides", c_void_p), ("close", c_double), ("interior", c_uint32),
                ("shell_count", c_uint32), ("shell_depths", c_void_p), ("shell_materials", c_void_p),
                ("strokes", c_char_p), ("paint_size", c_uint32), ("reserved", c_uint32)]


class Points(Sized):
    _fields_ = [("struct_size", c_uint64), ("count", c_uint64), ("positions", c_void_p), ("colors", c_void_p),
                ("position_type", c_uint32), ("reserved", c_uint32)]


class Volume(Sized):
    _fields_ = [("struct_size", c_uint64), ("values", c_void_p), ("bytes", c_uint64), ("path", c_char_p),
                ("offset", c_uint64), ("big_endian", c_uint32), ("size", c_uint32 * 3), ("type", c_uint32),
                ("materials", c_uint32), ("has_threshold", c_uint32), ("palette_count", c_uint32), ("palette", c_void_p),
                ("threshold", c_double), ("spacing", c_double * 3), ("origin", c_double * 3)]


class Info(Sized):
    _fields_ = [("struct_size", c_uint64), ("resolution", c_uint32), ("depth", c_uint32), ("voxels", c_uint64),
                ("unique_nodes", c_uint64), ("dag_bytes", c_uint64), ("origin", c_double * 3), ("voxel_size", c_double * 3),
                ("material_bits", c_uint32), ("has_colors", c_uint32), ("coverage", c_uint32), ("solid", c_uint32),
                ("up", c_uint32), ("palette_count", c_uint32), ("palette", c_uint8 * 64), ("shares", c_double * 16),
                ("digest", ctypes.c_char * 40)]


class Camera(Sized):
    _fields_ = [("struct_size", c_uint64), ("view", c_char_p), ("eye", c_void_p), ("target", c_void_p), ("fov", c_double),
                ("turn", c_double), ("samples", c_uint32), ("shade", c_uint32), ("no_shadows", c_uint32),
                ("reserved", c_uint32)]


class BricksOptions(Sized):
    _fields_ = [("struct_size", c_uint64), ("types", c_char_p), ("side", c_uint32), ("reserved", c_uint32)]


class BricksAttributes(Sized):
    _fields_ = [("struct_size", c_uint64), ("size", c_uint32 * 3), ("brick_side", c_uint32), ("spacing", c_double * 3),
                ("origin", c_double * 3), ("filled", c_uint64), ("entry_words", c_uint32), ("group_levels", c_uint32),
                ("place_log2", c_uint32), ("type_count", c_uint32), ("allowed_types", c_uint32), ("reserved", c_uint32),
                ("counts", c_uint64 * 16)]


class Hits(Sized):
    _fields_ = [("struct_size", c_uint64), ("distances", c_void_p), ("voxels", c_void_p), ("materials", c_void_p),
                ("colors", c_void_p), ("normals", c_void_p)]


_BOX = [c_void_p, c_void_p]  # low, high
# The arguments of the functions that return a status.
_CALLS = {
    "vox_engine_create": [POINTER(EngineOptions), POINTER(c_void_p)],
    "vox_engine_set_progress": [c_void_p, PROGRESS, c_void_p],
    "vox_engine_set_log": [c_void_p, LOG, c_void_p],
    "vox_memory_create": [c_void_p, c_uint64, POINTER(c_void_p)],
    "vox_memory_copy": [c_void_p, c_void_p, c_uint64],
    "vox_mesh_create": [POINTER(MeshArrays), POINTER(c_void_p)],
    "vox_mesh_load": [c_char_p, c_uint32, POINTER(c_void_p)],
    "vox_voxelize": [c_void_p, c_void_p, POINTER(VoxelizeOptions), POINTER(c_void_p)],
    "vox_voxelize_files": [c_void_p, POINTER(c_char_p), c_uint64, POINTER(VoxelizeOptions), POINTER(c_void_p)],
    "vox_voxelize_points": [c_void_p, POINTER(Points), POINTER(VoxelizeOptions), POINTER(c_void_p)],
    "vox_voxelize_volume": [c_void_p, POINTER(Volume), POINTER(c_void_p)],
    "vox_compose": [c_void_p, POINTER(c_void_p), c_uint64, POINTER(VoxelizeOptions), POINTER(c_void_p)],
    "vox_combine": [c_void_p, c_void_p, c_void_p, c_uint32, POINTER(VoxelizeOptions), POINTER(c_void_p)],
    "vox_mesh_report": [c_void_p, c_void_p, POINTER(VoxelizeOptions), c_char_p, c_uint64, POINTER(c_uint64)],
    "vox_mesh_distances": [c_void_p, c_void_p, POINTER(VoxelizeOptions), c_double, c_void_p, c_uint64, POINTER(Info)],
    "vox_scene_load": [c_void_p, c_char_p, POINTER(c_void_p)],
    "vox_scene_copy": [c_void_p, POINTER(c_void_p)],
    "vox_scene_save": [c_void_p, c_void_p, c_char_p, c_uint32],
    "vox_scene_info": [c_void_p, POINTER(Info)],
    "vox_scene_stats": [c_void_p, c_void_p, c_char_p, c_uint64, POINTER(c_uint64)],
    "vox_scene_edit": [c_void_p, c_void_p, c_char_p, c_char_p],
    "vox_scene_clip": [c_void_p, c_void_p, *_BOX],
    "vox_scene_coarser": [c_void_p, c_void_p, c_uint32],
    "vox_scene_make_palette": [c_void_p, c_void_p],
    "vox_scene_count": [c_void_p, c_void_p, *_BOX, POINTER(c_uint64)],
    "vox_scene_voxels": [c_void_p, c_void_p, *_BOX, c_uint64, c_void_p, c_void_p, c_void_p],
    "vox_scene_dense": [c_void_p, c_void_p, *_BOX, c_uint32, c_void_p, c_uint64],
    "vox_scene_bricks": [c_void_p, c_void_p, POINTER(BricksOptions), POINTER(c_void_p)],
    "vox_bricks_describe": [c_void_p, POINTER(BricksAttributes)],
    "vox_bricks_words": [c_void_p, c_char_p, c_void_p, c_uint64, POINTER(c_uint64)],
    "vox_scene_rays": [c_void_p, c_void_p, c_uint64, c_void_p, c_void_p, POINTER(Hits)],
    "vox_scene_render": [c_void_p, c_void_p, POINTER(Camera), c_uint32, c_uint32, c_void_p, c_uint64],
}
_OTHERS = {
    "vox_version": (c_char_p, []),
    "vox_error_what": (c_char_p, []),
    "vox_error_where": (c_char_p, []),
    "vox_error_hint": (c_char_p, []),
    "vox_engine_delete": (None, [POINTER(c_void_p)]),
    "vox_engine_device": (c_char_p, [c_void_p]),
    "vox_engine_cancel": (None, [c_void_p]),
    "vox_memory_delete": (None, [c_void_p, POINTER(c_void_p)]),
    "vox_mesh_delete": (None, [POINTER(c_void_p)]),
    "vox_mesh_triangles": (c_uint64, [c_void_p]),
    "vox_scene_delete": (None, [POINTER(c_void_p)]),
    "vox_scene_palette_name": (c_char_p, [c_void_p, c_uint32]),
    "vox_bricks_delete": (None, [POINTER(c_void_p)]),
    "vox_bricks_type_name": (c_char_p, [c_void_p, c_uint32]),
    "vox_bricks_source": (c_char_p, [c_void_p]),
}


def places():
    """Yields the paths at which the library is looked for, in order: VOX_LIBRARY alone if it is set; else beside this
    package, in the lib folder of a bundle or of an installation, and where the system looks."""
    named = os.environ.get("VOX_LIBRARY")
    if named:
        yield os.path.join(named, NAME) if os.path.isdir(named) else named
        return
    here = os.path.dirname(os.path.abspath(__file__))
    yield os.path.join(here, NAME)
    for up in ("..", "../..", "../../.."):  # a wheel's vox.libs stands beside the package; bundle: python/vox, lib
        for folder in ("vox.libs", "lib", ""):
            path = os.path.normpath(os.path.join(here, up, folder, f"{NAME}.{SOVERSION}"))
            if os.path.exists(path):
                yield path
    yield f"{NAME}.{SOVERSION}"


def _declared(library):
    for name, arguments in _CALLS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = c_int32, arguments
    for name, (result, arguments) in _OTHERS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_library = None


def load():
    """Returns the library. Raises VoxError with the places where it was looked for if there is none."""
    global _library
    if _library is None:
        problems = []
        for path in places():
            try:
                _library = _declared(ctypes.CDLL(path))
                break
            except (OSError, AttributeError) as error:
                problems.append(str(error))
        else:
            raise VoxError(f"{NAME} is needed to convert, and cannot be loaded: {'; '.join(problems)}",
                           hint="VOX_LIBRARY names the file; files are read without it")
    return _library


def is_there():
    """Returns whether the library can be loaded."""
    try:
        load()
    except VoxError:
        return False
    return True


def check(status):
    """Raises VoxError for a status that is none of success. It must be called in the thread of the call."""
    if status != 0:
        library = load()
        texts = (getattr(library, f"vox_error_{part}")().decode(errors="replace") for part in ("what", "where", "hint"))
        raise VoxError(*texts, status)


def made(function, *arguments):
    """Calls a function that returns an object through its last argument, and returns the pointer."""
    pointer = c_void_p()
    check(function(*arguments, byref(pointer)))
    return pointer
