"""A volume of values, or a scene's materials as a volume: the content of a file that has only bricks."""

from typing import Any, List, NamedTuple, Optional

import numpy as np

from . import hdf5
from .grid import Form, Grid
from .scene import read_palette


class VolumeVoxels(NamedTuple):
    """Filled voxels of a volume: their coordinates, int32 [n, 3], and the value of each."""

    coordinates: np.ndarray
    values: np.ndarray


class Volume(Grid):
    """Values by x, y, z, in the type of the file. Voxels that are not filled have the background."""

    filled: int
    background: Any
    value_type: np.dtype
    spacing: np.ndarray
    origin: np.ndarray
    source: str
    palette: Optional[np.ndarray]
    palette_names: Optional[List[str]]
    palette_shares: Optional[np.ndarray]

    def __init__(self, file: Any, form: Form) -> None:
        super().__init__(file, form, form.size)
        group = form.group
        self.filled, self.background, self.value_type = form.filled, form.background, form.value_type
        self.spacing, self.origin = hdf5.reals(group, "spacing", 3), hdf5.reals(group, "origin", 3)
        self.source = hdf5.text(group, "source")
        # If the values are a scene's materials + 1, the file has their palette.
        self.palette, self.palette_names, self.palette_shares = None, None, None
        if "palette" in file:
            self.palette, self.palette_names, self.palette_shares = read_palette(file)

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
