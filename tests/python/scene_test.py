"""Compares scenes in every form with the exports of vox-convert and with a walk over the file, node by node."""

import json
import os
import shutil

# This comes first because it finds the package.
from programs import (ProgramTest, h5py, joined, leaves_of, np, unittest, voxel, write_in_parts,
                      write_long_numbers)

import vox

FORMS = ("svdag", "hash", "bricks")


def of_every_form(test):
    """Runs a test of a scene and its dense grid for each file and each form in it."""

    def run(self):
        for name, dense in self.dense.items():
            forms = {"all.h5": FORMS, "bare.h5": FORMS + ("symmetric",)}.get(name, FORMS[:1])
            for form in forms:
                with self.subTest(name=name, form=form), vox.open(self.path(name), form) as scene:
                    test(self, scene, dense)

    return run


class ScenesWithColors(ProgramTest):
    @classmethod
    def make(cls):
        cls.write_mesh()
        cls.convert("mesh.obj", "--res", "50", "--materials", "colors", "-o", "colors.h5")
        cls.convert("colors.h5", "-o", "colors.vl32")

    def test_colors_are_those_of_the_export_in_the_order_of_voxels(self):
        records = np.fromfile(self.path("colors.vl32"), ">u4").reshape(-1, 4)
        expected = np.stack([records[:, 3] >> 16 & 255, records[:, 3] >> 8 & 255, records[:, 3] & 255], axis=1)
        with vox.open(self.path("colors.h5")) as scene:
            self.assertTrue(scene.has_colors)
            colors = scene.colors()
            self.assertEqual(colors.dtype, np.uint8)
            np.testing.assert_array_equal(colors, expected)
            self.assertGreater(len(np.unique(colors, axis=0)), 3)
            np.testing.assert_array_equal(scene.colors(700, 1000), expected[700:1700])
            coordinates = joined(scene.voxels())[0]
            np.testing.assert_array_equal(np.diff(coordinates, axis=0), np.diff(records[:, :3].astype(np.int32), axis=0))
            with self.assertRaises(IndexError):
                scene.colors(0, scene.filled + 1)

    def test_normals_are_those_of_the_export_in_the_order_of_voxels(self):
        self.convert("mesh.obj", "--res", "50", "--normals", "-o", "normals.h5")
        self.convert("normals.h5", "-o", "normals.npz")
        expected = np.load(self.path("normals.npz"))["normals"]
        with vox.open(self.path("normals.h5")) as scene:
            self.assertTrue(scene.has_normals)
            normals = scene.normals()
            self.assertEqual(normals.dtype, np.float32)
            np.testing.assert_array_equal(normals, expected)
            np.testing.assert_allclose((normals**2).sum(axis=1), 1, atol=1e-6)
            self.assertGreater(len(np.unique(normals, axis=0)), 10)
            np.testing.assert_array_equal(scene.normals(700, 1000), expected[700:1700])
        with vox.open(self.path("colors.h5")) as scene:
            self.assertFalse(scene.has_normals)
            with self.assertRaises(ValueError):
                scene.normals()

    def test_damaged_colors_are_an_error(self):
        shutil.copy(self.path("colors.h5"), self.path("damaged.h5"))
        with h5py.File(self.path("damaged.h5"), "r+") as file:
            group = file["attributes/colors"]
            group["groups"][0] = 1 << 40
        with vox.open(self.path("damaged.h5")) as scene, self.assertRaises(ValueError):
            scene.colors()


class ScenesInSymmetricForm(ProgramTest):
    @classmethod
    def make(cls):
        cls.write_mesh()
        cls.convert("mesh.obj", "--res", "90", "--materials", "colors", "--structure", "symmetric", "-o", "turned.h5")
        cls.convert("turned.h5", "-o", "plain.h5")

    def test_the_form_is_read_as_the_svdag(self):
        with vox.open(self.path("turned.h5")) as scene, vox.open(self.path("plain.h5")) as plain:
            self.assertEqual((scene.form, plain.form), ("symmetric", "svdag"))
            self.assertEqual(scene.digest, plain.digest)
            np.testing.assert_array_equal(scene[:], plain[:])
            np.testing.assert_array_equal(joined(scene.voxels())[0], joined(plain.voxels())[0])
            np.testing.assert_array_equal(scene.colors(), plain.colors())
            for number in range(scene.depth + 1):
                a, b = scene.level(number), plain.level(number)
                self.assertEqual((a.unique_nodes, a.svo_nodes, a.bytes), (b.unique_nodes, b.svo_nodes, b.bytes))

    def test_a_damaged_word_is_an_error_or_another_scene(self):
        rng = np.random.default_rng(1)
        refused = 0
        for _ in range(40):
            shutil.copy(self.path("turned.h5"), self.path("damaged.h5"))
            with h5py.File(self.path("damaged.h5"), "r+") as file:
                words = file[f"symmetric/level_{rng.integers(6):02}/words"]
                values = words[()]
                values[rng.integers(len(values))] ^= np.uint32(1 << rng.integers(32))
                words[...] = values
            try:
                with vox.open(self.path("damaged.h5")) as scene:
                    scene[:]
            except ValueError as error:
                self.assertIn("damaged.h5", str(error))
                refused += 1
        self.assertGreater(refused, 10)


