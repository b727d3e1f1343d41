"""Files that are damaged or foreign must give a ValueError that names them, and never anything else."""

import os
import shutil

from programs import ProgramTest, h5py, np, unittest  # first: it finds the package

import vox

FORMS = ("svdag", "hash", "bricks")


def read_all(path, form=None):
    with vox.open(path, form) as scene:
        for _ in scene.voxels():
            pass
        _ = scene.at([[1, 2, 3], [9, 9, 9]]), scene[4:9, 3:30, 7], scene.history, scene.level(1).unique_nodes


def words(level, change):
    """Returns a change of the words of a level."""
    def in_file(file):
        values = file[f"svdag/level_{level:02}/words"][()]
        change(values)
        file[f"svdag/level_{level:02}/words"][...] = values
    return in_file


def _replaced(file, name, values):
    attributes = dict(file[name].attrs)
    del file[name]
    file[name] = values
    file[name].attrs.update(attributes)


def cut(level, end):
    """Returns a change that removes the words of a level from `end` on."""
    name = f"svdag/level_{level:02}/words"
    return lambda file: _replaced(file, name, file[name][()][:end])


def starts(level, values):
    return lambda file: _replaced(file, f"svdag/level_{level:02}/starts", np.array(values, np.uint64))


class Damage(ProgramTest):
    @classmethod
    def make(cls):
        cls.write_mesh()
        cls.convert("mesh.obj", "--res", "24", "--structure", "svdag,bricks,hash", "-o", "sound.h5")
        cls.convert("mesh.obj", "--res", "24", "--file-version", "1", "-o", "old.h5")

    def changed(self, change, of="sound.h5"):
        """Returns the path of a copy after change(file)."""
        path = shutil.copy(self.path(of), self.path("changed.h5"))
        with h5py.File(path, "r+") as file:
            change(file)
        return path

    def expect(self, text, change, form=None, of="sound.h5"):
        with self.assertRaises(ValueError) as caught:
            read_all(self.changed(change, of), form)
        self.assertIn("changed.h5", str(caught.exception))
        self.assertIn(text, str(caught.exception))

    def test_what_is_sound_is_read(self):
        for form in FORMS:
            read_all(self.changed(lambda file: None), form)
        read_all(self.changed(lambda file: None, "old.h5"))

    def test_what_is_no_file_of_vox_is_told(self):
        self.assertRaises(FileNotFoundError, vox.open, self.path("none.h5"))
        self.assertRaises(IsADirectoryError, vox.open, self.path("."))
        with h5py.File(self.path("other.h5"), "w"):
            pass
        for name in ("mesh.obj", "other.h5"):
            for reader in (vox.open, vox.report):
                self.assertRaisesRegex(ValueError, name, reader, self.path(name))
        self.assertRaisesRegex(ValueError, "the format is vox-scene, expected vox-report", vox.report, self.path("sound.h5"))
        self.expect("is of version 7, this program reads version 1, 2", lambda file: file.attrs.modify("version", np.uint32(7)))
        for name in FORMS:
            self.expect(f"holds no {name}, but", lambda file, name=name: file.__delitem__(name), name)
        self.expect("neither an SVDAG nor", lambda file: [file.__delitem__(name) for name in FORMS])

    def test_a_part_of_a_file_is_an_error(self):
        with open(self.path("sound.h5"), "rb") as file:
            data = file.read()
        for i in range(20):
            with open(self.path("part.h5"), "wb") as file:
                file.write(data[:len(data) * i // 20])
            with self.assertRaisesRegex(ValueError, "part.h5"):
                read_all(self.path("part.h5"))

    def test_whatever_is_missing_or_of_another_kind_is_named(self):
        names = []
        with h5py.File(self.path("sound.h5")) as file:
            file.visit(names.append)
        for form in FORMS:
            used = [name for name in names if name.split("/")[0] in ("palette", "history", form) + ("scene",)]
            used = [name for name in used if form != "bricks" or name.split("/")[-1] in ("bricks", "root", "types")]
            for name in used:
                if name != form and name.split("/")[0] != "history/time":
                    self.expect(name.split("/")[-1], lambda file, name=name: file.__delitem__(name), form)
                    self.expect(name.split("/")[-1], lambda file, name=name: [
                        file.__delitem__(name), file.create_dataset(name, data=np.zeros((2, 2), complex))], form)
        for group in ("/", "scene", "hash", "bricks"):
            form = group if group in FORMS else None
            with h5py.File(self.path("sound.h5")) as file:
                attributes = list(file[group].attrs)
            for name in set(attributes) - {"generator", "command", "created", "load_factor", "arithmetic", "material_bits",
                                           "allowed_types", "slope", "spacing", "origin", "source"}:
                self.expect(name, lambda file, group=group, name=name: file[group].attrs.__delitem__(name), form)
                self.expect("", lambda file, group=group, name=name: file[group].attrs.__setitem__(name, [1j]), form)

    def test_pointers_and_nodes_that_are_wrong_are_named_by_level_and_word(self):
        expect = self.expect
        expect("/svdag/level_01/words: word 1 points to node 999999999 of",
               words(1, lambda w: w.__setitem__(1, 999999999)))
        expect("/svdag/level_00/words: the node at word 0", words(0, lambda w: w.__setitem__(0, 0)))
        expect("/svdag/level_00/words: the node at word 0", words(0, lambda w: w.__setitem__(0, w[0] | 1 << 20)))
        expect("/svdag/level_03/words: the node at word 0", words(3, lambda w: w.__setitem__(slice(0, 2), 0)))
        expect("/svdag/level_03/words: the attribute nodes is", cut(3, 0))
        expect("/svdag/level_00/words: the attribute nodes is 1, expected 0 to 0", cut(0, 0))
        expect("/svdag/level_03/words: the node at word", cut(3, -1))
        expect("/svdag/level_00/words: the node at word 0", cut(0, 3))
        expect("/svdag/level_02/words: has 1 starts", starts(2, [1]))
        expect("/svdag/level_02/words: has 2 starts", starts(2, [0, 9]))
        expect("/svdag/level_02/words: has 0 starts", starts(2, []))
        for size, text in (7, "the attribute child_bytes is 7, expected 4 or 8"), (8, ""):
            expect("/svdag/level_02/words: " + text, lambda file, size=size:
                   file["svdag/level_02/words"].attrs.modify("child_bytes", np.uint32(size)))
        self.convert("mesh.obj", "--res", "24", "--materials", "none", "-o", "sound.h5")
        self.addCleanup(self.make)
        expect("/svdag/level_03/words: the node at word 4", words(3, lambda w: w.__setitem__(slice(4, 6), 0)))
        expect("/scene: the number of voxels is 5, but", lambda file: file["scene"].attrs.modify("voxels", np.uint64(5)))

    def test_offsets_and_nodes_of_version_1_that_are_wrong_are_named_too(self):
        def expect(text, change):
            self.expect(text, change, of="old.h5")

        expect("/svdag/level_01/words: word 1 points to word 999999999", words(1, lambda w: w.__setitem__(1, 999999999)))
        expect("/svdag/level_02/words: the node at word", words(1, lambda w: w.__setitem__(2, w[2] + 1)))
        expect("/svdag/level_00/words: the node at word 0", words(0, lambda w: w.__setitem__(0, 0)))
        expect("/svdag/level_02/words: word 1 points to word 0 of the next level's 0", cut(3, 0))
        expect("/svdag/level_01/words: no pointer leads to word 0", cut(0, 0))
        expect("/svdag/level_03/words: the node at word", cut(3, -1))
        expect("/svdag/level_00/words: the node at word 0", cut(0, 3))

    def test_cells_that_are_wrong_are_named(self):
        def cells(change):
            def in_file(file):
                values = file["hash/cells"][()]
                change(values, np.flatnonzero(values != 2**64 - 1))
                file["hash/cells"][...] = values
            return in_file

        self.expect("two cells have one key", cells(lambda c, at: c.__setitem__(at[3], c[at[4]])), "hash")
        for key in 2**36, 2**15 - 1, 0x1249:  # outside of 32³; (31, 31, 31) and (31, 0, 0) in it
            self.expect("is no voxel of 24³", cells(lambda c, at, key=key: c.__setitem__(at[3], key << 4)), "hash")
        self.expect("cells are filled", cells(lambda c, at: c.__setitem__(at[3], 2**64 - 1)), "hash")
        self.expect("/hash/cells: has", lambda file: file["hash"].attrs.modify("lines", np.uint64(5)), "hash")

    def test_equal_cells_of_a_bucket_are_named_where_single_voxels_are_read(self):
        def double(file):
            values = file["hash/cells"][()]
            at = next(i for i in range(0, len(values) - 8, 8) if (values[i:i + 2] != 2**64 - 1).all())
            values[at + 1] = values[at]
            file["hash/cells"][...] = values

        with vox.open(self.changed(double), "hash") as scene:
            with self.assertRaisesRegex(ValueError, "changed.h5: /hash/cells: two cells have one key"):
                scene.at(np.stack(np.unravel_index(np.arange(24**3), (24, 24, 24)), axis=1))

    def test_a_dataset_larger_than_its_bytes_can_hold_takes_no_memory(self):
        def huge(file):
            del file["svdag/level_03/words"]
            file["svdag/level_03"].create_dataset("words", (2**50,), "<u4", chunks=(1024,), compression=1)
        self.expect("/svdag/level_03/words: says that it holds", huge)

    def test_words_that_are_wrong_are_an_error_or_other_voxels(self):
        """Flips random bits of any words."""
        random = np.random.default_rng(3)
        names = [f"svdag/level_{level:02}/words" for level in range(4)] + ["hash/cells", "bricks/root"]
        with h5py.File(self.path("sound.h5")) as file:
            names += [f"bricks/{name}" for name in file["bricks/types"].asstr()[()] if file[f"bricks/{name}"].size > 0]
        errors = 0
        for name in names:
            for _ in range(6):
                def flip(file, name=name):
                    values = file[name][()]
                    values[random.integers(len(values))] ^= values.dtype.type(1 << int(random.integers(31)))
                    file[name][...] = values
                try:
                    read_all(self.changed(flip), name.split("/")[0])
                except ValueError as error:
                    errors += 1
                    self.assertIn("changed.h5", str(error))
        self.assertGreater(errors, 10)

    def test_a_chunk_that_is_damaged_is_named(self):
        with h5py.File(self.path("sound.h5")) as file:
            at = file["svdag/level_03/words"].id.get_chunk_info(0).byte_offset
        path = shutil.copy(self.path("sound.h5"), self.path("changed.h5"))
        with open(path, "r+b") as file:
            file.seek(at + 100)
            file.write(os.urandom(50))
        self.assertRaisesRegex(ValueError, "changed.h5: /svdag/level_03/words", read_all, path)


if __name__ == "__main__":
    unittest.main()
