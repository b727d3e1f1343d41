"""Opens files: scenes, volumes and reports. A volume of values is the content of a file that has only bricks. Reports are those
of vox-bench, vox-stats and vox-edit (docs/results.md), as dictionaries of arrays with their units."""

import os
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

import h5py
import numpy as np

from . import hdf5
from .bricks import Bricks
from .grid import Form, Grid
from .scene import Scene, depth_of, read_palette
from .spatial_hash import SpatialHash
from .svdag import NumberedSvdag, Svdag
from .symmetric import Symmetric

SVDAGS = {1: Svdag, 2: NumberedSvdag}  # by the file's version
FORMS = ("svdag", "symmetric", "hash", "bricks")  # in order of preference if a file has several


class VolumeVoxels(NamedTuple):
    """Filled voxels of a volume: their coordinates, int32 [n, 3], and the value of each."""

    coordinates: np.ndarray
    values: np.ndarray


class Volume(Grid):
    """Values by x, y, z, in the type of the file or, if they are the materials of a scene, uint8. Voxels that are not filled have the background."""

    filled: int
    background: Any
    value_type: np.dtype
    spacing: np.ndarray
    origin: np.ndarray
    source: str
    palette: Optional[np.ndarray]
    palette_names: Optional[List[str]]
    palette_shares: Optional[np.ndarray]

    def __init__(self, file: Any, form: Form, palette: Optional[Tuple[np.ndarray, List[str], np.ndarray]] = None) -> None:
        super().__init__(file, form, form.size)
        group = form.group
        self.filled, self.background, self.value_type = form.filled, form.background, form.value_type
        self.spacing, self.origin = hdf5.reals(group, "spacing", 3), hdf5.reals(group, "origin", 3)
        self.source = hdf5.text(group, "source")
        self.palette, self.palette_names, self.palette_shares = palette or (None, None, None)

    def __repr__(self):
        size = " x ".join(map(str, self.size))
        return f"<volume of {size} {self.value_type}, {self.filled:,} filled, background {self.background}>"

    def _values(self, words):
        return (words ^ self.background.view(words.dtype)).view(self.value_type)

    def _chunk(self, coordinates, words):
        return VolumeVoxels(coordinates, self._values(words))

    def centers(self, coordinates: Any) -> np.ndarray:
        """Returns the centers of these voxels in the world, float64 [n, 3]."""
        return self.origin + self.spacing * (np.asarray(coordinates) + 0.5)


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
    form = Bricks(hdf5.group(file, "bricks"))
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
            # If the values are a scene's materials + 1, the file has their palette.
            return Volume(file, Bricks(hdf5.group(file, "bricks")), read_palette(file) if "palette" in file else None)
        return Scene(file, _scene_form(file, form or forms[0]))
    except BaseException:
        file.close()
        raise


class Results(dict):
    """A group of a report. Its names lead to columns (arrays), single values and further groups. `units` has the unit of
    each name that has one. A path works as well: results["hash/rows"]["ms"]."""

    units: Dict[str, str]

    def __init__(self) -> None:
        super().__init__()
        self.units = {}

    def __missing__(self, path: str) -> Any:
        first, slash, rest = path.partition("/")
        if not slash or first not in self:
            raise KeyError(f"{first}: there are {', '.join(self) or 'no names'}")
        return self[first][rest]


def report(path: "Union[str, os.PathLike[str]]") -> Results:
    """Reads a report. Texts are str, numbers and arrays are numpy's."""
    with hdf5.open_file(path, "vox-report") as file:
        return _group(file)


def _plain(item, value):
    """Converts texts from bytes to str."""
    value = np.asarray(value)
    if value.dtype.kind in "SO":
        try:
            value = np.char.decode(value.astype(bytes), "utf-8")
        except UnicodeDecodeError:
            raise hdf5.damaged(item, "holds bytes that are no text") from None
        return str(value) if value.shape == () else value
    return value if value.shape else value[()]


def _group(group):
    results = Results()
    for name, value in group.attrs.items():
        if name.endswith("_unit") and name[:-len("_unit")] in group.attrs:
            results.units[name[:-len("_unit")]] = _plain(group, value)
        else:
            results[name] = _plain(group, value)
    for name in group:
        item = group.get(name)
        if isinstance(item, h5py.Group):
            results[name] = _group(item)
        elif isinstance(item, h5py.Dataset):
            results[name] = _plain(item, hdf5.read(item))
            if "unit" in item.attrs:
                results.units[name] = hdf5.text(item, "unit")
        else:
            raise hdf5.damaged(group, f"{name} is neither a group nor a dataset")
    return results