class ScenesWithNames(ProgramTest):
    @classmethod
    def make(cls):
        with open(cls.path("named.obj"), "w", encoding="utf-8") as file:
            for i, name in enumerate(["left wall", "roof", "right wall"]):
                file.write(f"o {name}\nv {i} 0 0\nv {i} 1 0\nv {i} 0 1\nf -3 -2 -1\n")
        with open(cls.path("rules.csv"), "w", encoding="utf-8") as file:
            file.write("*wall,2,walls\nroof,1\n")
        cls.convert("named.obj", "--res", "20", "--materials", "object", "--assign", "rules.csv", "-o", "named.h5")

    def test_colors_stand_for_more_names(self):
        self.convert("named.obj", "--res", "20", "--materials", "object", "--palette-size", "64", "-o", "many.h5")
        with vox.open(self.path("many.h5")) as scene:
            self.assertEqual([material.name for material in scene.materials], ["left wall", "roof", "right wall"])
            self.assertEqual([material.members for material in scene.materials],
                             [["left wall"], ["roof"], ["right wall"]])
            found = {tuple(color) for color in scene.colors().tolist()}
            self.assertEqual(found, {material.color for material in scene.materials})
        with h5py.File(self.path("many.h5"), "r+") as file:
            file["palette/named_member_numbers"][0] = 3
        with self.assertRaises(ValueError):
            vox.open(self.path("many.h5"))

    def test_entries_say_which_names_of_the_mesh_they_stand_for(self):
        with vox.open(self.path("named.h5")) as scene:
            self.assertEqual(scene.palette_names, ["unassigned", "roof", "walls"])
            self.assertEqual(scene.palette_members, [[], ["roof"], ["left wall", "right wall"]])
        shutil.copy(self.path("named.h5"), self.path("damaged.h5"))
        with h5py.File(self.path("damaged.h5"), "r+") as file:
            file["palette/member_entries"][0] = 16
        with self.assertRaises(ValueError):
            vox.open(self.path("damaged.h5"))


