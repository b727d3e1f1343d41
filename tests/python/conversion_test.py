"""Converts with the library, in this process, and compares with what the programs write and the package reads from files."""

import doctest
import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
import types

# This comes first because it finds the package.
from programs import ROOT, ProgramTest, SKIPPED, joined, np, unittest

import vox
from vox import conversion, engine, library, memory_scene

if not library.is_there():
    print("the library is not there")
    sys.exit(SKIPPED)

DEVICE = os.environ.get("VOX_TEST_DEVICE", "cpu")


def soup(triangles, seed=1):
    """Returns vertices and faces of random triangles."""
    random = np.random.default_rng(seed)
    vertices = random.random((triangles, 1, 3)) * 10 + random.random((triangles, 3, 3))
    return vertices.reshape(-1, 3), np.arange(3 * triangles).reshape(-1, 3)


def obj_of(vertices, faces):
    return "".join([*(f"v {x!r} {y!r} {z!r}\n" for x, y, z in vertices.tolist()),
                    *(f"f {a} {b} {c}\n" for a, b, c in (faces + 1).tolist())])


class DocumentedExamples(ProgramTest):
    def test_examples_of_the_package_say_what_they_do(self):
        before = os.getcwd()
        os.chdir(self.path(""))
        self.addCleanup(os.chdir, before)
        for module in (conversion, memory_scene, engine):
            results = doctest.testmod(module, extraglobs={"vox": vox, "np": np})
            self.assertEqual(results.failed, 0)
            self.assertGreater(results.attempted, 0)


