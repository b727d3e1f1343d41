"""Meshes for the library: numpy arrays, anything that looks like a trimesh, and files. Arrays are not copied on this side if
their types are float32 or float64 and uint32 or int32."""

import ctypes
import os

import numpy as np

from . import library
from .device_array import from_device

_WRAPS = {"repeat": 0, "clamp": 1, "mirror": 2}


def as_array(source):
    """Returns an array of any object with a buffer, __array_interface__, __cuda_array_interface__ or __dlpack__. One in the
    memory of a GPU is copied."""
    if hasattr(source, "__cuda_array_interface__"):
        return from_device(source)
    if hasattr(source, "__dlpack__") and not hasattr(source, "__array__") and not hasattr(source, "__array_interface__"):
        return np.from_dlpack(source)
    return np.asarray(source)


def packed(array, dtype=None):
    """Returns an array whose items follow each other and are aligned, as the library reads them. One of np.frombuffer() behind a
    header may not be."""
    return np.require(array, dtype, ["C", "ALIGNED"])


def _rows(source, width, name):
    array = as_array(source)
    if array.ndim != 2 or array.shape[1] != width:
        raise ValueError(f"{name} is an array [n, {width}], but has the shape {list(array.shape)}")
    return array


def positions_of(vertices):
    array = _rows(vertices, 3, "vertices")
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    return packed(array)


def _whole(source, name):
    """Returns whole numbers as uint32. Negative ones become too large, so that the library refuses them."""
    array = packed(source)
    if array.dtype.kind not in "ui":
        raise ValueError(f"{name} are whole numbers, but of the type {array.dtype}")
    if array.dtype in (np.uint32, np.int32):
        return array.view(np.uint32)
    if array.size > 0 and (array.min() < 0 or array.max() > 2**32 - 1):
        raise IndexError(f"{name} go from {array.min()} to {array.max()}")
    return array.astype(np.uint32)


def bytes_of(array, name):
    """Returns colors as uint8. Floats are from 0 to 1."""
    if array.dtype.kind == "f":
        if array.size > 0 and not (array.min() >= 0 and array.max() <= 1):
            raise ValueError(f"{name} as floats go from 0 to 1")
        return np.rint(array * 255).astype(np.uint8)
    if array.dtype != np.uint8:
        raise ValueError(f"{name} are of the type uint8 or float, not {array.dtype}")
    return array


def rgba_of(source, name):
    """Returns colors [..., 3] or [..., 4], or gray ones, as RGBA."""
    if hasattr(source, "convert") and getattr(source, "mode", "RGBA") not in ("L", "RGB", "RGBA"):
        source = source.convert("RGBA")  # a picture of Pillow with a palette or of another kind: its array has no colors
    array = bytes_of(as_array(source), name)
    if name == "a texture" and array.ndim == 2:
        array = np.repeat(array[..., None], 3, axis=2)
    if array.shape[-1:] == (3,):
        array = np.concatenate([array, np.full(array.shape[:-1] + (1,), 255, np.uint8)], axis=-1)
    if array.shape[-1:] != (4,):
        raise ValueError(f"{name} has {array.shape[-1:]} parts for each pixel, expected 3 or 4")
    return np.ascontiguousarray(array)


def _linear(srgb):
    share = np.asarray(srgb, np.float64) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def _srgb(linear):
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


# Sixteen colors for materials that are numbers: grays would look alike.
_NUMBER_COLORS = np.array([[230, 159, 0], [86, 180, 233], [0, 158, 115], [240, 228, 66], [0, 114, 178], [213, 94, 0],
                           [204, 121, 167], [153, 153, 153], [128, 60, 30], [80, 200, 190], [150, 200, 60], [100, 80, 180],
                           [250, 180, 180], [40, 90, 40], [60, 60, 60], [245, 245, 245]], np.uint8)


class Mesh:
    """A mesh in the library's memory."""

    def __init__(self, pointer):
        self.pointer = pointer

    def __del__(self):
        library.load().vox_mesh_delete(ctypes.byref(self.pointer))


def mesh_file(path, up=0):
    """Reads a mesh file. It needs no engine, and may run in any thread."""
    return Mesh(library.made(library.load().vox_mesh_load, os.fsencode(path), up))


def looks_like_mesh(source):
    return hasattr(source, "vertices") and hasattr(source, "faces")


def _visual_arrays(source):
    """Returns the arguments that describe the looks of something like a trimesh."""
    visual = getattr(source, "visual", None)
    uv, material = getattr(visual, "uv", None), getattr(visual, "material", None)
    image = None
    for name in ("image", "baseColorTexture"):
        image = image if image is not None else getattr(material, name, None)
    if uv is not None and image is not None:
        return {"uv": uv, "textures": [image]}
    if getattr(visual, "kind", None) == "vertex":
        return {"colors": visual.vertex_colors}
    if getattr(visual, "kind", None) == "face":
        colors, numbers = np.unique(as_array(visual.face_colors), axis=0, return_inverse=True)
        return {"material_of": numbers.reshape(-1).astype(np.uint32), "material_colors": colors, "numbers": False}
    return _material_color(material)