class Scenes(ProgramTest):
    @classmethod
    def make(cls):
        cls.write_mesh()
        cls.convert("mesh.obj", "--res", "50", "--structure", "svdag,bricks,hash", "-o", "all.h5")
        cls.convert("mesh.obj", "--res", "64", "--materials", "none", "--structure",
                    "svdag,bricks,hash,symmetric",
                    "--key-layout", "linear", "-o", "bare.h5")
        cls.dense = {name: cls.exported(name) for name in ("all.h5", "bare.h5")}
        cls.convert("all.h5", "--file-version", "1", "-o", "old.h5")
        write_in_parts(cls.path("all.h5"), cls.path("head.h5"), 3)
        cls.dense |= {"old.h5": cls.dense["all.h5"], "head.h5": cls.dense["all.h5"]}

    @of_every_form
    def test_a_box_is_that_of_the_export(self, scene, dense):
        for box in (np.s_[:], np.s_[...], np.s_[3:47, 5:50, 20:33], np.s_[:, :, 17], np.s_[-9:, 8, ...],
                    np.s_[40:200, 1:2, 2:4], np.s_[5:3, :, :], np.s_[..., 4:8, 4:8], np.s_[16:32, 16:32, 16:32]):
            found = scene[box]
            self.assertEqual(found.dtype, np.uint8)
            np.testing.assert_array_equal(found, dense[box])
        self.assertEqual(scene[3, 4, 5], dense[3, 4, 5])
        self.assertTrue(scene[:].flags.f_contiguous)
        self.assertGreater((dense > 0).sum(), 4000)

    @of_every_form
    def test_lists_have_the_filled_voxels_in_morton_order(self, scene, dense):
        for box, low in ((..., [0, 0, 0]), (np.s_[3:47, 5:50, 20:33], [3, 5, 20]), (np.s_[:, :, 17:18], [0, 0, 17])):
            inside = dense[box]
            chunks = list(scene.voxels(box, chunk=700))
            self.assertGreater(len(chunks), 1)
            self.assertLessEqual(max(len(chunk.materials) for chunk in chunks), 700)
            coordinates, materials = joined(chunks)
            self.assertEqual(len(materials), (inside > 0).sum())
            np.testing.assert_array_equal(inside[tuple((coordinates - low).T)], materials + 1)
            codes = sum((coordinates[:, axis] >> bit & 1) << 3 * bit + axis for axis in range(3) for bit in range(6))
            self.assertTrue((np.diff(codes) > 0).all())

    @of_every_form
    def test_leaves_are_those_of_a_walk_node_by_node(self, scene, dense):
        expected = leaves_of(scene.file)
        chunks = list(scene.leaves(chunk=1000))
        self.assertLessEqual(max(len(chunk.masks) for chunk in chunks), 1000 // 64)
        corners, masks, values = joined(chunks)
        self.assertEqual(list(zip(map(tuple, corners.tolist()), masks.tolist())), expected)
        low, high = np.array([12, 20, 8]), np.array([32, 33, 40])
        found, _, _ = joined(scene.leaves(np.s_[12:32, 20:33, 8:40]))
        reach = ((corners < high) & (corners + 4 > low)).all(axis=1)
        np.testing.assert_array_equal(found, corners[reach])
        cubes = vox.grid.Leaves(corners, masks, values).cubes()
        for corner, cube in list(zip(corners, cubes))[::13]:
            x, y, z = corner
            part = dense[x:x + 4, y:y + 4, z:z + 4]
            np.testing.assert_array_equal(cube[:part.shape[0], :part.shape[1], :part.shape[2]], part)

    @of_every_form
    def test_single_voxels_are_those_of_the_file(self, scene, dense):
        random = np.random.default_rng(8)
        filled, _ = joined(scene.voxels())
        places = np.concatenate([random.integers(0, scene.resolution, (300, 3)), filled[::97]])
        np.testing.assert_array_equal(scene.at(places), dense[tuple(places.T)])
        self.assertEqual(scene.at(places[:40]).tolist(), [voxel(scene.file, *map(int, place)) for place in places[:40]])
        for wrong in ([[0, 0, scene.resolution]], [[-1, 0, 0]], [[0.5, 1, 2]], [1, 2, 3]):
            self.assertRaises(IndexError, scene.at, wrong)
        self.assertEqual(len(scene.at(np.zeros((0, 3), int))), 0)

    @of_every_form
    def test_levels_are_those_of_the_octree(self, scene, dense):
        self.assertEqual(scene.depth, 4)
        padded = np.zeros((64, 64, 64), bool)
        padded[:dense.shape[0], :dense.shape[1], :dense.shape[2]] = dense > 0
        for number in range(5):
            level = scene.level(number)
            side = 64 >> number
            self.assertEqual(level.side, side)
            expected = padded.reshape(64 // side, side, 64 // side, side, 64 // side, side).any(axis=(1, 3, 5))
            expected = expected[tuple(slice(n) for n in level.size)]
            np.testing.assert_array_equal(level[:], expected)
            np.testing.assert_array_equal(level[:, 0, ...], expected[:, 0])
            cubes = np.concatenate(list(level.cubes(chunk=64)))
            self.assertEqual(len(cubes), expected.sum())
            self.assertTrue(expected[tuple(cubes.T)].all())
        self.assertEqual(scene.level(-1).side, 4)
        self.assertRaises(IndexError, scene.level, 5)

    @of_every_form
    def test_facts_are_those_that_the_programs_tell(self, scene, _):
        facts = json.loads(self.run_program("vox-convert", scene.file.filename, "--info", "--json"))
        self.assertEqual(
            [scene.resolution, scene.depth, scene.filled, scene.digest, scene.voxel_size, scene.up, scene.coverage,
             scene.solid, scene.material_bits, list(scene.origin), scene.source],
            [facts[name] for name in ("resolution", "depth", "voxels", "digest", "voxel_size", "up", "coverage", "solid",
                                      "material_bits", "origin", "source")])
        if scene.form == "svdag":
            found = [scene.level(i) for i in range(scene.depth + 1)]
            self.assertEqual([(level.side, level.unique_nodes, level.svo_nodes, level.bytes) for level in found],
                             [tuple(level[name] for name in ("side", "unique_nodes", "svo_nodes", "bytes"))
                              for level in facts["levels"]])
        if scene.material_bits:
            self.assertEqual(["#{:02x}{:02x}{:02x}".format(*color) for color in scene.palette],
                             [entry["color"] for entry in facts["palette"]])
        self.assertIn(vox.__version__, self.run_program("vox-convert", "--version"))
        first = next(scene.voxels()).coordinates[:2]
        np.testing.assert_allclose(scene.centers(first), scene.origin + scene.voxel_size * (first + 0.5))

    def test_child_numbers_of_8_bytes_are_read_like_those_of_4(self):
        write_long_numbers(self.path("all.h5"), self.path("long.h5"))
        with vox.open(self.path("all.h5")) as short, vox.open(self.path("long.h5")) as scene:
            np.testing.assert_array_equal(scene[:], short[:])
            places = np.random.default_rng(5).integers(0, 50, (500, 3))
            np.testing.assert_array_equal(scene.at(places), short.at(places))
            for level in range(4):
                found, expected = scene.level(level), short.level(level)
                self.assertEqual((found.unique_nodes, found.svo_nodes, found.bytes),
                                 (expected.unique_nodes, expected.svo_nodes, expected.bytes))
        with h5py.File(self.path("long.h5"), "r+") as file:
            file["svdag/level_01/words"][2] = 1
        with self.assertRaisesRegex(ValueError, "long.h5: /svdag/level_01/words: .*does not exist"), \
                vox.open(self.path("long.h5")) as scene:
            _ = scene[:]

    def test_parts_version_1_and_long_numbers_are_packed_to_the_same_file(self):
        write_long_numbers(self.path("all.h5"), self.path("long.h5"))
        self.convert("all.h5", "-o", "whole.h5")
        with open(self.path("whole.h5"), "rb") as file:
            whole = file.read()
        for name in ("head.h5", "old.h5", "long.h5"):
            self.run_program("vox-convert", name, "--verify", "-q")
            self.convert(name, "-o", "packed.h5")
            with open(self.path("packed.h5"), "rb") as file:
                self.assertEqual(file.read(), whole)

    def test_a_part_that_is_missing_or_another_is_named(self):
        write_in_parts(self.path("all.h5"), self.path("torn.h5"), 3)
        part, other = self.path("torn.parts/001.h5"), self.path("torn.parts/002.h5")

        def problem():
            with self.assertRaises((ValueError, OSError)) as caught, vox.open(self.path("torn.h5")) as scene:
                _ = scene[3:4, 5, 6]
            return str(caught.exception)

        os.rename(part, self.path("elsewhere.h5"))
        self.assertIn("torn.parts/001.h5", problem())
        shutil.copy(other, part)
        self.assertIn("torn.parts/001.h5: is not the part", problem())

    def test_binvox_has_the_same_materials(self):
        self.convert("all.h5", "--binvox-materials", "-o", "a.binvox")
        with open(self.path("a.binvox"), "rb") as file:
            header, _, runs = file.read().partition(b"\ndata\n")
        self.assertIn(b"dim 50 50 50", header)
        pairs = np.frombuffer(runs, np.uint8).reshape(-1, 2)
        x_z_y = np.repeat(pairs[:, 0], pairs[:, 1]).reshape(50, 50, 50)
        with vox.open(self.path("all.h5")) as scene:
            np.testing.assert_array_equal(scene[:], x_z_y.transpose(0, 2, 1))

    def test_magicavoxel_gets_the_same_voxels_and_colors(self):
        self.convert("all.h5", "-o", "a.vox")
        with open(self.path("a.vox"), "rb") as file:
            data = file.read()
        chunks, at = {}, 20  # after the header and that of MAIN
        while at < len(data):
            name, length = data[at:at + 4], int.from_bytes(data[at + 4:at + 8], "little")
            chunks.setdefault(name, data[at + 12:at + 12 + length])
            at += 12 + length
        x, y, z, index = np.frombuffer(chunks[b"XYZI"][4:], np.uint8).reshape(-1, 4).T.astype(int)
        with vox.open(self.path("all.h5")) as scene:
            coordinates, materials = joined(scene.voxels())
            low, high = coordinates.min(axis=0), coordinates.max(axis=0)
            # z is up in the file.
            found = {(a + low[0], c + low[1], high[2] - b): i for a, b, c, i in zip(x, y, z, index)}
            self.assertEqual(found, {tuple(place): material + 1 for place, material in zip(coordinates, materials)})
            colors = np.frombuffer(chunks[b"RGBA"], np.uint8).reshape(-1, 4)
            np.testing.assert_array_equal(colors[:len(scene.palette), :3], scene.palette)

    def test_edits_are_told_and_an_empty_scene_is_empty(self):
        script = "box remove min 0,0,0 max 50,50,50\n"
        with open(self.path("empty.txt"), "w", encoding="utf-8") as file:
            file.write(script)
        self.run_program("vox-edit", "all.h5", "--script", "empty.txt", "-o", "empty.h5", "-q")
        self.convert("empty.h5", "--structure", "svdag,hash,bricks", "-o", "none.h5")
        for form in FORMS:
            with self.subTest(form=form), vox.open(self.path("none.h5"), form) as scene:
                self.assertEqual((scene[:].any(), list(scene.voxels()), list(scene.leaves())), (False, [], []))
                self.assertFalse(scene.at([[1, 2, 3]]).any() or scene.level(2)[:].any())
                self.assertEqual([(edit.script, edit.digest) for edit in scene.history], [(script, scene.digest)])

    def test_what_is_no_box_is_an_error(self):
        with vox.open(self.path("all.h5")) as scene:
            for box in (np.s_[::2], np.s_[50], np.s_[0, 0, 0, 0], np.s_[..., ...], np.s_[1.5], "abc", np.s_[-51]):
                self.assertRaises(IndexError, scene.__getitem__, box)
            self.assertRaises(ValueError, lambda: next(scene.voxels(chunk=63)))
        self.assertRaisesRegex(ValueError, "the form is 'dag', expected one of: svdag, symmetric, hash", vox.open, "all.h5", "dag")

    def test_a_scene_of_a_single_leaf_is_read(self):
        self.convert("mesh.obj", "--res", "4", "--structure", "svdag,hash,bricks", "-o", "tiny.h5")
        dense = self.exported("tiny.h5")
        for form in FORMS:
            with self.subTest(form=form), vox.open(self.path("tiny.h5"), form) as scene:
                self.assertEqual(scene.depth, 0)
                np.testing.assert_array_equal(scene[:], dense)
                np.testing.assert_array_equal(scene[1:3, :, 2], dense[1:3, :, 2])
                np.testing.assert_array_equal(scene.at(np.argwhere(dense < 99)), dense.ravel())


def one_line(keys, materials):
    """Returns a table of one line, made key by key, following docs/formats.md."""
    cells, wrap = [2**64 - 1] * 17, 2**64

    def mix64(x):
        for factor in 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53:
            x = (x ^ x >> 33) * factor % wrap
        return x ^ x >> 33

    for key, material in zip(keys, materials):
        if key == 2**60 - 1:
            cells[16] = key << 4 | material
            continue
        low = mix64((key // 16 + 77) % wrap) % 2**32
        buckets = [(key // 8 + low) % 2, (key // 8 + low + 1) % 2]  # the key's buckets for turns 0 and 1
        free = [8 * bucket + i for bucket in buckets for i in range(8) if cells[8 * bucket + i] == 2**64 - 1]
        cells[free[0]] = key << 4 | material
    return np.array(cells, np.uint64)


class Tables(unittest.TestCase):
    def test_a_full_line_and_the_key_of_all_ones_are_found(self):
        side, random = 2**20, np.random.default_rng(8)
        places = np.concatenate([np.full((1, 3), side - 1), random.integers(0, side, (16, 3))])
        materials = np.concatenate([[15], random.integers(0, 16, 16)])
        keys = [x + side * (y + side * z) for x, y, z in places.tolist()]
        with h5py.File("far.h5", "w", driver="core", backing_store=False) as file:
            group = file.create_group("hash")
            for name, value in dict(version=2, resolution=side, key_bits=60, value_bits=4, line_cells=16, bucket_cells=8,
                                    voxels=17, lines=1, seed=77, probes=2, apart=1).items():
                group.attrs[name] = np.uint64(value)
            group.attrs["table"], group.attrs["layout"] = b"lines", b"linear"
            group["cells"] = one_line(keys, materials.tolist())
            table = vox.SpatialHash(file, 18)
            np.testing.assert_array_equal(table.at(places), materials + 1)
            self.assertFalse(table.at((places + [1, 5, 3]) % side).any())
            corners, words = joined(table.leaves(np.zeros(3, int), np.full(3, side), 2))
            order = np.argsort([sum((n >> bit & 1) << 3 * bit + axis for axis, n in enumerate(place) for bit in range(20))
                                for place in places.tolist()])
            np.testing.assert_array_equal(corners, places[order] // 4 * 4)
            np.testing.assert_array_equal(words.max(axis=1), materials[order] + 1)


if __name__ == "__main__":
    unittest.main()
