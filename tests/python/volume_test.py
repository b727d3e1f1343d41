"""Compares volumes as bricks of every type with the values from which they were made."""

from programs import ProgramTest, np, unittest  # first: it finds the package

import vox

TYPES = {"u8": "u1", "u16": "<u2", "i16": "<i2", "f32": "<f4"}
SETS = ("all", "octree", "list", "masked", "hash", "empty,dense,palette,homogeneous", "list,indexed")
SIZE = (37, 50, 29)


def values_of(value_type):
    """Returns values by z, y, x of all kinds: empty parts, few values, one value, all different values, single voxels."""
    random = np.random.default_rng(1)
    z, y, x = np.mgrid[0:29, 0:50, 0:37]
    values = (x // 5 + y // 7 + z // 3) % 6 * (random.random(z.shape) < 0.3) * ((x // 16 + y // 16) % 2)
    values[5:20, 16:40, :32] = 3
    values[:8, :20] = random.integers(0, 250, (8, 20, 37))
    return (values - 5 * (value_type == "i16")).astype(TYPES[value_type])


class Volumes(ProgramTest):
    @classmethod
    def make(cls):
        cls.values = {}
        for value_type in TYPES:
            cls.values[value_type] = values_of(value_type)
            cls.values[value_type].tofile(cls.path(f"some_37x50x29_{value_type}.raw"))

    def compare(self, value_type, side, types, *options):
        expected = self.values[value_type].transpose()
        self.convert(f"some_37x50x29_{value_type}.raw", "--dims", "37,50,29", "--type", value_type, "--brick-size", str(side),
                     "--types", types, "-o", "a.h5", *options)
        with self.subTest(value_type=value_type, side=side, types=types), vox.open(self.path("a.h5")) as volume:
            self.assertEqual((volume.size, volume.value_type, volume.form), (SIZE, expected.dtype, "bricks"))
            np.testing.assert_array_equal(volume[:], expected)
            np.testing.assert_array_equal(volume[3:30, 7, 4:25], expected[3:30, 7, 4:25])
            places = np.random.default_rng(2).integers(0, SIZE, (200, 3))
            np.testing.assert_array_equal(volume.at(places), expected[tuple(places.T)])
            chunks = list(volume.voxels(chunk=5000))
            self.assertLessEqual(max(len(chunk.values) for chunk in chunks), 5000)
            coordinates, values = (np.concatenate(part) for part in zip(*chunks))
            self.assertEqual(len(values), (expected != volume.background).sum())
            self.assertEqual(len(values), volume.filled)
            np.testing.assert_array_equal(values, expected[tuple(coordinates.T)])

    def test_bricks_of_every_type_and_size_hold_the_values(self):
        for types in SETS:
            for side in (4, 8, 16, 32, 64, 128):
                self.compare("u8", side, types)

    def test_a_sparse_root_leads_to_the_same_values(self):
        for side in (4, 8, 16):
            self.compare("u8", side, "all", "--brick-root", "sparse")

    def test_bricks_that_a_scene_shares_are_where_it_has_them(self):
        self.write_mesh()
        self.convert("mesh.obj", "--res", "200", "--structure", "svdag,bricks", "--brick-size", "4", "--brick-root",
                     "sparse", "-o", "both.h5")
        with vox.open(self.path("both.h5")) as scene, vox.open(self.path("both.h5"), form="bricks") as bricks:
            np.testing.assert_array_equal(bricks[:], scene[:])
            places = np.random.default_rng(2).integers(0, 200, (500, 3))
            np.testing.assert_array_equal(bricks.at(places), scene.at(places))

    def test_values_of_every_type_are_as_they_were(self):
        for value_type in ("u16", "i16", "f32"):
            for types in SETS:
                self.compare(value_type, 16, types)

    def test_what_is_below_the_threshold_is_the_background(self):
        self.convert("some_37x50x29_u16.raw", "--threshold-raw", "3", "-o", "a.h5")
        expected = self.values["u16"].transpose()
        with vox.open(self.path("a.h5")) as volume:
            np.testing.assert_array_equal(volume[:], np.where(expected < 3, volume.background, expected))
            leaves = [np.concatenate(part) for part in zip(*volume.leaves())]
            filled = sum(bin(mask).count("1") for mask in leaves[1].tolist())
            self.assertEqual(filled, (expected >= 3).sum())
            self.assertEqual([volume.level(i).side for i in range(volume.depth + 1)], [64, 32, 16, 8, 4])
            self.assertEqual(volume.level(-1)[:].sum(), len(leaves[0]))

    def test_a_volume_of_materials_has_their_palette(self):
        self.write_mesh()
        self.convert("mesh.obj", "--res", "40", "--structure", "svdag,bricks", "-o", "both.h5")
        self.convert("both.h5", "--structure", "bricks", "-o", "bricks.h5")
        with vox.open(self.path("both.h5")) as scene, vox.open(self.path("bricks.h5")) as volume:
            self.assertIsInstance(volume, vox.Volume)
            np.testing.assert_array_equal(volume[:], scene[:])
            np.testing.assert_array_equal(volume.palette, scene.palette)
            np.testing.assert_allclose(volume.centers([[1, 2, 3]]), scene.centers([[1, 2, 3]]))


if __name__ == "__main__":
    unittest.main()