def _material_color(material):
    """Returns the color of a material without an image: the linear factor of glTF, or the sRGB color of others."""
    for name in ("baseColorFactor", "diffuse"):
        color = getattr(material, name, None)
        if color is None:
            continue
        color = as_array(color)
        color = bytes_of(color.astype(np.uint8) if color.dtype.kind in "ui" else color, name)[None, :3]
        return {"material_colors": color if name == "diffuse" else _srgb(color / 255)}
    return {}


def mesh_of(source, faces=None, uv=None, textures=None, colors=None, material_of=None, material_colors=None, v_up=True,
            wrap="repeat", alpha_cutoff=0.0):
    """Makes a mesh of arrays, or of something like a trimesh. Returns it, and whether its materials are numbers alone."""
    numbers = material_of is not None and textures is None
    if textures is not None and material_colors is not None:
        raise ValueError("textures and material_colors exclude each other")
    if faces is None and looks_like_mesh(source):
        given = [value for value in (uv, textures, colors, material_of, material_colors) if value is not None]
        looks = {} if given else _visual_arrays(source)
        if textures is not None and uv is None:  # images of the caller's on the coordinates of the mesh
            uv = getattr(getattr(source, "visual", None), "uv", None)
        numbers = looks.pop("numbers", numbers)
        given = {"uv": uv, "textures": textures, "colors": colors, "material_of": material_of,
                 "material_colors": material_colors, **looks}
        uv, textures, colors, material_of, material_colors = given.values()
        source, faces = source.vertices, source.faces
    keep = []  # the arrays whose addresses the structure has

    def address(array):
        keep.append(array)
        return array.ctypes.data

    positions = positions_of(source)
    arrays = library.MeshArrays(vertices=len(positions), positions=address(positions),
                                position_type=int(positions.dtype == np.float64), v_direction=int(v_up))
    if textures is not None and uv is None:
        raise ValueError("textures need uv, the texture coordinates")
    if faces is None:
        if len(positions) % 3 != 0:
            raise ValueError(f"without faces, each three vertices are a triangle, but there are {len(positions)}")
        arrays.triangles = len(positions) // 3
    else:
        indices = _rows(_whole(as_array(faces), "faces"), 3, "faces")
        arrays.triangles, arrays.indices = len(indices), address(indices)
    if uv is not None:
        uv = as_array(uv)
        corners = uv.ndim == 3
        expected = (arrays.triangles, 3, 2) if corners else (arrays.vertices, 2)
        if uv.shape != expected:
            raise ValueError(f"uv has the shape {list(uv.shape)}, expected [vertices, 2] or [triangles, 3, 2]")
        place = address(packed(uv, np.float32))
        if corners:
            arrays.corner_uv = place
        else:
            arrays.uv = place
    if colors is not None:
        colors = rgba_of(colors, "colors")
        if colors.shape != (arrays.vertices, 4):
            raise ValueError(f"colors has the shape {list(colors.shape)}, expected one for each vertex")
        arrays.colors = address(colors)
    if material_of is not None:
        material_of = _whole(as_array(material_of), "material_of")
        if material_of.shape != (arrays.triangles,):
            raise ValueError(f"material_of has the shape {list(material_of.shape)}, expected one for each triangle")
        arrays.material_of = address(material_of)
    materials = _materials(textures, material_of, material_colors, wrap, alpha_cutoff, address)
    if materials is not None:
        arrays.materials, arrays.material_count = materials, len(materials)
    return Mesh(library.made(library.load().vox_mesh_create, ctypes.byref(arrays))), numbers


def _materials(textures, material_of, material_colors, wrap, alpha_cutoff, address):
    if wrap not in _WRAPS:
        raise ValueError(f"wrap is {wrap!r}, expected one of: {', '.join(_WRAPS)}")
    if textures is not None:
        count = len(textures)
    elif material_colors is not None:
        count = len(material_colors)
    elif material_of is not None:
        count = int(material_of.max()) + 1 if material_of.size > 0 else 1
        if count > len(_NUMBER_COLORS):
            raise ValueError(f"material_of has numbers up to {count - 1}: more than 16 need material_colors")
        material_colors = _NUMBER_COLORS[:count]
    else:
        return None
    materials = (library.Material * count)()
    for number, material in enumerate(materials):
        material.struct_size = ctypes.sizeof(library.Material)
        material.wrap_u = material.wrap_v = _WRAPS[wrap]
        material.alpha_cutoff = alpha_cutoff
        material.base_color[:] = (1, 1, 1, 1)
        if textures is not None:
            image = rgba_of(textures[number], "a texture")
            if image.ndim != 3:
                raise ValueError(f"a texture is an array [height, width, 3 or 4], not {list(image.shape)}")
            material.image, material.image_height, material.image_width = address(image), *image.shape[:2]
        else:
            material.base_color[:3] = _linear(bytes_of(as_array(material_colors), "material_colors")[number][:3]).tolist()
    return materials