class Conversions(ProgramTest):
    @classmethod
    def make(cls):
        cls.vertices, cls.faces = soup(200)
        with open(cls.path("soup.obj"), "w", encoding="utf-8") as file:
            file.write(obj_of(cls.vertices, cls.faces))
        cls.convert("soup.obj", "--res", "100", "-o", "soup.h5")
        cls.scene = vox.voxelize(cls.vertices, cls.faces, res=100, device=DEVICE)

    def test_arrays_give_the_scene_that_the_program_makes(self):
        with vox.open(self.path("soup.h5")) as file:
            self.assertEqual(self.scene.digest, file.digest)
            self.assertEqual(self.scene.filled, file.filled)
            self.assertEqual(self.scene.voxel_size, file.voxel_size)
            np.testing.assert_array_equal(self.scene.origin, file.origin)
            np.testing.assert_array_equal(self.scene.palette, file.palette)
            self.assertEqual(self.scene.palette_names, file.palette_names)
            for box in (np.s_[:], np.s_[3:47, 5:90, 20:33], np.s_[:, :, 17], np.s_[-9:, 8, ...], np.s_[5:3, :, :]):
                np.testing.assert_array_equal(self.scene[box], file[box])
                np.testing.assert_array_equal(self.scene.dense(box, "u2"), file[box])
            coordinates, materials = joined(file.voxels())
            np.testing.assert_array_equal(self.scene.voxels().coordinates, coordinates)
            np.testing.assert_array_equal(self.scene.voxels().materials, materials)
        self.assertTrue(self.scene[:].flags.f_contiguous)
        self.assertGreater(self.scene.filled, 5000)

    def test_insides_are_those_that_the_program_makes(self):
        ball = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], np.float32) * 5
        faces = np.array([[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]])
        with open(self.path("ball.obj"), "w", encoding="utf-8") as file:
            file.write(obj_of(ball.astype(np.float64), faces))
        with open(self.path("four.hex"), "w", encoding="utf-8") as file:
            file.write("c8c8c8\n0000ff\n00ff00\nff0000\n")
        palette = [[200, 200, 200], [0, 0, 255], [0, 255, 0], [255, 0, 0]]
        for inside, close in (("flood", 0), ("winding", 0), ("winding", 1), ("parity", 0)):
            options = ["--solid", "--inside", inside, "--interior", "3", "--shell", "2=1,5.5=2", "--palette", "four.hex",
                       "--voxel-size", "0.1,0.2,0.1"] + (["--close", str(close)] if close else [])
            self.convert("ball.obj", *options, "-o", "ball.h5", "--force")
            scene = vox.voxelize(ball, faces, voxel_size=(0.1, 0.2, 0.1), inside=inside, close=close, interior=3,
                                 shell={2: 1, 5.5: 2}, palette=palette, device=DEVICE)
            with vox.open(self.path("ball.h5")) as file:
                self.assertEqual(scene.digest, file.digest)
            self.assertEqual(set(np.unique(scene[:])), {0, 1, 2, 3, 4})
        for wrong in ({"inside": "out"}, {"inside": "flood", "solid": "parity"}, {"voxel_size": (1, 2), "res": None},
                      {"inside": "flood", "interior": 0, "shell": {2: 16}}, {"inside": "flood", "interior": -1},
                      {"inside": "flood", "interior": 2**32}):
            with self.assertRaises(ValueError):
                vox.voxelize(ball, faces, **{"res": 50, **wrong}, device=DEVICE)

    def test_distances_and_faults_are_those_that_the_program_writes(self):
        self.convert("soup.obj", "--res", "40", "--sdf", "2.5", "-o", "soup.npy", "--report", "faults.json", "--force")
        field = vox.sdf(self.vertices, self.faces, res=40, band=2.5, device=DEVICE)
        np.testing.assert_allclose(field.values, np.load(self.path("soup.npy")), rtol=0, atol=1e-6)
        self.assertTrue(field.values.flags.f_contiguous)
        with open(self.path("faults.json"), encoding="utf-8") as file:
            written = json.load(file)
        faults = vox.faults(self.path("soup.obj"), res=40, device=DEVICE)
        self.assertEqual({name: faults[name] for name in ("open_edges", "crossings", "turned_triangles")},
                         {name: written[name] for name in ("open_edges", "crossings", "turned_triangles")})
        self.assertEqual(faults["open_edges"], 600)
        with self.assertRaises(vox.VoxError):
            vox.sdf(self.vertices, self.faces, res=40, band=0, device=DEVICE)

    def test_other_types_and_sources_of_arrays_give_the_same_scene(self):
        class Interface:
            def __init__(self, array):
                self.__array_interface__, self.array = array.__array_interface__, array

        class Tensor:  # as other libraries have them
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **options):
                return self.array.__dlpack__(**options)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        mesh = types.SimpleNamespace(vertices=self.vertices, faces=self.faces)
        fortran = np.asfortranarray(self.vertices)
        for source, faces in ((mesh, None), (self.vertices.tolist(), self.faces.tolist()), (fortran, self.faces[:, ::1]),
                              (Interface(self.vertices), Interface(self.faces.astype(np.int32))),
                              (Tensor(self.vertices.copy()), Tensor(self.faces.astype(np.uint32))),
                              (memoryview(self.vertices), self.faces), (self.vertices, None), (self.path("soup.obj"), None)):
            found = vox.voxelize(source, faces, res="100", device=DEVICE)
            self.assertEqual(found.digest, self.scene.digest)

    def test_textures_colors_and_numbers_are_those_of_the_triangles(self):
        square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
        faces = np.array([[0, 1, 2], [0, 2, 3]])
        image = np.zeros((2, 2, 3), np.uint8)
        image[0, 0], image[0, 1], image[1, 0], image[1, 1] = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)
        uv = square[:, :2]
        for given in (uv, uv[faces]):
            scene = vox.voxelize(square, faces, res=16, uv=given, textures=[image], materials="colors", device=DEVICE)
            rgba = scene.dense(np.s_[:, :, 0], "rgba")
            self.assertEqual(rgba[2, 13].tolist(), [255, 0, 0, 255])  # u left, v up: the top row's first pixel
            self.assertEqual(rgba[13, 2].tolist(), [255, 255, 0, 255])
        down = vox.voxelize(square, faces, res=16, uv=uv, textures=[image / 255.0], materials="colors", v_up=False,
                            device=DEVICE)
        self.assertEqual(down.dense(np.s_[2, 13, 0], "rgba").tolist(), [0, 0, 255, 255])
        numbered = vox.voxelize(square, faces, res=16, material_of=[5, 2], device=DEVICE)
        self.assertEqual(numbered[12, 2, 0], 6)
        self.assertEqual(numbered[2, 12, 0], 3)
        painted = vox.voxelize(square, faces, res=16, colors=[[1.0, 0, 0]] * 4, materials="colors", device=DEVICE)
        self.assertEqual(np.unique(painted.colors(), axis=0).tolist(), [[255, 0, 0]])

    def test_something_like_a_trimesh_brings_its_looks(self):
        square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float64)
        faces = np.array([[0, 1, 2], [0, 2, 3]])
        blue = np.array([[[0, 0, 255]]], np.uint8)
        texture = types.SimpleNamespace(uv=square[:, :2], material=types.SimpleNamespace(image=blue), kind="texture")
        vertex = types.SimpleNamespace(vertex_colors=np.tile(np.uint8([0, 0, 255, 255]), (4, 1)), kind="vertex")
        face = types.SimpleNamespace(face_colors=np.tile(np.uint8([0, 0, 255, 255]), (2, 1)), kind="face")
        for visual in (texture, vertex, face):
            mesh = types.SimpleNamespace(vertices=square, faces=faces, visual=visual)
            self.assertEqual(vox.voxelize(mesh, res=16, device=DEVICE).palette.tolist(), [[0, 0, 255]], visual.kind)

    def test_pictures_with_a_palette_have_its_colors(self):
        class Picture:  # as Pillow has them: the array of such a picture has numbers of colors
            mode = "P"
            __array_interface__ = np.array([[7]], np.uint8).__array_interface__

            def convert(self, mode):
                assert mode == "RGBA"
                return np.array([[[0, 0, 255, 255]]], np.uint8)

        square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float64)
        scene = vox.voxelize(square, [[0, 1, 2], [0, 2, 3]], res=16, uv=square[:, :2], textures=[Picture()], device=DEVICE)
        self.assertEqual(scene.palette.tolist(), [[0, 0, 255]])

    def test_colors_of_a_palette_are_bytes_or_shares(self):
        for palette in ([[255, 0, 51]], np.array([[255, 0, 51]], np.uint16), [[1.0, 0.0, 0.2]]):
            scene = vox.voxelize(self.vertices, self.faces, res=16, palette=palette, device=DEVICE)
            self.assertEqual(scene.palette.tolist(), [[255, 0, 51]])
        for palette in (np.array([[256, 0, 0]]), [[-1, 0, 0]], [[2.0, 0, 0]], [[1, 2]], []):
            with self.assertRaises(ValueError):
                vox.voxelize(self.vertices, self.faces, res=16, palette=palette, device=DEVICE)

    def test_edits_take_turns_with_other_users_of_hdf5(self):
        taken = []

        class Turn:
            def __enter__(self):
                taken.append(True)

            def __exit__(self, *_):
                pass

        before, engine.hdf5_turn = engine.hdf5_turn, Turn()
        try:
            self.scene.copy().edit(f"stamp {self.path('soup.h5')} at 0,0,0\n")
        finally:
            engine.hdf5_turn = before
        self.assertTrue(taken)

    def test_edits_files_and_coarser_scenes_agree_with_the_programs(self):
        with open(self.path("edits.txt"), "w", encoding="utf-8") as file:
            file.write("sphere add center 50,50,50 radius 20 material 0\n")
        self.run_program("vox-edit", "soup.h5", "--script", "edits.txt", "-o", "edited.h5", "-q")
        scene = self.scene.copy()
        scene.edit("sphere add center 50,50,50 radius 20 material 0\n")
        with vox.open(self.path("edited.h5")) as file:
            self.assertEqual(scene.digest, file.digest)
        self.assertNotEqual(scene.digest, self.scene.digest)
        scene.save(self.path("saved.h5"))
        with vox.open(self.path("saved.h5")) as file:
            self.assertEqual(scene.digest, file.digest)
            self.assertEqual(len(file.history), 1)
        self.assertEqual(vox.load(self.path("saved.h5"), device=DEVICE).digest, scene.digest)
        scene.coarser(50)
        self.convert("edited.h5", "--res", "50", "-o", "coarser.h5")
        with vox.open(self.path("coarser.h5")) as file:
            self.assertEqual(scene.digest, file.digest)
        scene.clip(np.s_[:10, :, :])
        self.assertEqual(scene.count(), scene.count(np.s_[:10, :, :]))
        self.assertEqual(vox.stats(self.path("saved.h5"), device=DEVICE)["digest"], vox.load(self.path("saved.h5")).digest)

    def test_many_sources_give_the_scenes_that_they_give_alone(self):
        paths = [self.path("soup.obj"), (self.vertices, self.faces)] * 4
        digests = [scene.digest for scene in vox.voxelize_many(paths, res=100, device=DEVICE)]
        self.assertEqual(digests, [self.scene.digest] * 8)
        with self.assertRaisesRegex(vox.VoxError, "no such"):
            list(vox.voxelize_many(["no such.glb"], res=16, device=DEVICE))
        many = vox.voxelize_many(paths, res=100, device=DEVICE)
        next(many)
        many.close()  # what was to come is not read

    def test_several_inputs_points_volumes_and_paint_are_those_of_the_program(self):
        random = np.random.default_rng(3)
        values = (random.random((9, 7, 5)) * 4).astype(np.uint16)
        values.ravel(order="F").astype(">u2").tofile(self.path("values.bin"))
        options = {"materials": "labels", "spacing": (1, 1, 1), "origin": (2, 3, 4), "device": DEVICE}
        volume = vox.voxelize_volume(values, **options)
        np.testing.assert_array_equal(volume[:9, :7, :5], values)
        raw = vox.voxelize_volume(self.path("values.bin"), size=values.shape, dtype=">u2", **options)
        self.assertEqual(raw.digest, volume.digest)
        volume.save(self.path("volume.h5"), overwrite=True)

        self.convert("soup.obj", "volume.h5", "--res", "60", "-o", "both.h5")
        both = vox.voxelize([self.path("soup.obj"), self.path("volume.h5")], res=60, device=DEVICE)
        with vox.open(self.path("both.h5")) as file:
            self.assertEqual(both.digest, file.digest)
            np.testing.assert_array_equal(both.palette, file.palette)
        self.assertEqual(vox.compose([both, volume], res=60, device=DEVICE).filled, both.filled)

        places = random.random((5000, 3)).astype(np.float32) * 20
        np.savetxt(self.path("points.xyz"), places, fmt="%.9g")
        self.convert("points.xyz", "--res", "40", "--point-radius", "0.5", "-o", "points.h5")
        with vox.open(self.path("points.h5")) as file:
            self.assertEqual(vox.voxelize_points(places, res=40, radius=0.5, device=DEVICE).digest, file.digest)

        strokes = "stroke color #0000ff radius 3 from 1,1,1 to 9,9,9\n"
        with open(self.path("strokes.txt"), "w", encoding="utf-8") as file:
            file.write(strokes)
        uv = self.vertices[:, :2] / 11
        with open(self.path("mapped.obj"), "w", encoding="utf-8") as file:
            file.write(obj_of(self.vertices, self.faces[:0]) + "".join(f"vt {u!r} {v!r}\n" for u, v in uv.tolist()))
            file.writelines(f"f {a}/{a} {b}/{b} {c}/{c}\n" for a, b, c in (self.faces + 1).tolist())
        self.convert("mapped.obj", "--res", "60", "--paint", "strokes.txt", "--paint-size", "512", "-o", "painted.h5")
        painted = vox.voxelize(self.vertices, self.faces, uv=uv, res=60, strokes=strokes, paint_size=512, device=DEVICE)
        with vox.open(self.path("painted.h5")) as file:
            self.assertEqual(painted.digest, file.digest)
            np.testing.assert_array_equal(painted.palette, file.palette)

        for wrong in (lambda: vox.voxelize_volume(values[0]), lambda: vox.voxelize_volume(values.astype(complex)),
                      lambda: vox.voxelize_points(places, colors=places[:9] / 20, res=9)):
            self.assertRaises(ValueError, wrong)

    def test_vdb_files_are_read(self):
        path = self.path("soup.vdb")
        self.scene.save(path, overwrite=True)
        self.assertEqual(vox.load(path, device=DEVICE).digest, self.scene.digest)
        try:
            import pyopenvdb  # the library itself, where it is installed
        except ImportError:
            self.skipTest("no pyopenvdb: its own files are not read")
        values = np.zeros((20, 30, 25), np.float32)
        values[3:11, 5:21, 7:9] = np.arange(1, 17)[None, :, None]
        grid = pyopenvdb.FloatGrid()
        grid.copyFromArray(values)
        pyopenvdb.write(self.path("grid.vdb"), grids=[grid])
        scene = vox.voxelize(self.path("grid.vdb"), device=DEVICE)
        coordinates, materials = scene.voxels()  # the grid begins at the first active voxel
        self.assertEqual(scene.filled, 8 * 16 * 2)
        np.testing.assert_array_equal(coordinates.min(axis=0), [0, 0, 0])
        np.testing.assert_array_equal(coordinates.max(axis=0), [7, 15, 1])
        np.testing.assert_array_equal(materials, coordinates[:, 1])  # sixteen bins for sixteen values

    def test_pictures_are_shown_in_notebooks(self):
        picture = self.scene.render((60, 40), view="front")
        self.assertEqual((picture.shape, picture.dtype), ((40, 60, 4), np.uint8))
        self.assertGreater(len(np.unique(picture.reshape(-1, 4), axis=0)), 20)
        self.assertTrue(self.scene._repr_png_().startswith(b"\x89PNG"))
        self.assertIn(self.scene.digest, self.scene._repr_html_())


