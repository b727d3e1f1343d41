"""Opens a path as a scene or a volume."""

import os
from typing import Optional, Union

from . import hdf5
from .bricks import Bricks
from .scene import Scene, depth_of
from .spatial_hash import SpatialHash
from .svdag import NumberedSvdag, Svdag
from .symmetric import Symmetric
from .volume import Volume

SVDAGS = {1: Svdag, 2: NumberedSvdag}  # by the file's version
FORMS = ("svdag", "symmetric", "hash", "bricks")  # in order of preference if a file has several


def _scene_form(file, name):
    group = hdf5.group(file, "scene")
    resolution = hdf5.number(group, "resolution", 4, 2**20)
    depth, material_bits = depth_of(resolution), hdf5.number(group, "material_bits", 0, 4)
    hdf5.number(group, "depth", depth, depth)
    if name == "svdag":
        return SVDAGS[hdf5.number(file, "version")](file, depth, material_bits != 0)
    if name == "symmetric":
        return Symmetric(file, depth, material_bits != 0)
    if name == "hash":
        form = SpatialHash(file, depth)
        if form.resolution != resolution:
            raise hdf5.damaged(form.group, f"the resolution is {form.resolution}, but the scene's is {resolution}")
        return form
    form = Bricks(file)
    if (form.size != resolution).any() or form.dtype != "u1" or form.background != 0:
        raise hdf5.damaged(form.group, "the bricks are not those of the scene's materials")
    form.depth = depth
    return form


def open(path: "Union[str, os.PathLike[str]]", form: Optional[str] = None) -> Union[Scene, Volume]:
    """Opens a file of vox: a `Scene`, or a `Volume` if the file has only bricks.

    `form` chooses the form to read if the file has several: `svdag`, `symmetric`, `hash` or `bricks`. Words are read when they are first
    needed and then kept, so memory holds the form and a few chunks.
    """
    if form not in (None,) + FORMS:
        raise ValueError(f"the form is {form!r}, expected one of: {', '.join(FORMS)}")
    file = hdf5.open_file(path, "vox-scene", tuple(SVDAGS))
    try:
        forms = [name for name in FORMS if name in file]
        if form is not None and form not in forms:
            raise hdf5.damaged(file, f"holds no {form}, but {', '.join(forms) or 'no voxels at all'}")
        if not forms:
            raise hdf5.damaged(file, "holds neither an SVDAG nor a spatial hash nor bricks")
        if "scene" not in file and forms == ["bricks"]:
            return Volume(file, Bricks(file))
        return Scene(file, _scene_form(file, form or forms[0]))
    except BaseException:
        file.close()
        raise