class Failures(ProgramTest):
    def test_errors_say_what_where_and_what_to_do(self):
        vertices, faces = soup(3)
        faces[1, 1] = 99
        with self.assertRaises(vox.VoxError) as raised:
            vox.voxelize(vertices, faces, res=16, device=DEVICE)
        self.assertEqual(raised.exception.where, "arrays->indices")
        self.assertIn("triangle 1 has vertex 99", raised.exception.what)
        scene = vox.voxelize(vertices, res=16, device=DEVICE)
        with self.assertRaises(vox.VoxError) as raised:
            scene.save(self.path("scene.docx"))
        self.assertIn(".h5", raised.exception.hint)
        self.assertIn(raised.exception.hint, str(raised.exception))
        for wrong in ({"faces": [[0, -1, 2]]}, {"faces": [[0, 1]]}, {"res": "4X"}, {"coverage": "thick"}, {"uv": [[0, 0]]},
                      {"material_of": [0]}, {"material_of": [99] * 3}, {"up": "z"}, {"colors": np.full((9, 3), 1.5)}):
            with self.assertRaises((ValueError, IndexError), msg=str(wrong)):
                vox.voxelize(vertices, **{"res": 16, "device": DEVICE, **wrong})

    def test_interrupts_end_a_call_and_the_engine_goes_on(self):
        def interrupt(*_):
            raise KeyboardInterrupt

        vertices, faces = soup(20000)
        engine = vox.Engine(DEVICE)
        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, interrupt))
        begin = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with self.assertRaises(KeyboardInterrupt):
            vox.voxelize(vertices, faces, res="16K", engine=engine)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertGreater(vox.voxelize(vertices, faces, res=64, engine=engine).filled, 1000)

    def test_interrupts_end_a_call_that_waits_for_another_one(self):
        def interrupt(*_):
            raise KeyboardInterrupt

        def hold(turn, held, over):
            with turn:
                held.set()
                over.wait(10)

        own = vox.Engine(DEVICE)
        scene = vox.voxelize(*soup(10), res=16, engine=own)
        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, interrupt))
        for turn in (own._turn, engine.hdf5_turn):
            held, over = threading.Event(), threading.Event()
            other = threading.Thread(target=hold, args=(turn, held, over))
            other.start()
            held.wait()
            begin = time.monotonic()
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            with self.assertRaises(KeyboardInterrupt):
                scene.save(self.path("late.h5"))
            self.assertLess(time.monotonic() - begin, 5)
            over.set()
            other.join()
            self.assertGreater(vox.voxelize(*soup(10), res=64, engine=own).filled, 10)
            self.assertFalse(os.path.exists(self.path("late.h5")))

    def test_interrupts_while_the_thread_of_a_call_starts_wait_for_the_call(self):
        start, begun, over = threading.Thread.start, threading.Event(), threading.Event()

        def interrupted(thread):
            start(thread)
            begun.wait(10)
            raise KeyboardInterrupt

        def work(may_begin):
            may_begin()
            begun.set()
            time.sleep(0.2)
            over.set()

        own = vox.Engine(DEVICE)
        threading.Thread.start = interrupted
        try:
            with self.assertRaises(KeyboardInterrupt):
                own._run(work)
        finally:
            threading.Thread.start = start
        self.assertTrue(over.is_set())

    def test_a_scene_that_changed_before_an_interrupt_says_what_it_holds(self):
        own = vox.Engine(DEVICE)
        scene = vox.voxelize(*soup(10), res=64, engine=own)
        call = own._call

        def interrupted(*arguments, **options):
            call(*arguments, **options)
            raise KeyboardInterrupt

        own._call = interrupted
        with self.assertRaises(KeyboardInterrupt):
            scene.coarser(32)
        own._call = call
        self.assertEqual(scene.resolution, 32)
        self.assertEqual(scene[:].shape, (32, 32, 32))

    def test_progress_is_told_and_its_exceptions_come_back(self):
        told = []
        engine = vox.Engine(DEVICE, progress=lambda what, share: told.append((what, share)))
        scene = vox.voxelize(*soup(100), res=64, engine=engine)
        scene.edit("sphere add center 9,9,9 radius 3 material 0\n" * 5)
        self.assertIn("editing", {what for what, _ in told})
        self.assertTrue(all(0 <= share <= 1 for _, share in told))

        def fail(*_):
            raise RuntimeError("enough")

        engine = vox.Engine(DEVICE, progress=fail)
        digest = scene.digest
        scene._engine = engine
        with self.assertRaisesRegex(RuntimeError, "enough"):
            scene.edit("sphere add center 9,9,9 radius 5 material 0\n" * 5)
        self.assertEqual(scene.digest, digest)

    def test_files_are_read_without_the_library(self):
        program = ("import vox\nassert vox.open\ntry:\n  vox.voxelize([[0, 0, 0]], res=16)\n"
                   "except vox.VoxError as error: print(error)\n")
        run = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, check=True,
                             env={**os.environ, "VOX_LIBRARY": "/nowhere/libvox_c.so",
                                  "PYTHONPATH": os.path.join(ROOT, "tools/python")})
        self.assertIn("VOX_LIBRARY names the file", run.stdout)

    def test_arrays_outlive_the_scene_that_they_came_from(self):
        scene = vox.voxelize(*soup(50), res=64, device=DEVICE)
        box, before = scene[:], scene[:].copy()
        del scene
        gc.collect()
        np.testing.assert_array_equal(box, before)


if __name__ == "__main__":
    unittest.main()
