"""Converts with the library, in this process, and compares with what the programs write and the package reads from files."""

import ctypes
import doctest
import gc
import json
import os
import sys
import types

# This comes first because it finds the package.
from programs import DEVICE, ProgramTest, SKIPPED, joined, np, soup, unittest

import vox
from vox import conversion, device_array, engine, library, memory_scene, meshes

if not library.is_there():
    print("the library is not there")
    sys.exit(SKIPPED)


def obj_of(vertices, faces):
    return "".join([*(f"v {x!r} {y!r} {z!r}\n" for x, y, z in vertices.tolist()),
                    *(f"f {a} {b} {c}\n" for a, b, c in (faces + 1).tolist())])


class DocumentedExamples(ProgramTest):
    def test_examples_of_the_package_say_what_they_do(self):
        before = os.getcwd()
        os.chdir(self.path(""))
        self.addCleanup(os.chdir, before)
        for module in (conversion, device_array, memory_scene, engine):
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

    def test_bricks_are_those_that_the_program_writes(self):
        self.scene.save(self.path("for-bricks.h5"))
        for size, types in ((16, "all"), (0, "dense,empty"), (4, "octree,list"), (512, "all")):
            self.convert("for-bricks.h5", "--structure", "bricks", "--brick-size", str(size or "auto"), "--types", types, "-o",
                         "bricks.h5", "--force")
            found = self.scene.bricks(size=size, types=types)
            with vox.open(self.path("bricks.h5")) as file:
                group, memory = file.file["bricks"], found.file
                self.assertLessEqual(set(group.attrs) - set(memory.attrs), {"up", "unit"})  # these are the scene's own
                for name in memory.attrs:
                    value = group.attrs[name]
                    value = value.decode() if isinstance(value, bytes) else value
                    np.testing.assert_array_equal(memory.attrs[name], value, name)
                for name in group:
                    words = group[name].asstr()[()] if name == "types" else group[name][()]
                    np.testing.assert_array_equal(memory.get(name) if words.size else words, words, name)
                for box in (np.s_[:], np.s_[3:47, 5:90, 20:33], np.s_[:, 9, 17]):
                    np.testing.assert_array_equal(found[box], self.scene[box])
                places = np.random.default_rng(3).integers(0, 100, (300, 3))
                np.testing.assert_array_equal(found.at(places), file.at(places))
                for of_memory, of_file in zip(joined(found.voxels()), joined(file.voxels())):
                    np.testing.assert_array_equal(of_memory, of_file)
                np.testing.assert_array_equal(found.palette, file.palette)
                np.testing.assert_array_equal(found.centers(places), self.scene.centers(places))
                self.assertEqual((found.filled, found.size, found.palette_names, found.source, repr(found)),
                                 (file.filled, file.size, file.palette_names, file.source, repr(file)))
        large = vox.voxelize([[0, 0, 0], [1, 0, 0], [0, 1, 0]], res=8192, device=DEVICE)
        sparse = large.bricks(size=4)
        self.assertIn("group_levels", sparse.file.attrs)
        self.assertEqual(sparse.filled, large.filled)
        for box in (np.s_[3000:3100, 5000:5200, :3], np.s_[8100:, :90, 0]):
            np.testing.assert_array_equal(sparse[box], large[box])
        for wrong in ({"size": 5}, {"size": 1024}, {"types": "empty,homogeneous"}, {"types": "cubes"}, {"types": ""}):
            with self.assertRaises(vox.VoxError):
                self.scene.bricks(**wrong)
        with self.assertRaises(ValueError):
            self.scene.bricks(size=-4)

    def test_rays_hit_what_a_march_through_the_dense_voxels_finds(self):
        dense, size = self.scene[:], self.scene.voxel_size
        place = np.stack(np.mgrid[0:100, 0:100], axis=-1).reshape(-1, 2)
        for axis in range(3):
            voxels = np.insert(place, axis, 300, axis=1)  # outside of the cube
            origins, direction = self.scene.centers(voxels), -7.0 * np.eye(3)[axis]
            hits = self.scene.rays(origins, direction)
            column = np.moveaxis(dense, axis, 2)[..., ::-1].reshape(-1, 100)
            steps, found = (column > 0).argmax(axis=1), (column > 0).any(axis=1)
            voxels[:, axis] = 99 - steps
            np.testing.assert_array_equal(hits.voxels, np.where(found[:, None], voxels, -1))
            np.testing.assert_allclose(hits.distances, np.where(found, (steps + 200.5) * size, np.inf), rtol=1e-9)
            np.testing.assert_array_equal(hits.materials[found], column[np.flatnonzero(found), steps[found]] - 1)
            np.testing.assert_array_equal(hits.colors[found, :3], self.scene.palette[hits.materials[found]])
            np.testing.assert_array_equal(hits.colors[:, 3], 255 * found)
            np.testing.assert_array_equal(hits.normals, found[:, None] * np.eye(3)[axis])
            self.assertTrue(found.any() and not found.all())
        one = self.scene.rays(origins[5].tolist(), np.float32(direction))
        self.assertEqual((one.distances[0], len(one.materials)), (hits.distances[5], 1))
        self.assertEqual(len(self.scene.rays(np.zeros((0, 3)), [0, 0, 1]).distances), 0)
        for origin, towards in (([0, 0], [0, 0, 1]), (np.zeros((2, 3)), np.ones((3, 3))), (np.zeros((1, 1, 3)), [0, 0, 1])):
            with self.assertRaises(ValueError):
                self.scene.rays(origin, towards)
        with self.assertRaises(vox.VoxError):
            self.scene.rays([0, 0, 0], [0, 0, 0])

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

    def test_arrays_on_the_device_are_those_of_the_host(self):
        made = engine.engine_for(DEVICE)

        def on_device(array):
            array = np.asarray(array)
            copy = vox.DeviceArray(made, device_array.layout(array.shape, array.dtype))
            library.check(library.load().vox_memory_copy(copy.address, array.ctypes.data, array.nbytes))
            return copy

        vertices, faces = on_device(self.vertices), on_device(self.faces.astype(np.int32))
        self.assertEqual(hasattr(vertices, "__cuda_array_interface__"), made.device != "cpu")
        scene = vox.voxelize(vertices, faces, res=100, device=DEVICE)
        self.assertEqual(scene.digest, self.scene.digest)
        for box in (np.s_[:], np.s_[3:47, 5:90, 20:33], np.s_[:, 9, 17], np.s_[5:3, :, :]):
            for kind in ("u1", "u2", "rgba"):
                array = scene.dense(box, kind, on_device=True)
                expected = scene.dense(box, kind)
                self.assertEqual((array.shape, array.strides), (expected.shape, expected.strides) if expected.size else
                                 (expected.shape, array.strides))
                np.testing.assert_array_equal(array.to_host(), expected)
                np.testing.assert_array_equal(meshes.as_array(array), expected)  # as other packages read it
            for found, expected in zip((*scene.voxels(box, on_device=True), scene.colors(box, on_device=True)),
                                       (*scene.voxels(box), scene.colors(box))):
                np.testing.assert_array_equal(found.to_host(), expected)

    def test_arrays_on_the_device_are_shared_by_dlpack(self):
        box, kept = np.s_[3:47, 5:90, 20:33], len(device_array._shared)
        expected = self.scene.dense(box)

        def taken(array):  # as another package takes it
            capsule = array.__dlpack__(stream=None)
            pointer = ctypes.pythonapi.PyCapsule_GetPointer
            pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
            managed = device_array._ManagedTensor.from_address(pointer(capsule, b"dltensor"))
            name = ctypes.pythonapi.PyCapsule_SetName
            name.argtypes = [ctypes.py_object, ctypes.c_char_p]
            name(capsule, b"used_dltensor")
            return managed

        managed = taken(self.scene.dense(box, on_device=True))  # the capsule and the array have gone
        gc.collect()
        tensor = managed.tensor
        self.assertEqual(len(device_array._shared), kept + 1)
        self.assertEqual((tensor.ndim, tensor.code, tensor.bits, tensor.lanes), (3, 1, 8, 1))
        self.assertEqual(tensor.device_type, 1 if DEVICE == "cpu" else 2)
        self.assertEqual((tensor.shape[:3], tensor.strides[:3]), ([44, 85, 13], [1, 44, 44 * 85]))
        memory = np.empty(expected.size, np.uint8)
        library.check(library.load().vox_memory_copy(memory.ctypes.data, tensor.data, memory.size))
        np.testing.assert_array_equal(memory.reshape(13, 85, 44).T, expected)
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(managed.delete)(ctypes.addressof(managed))
        self.scene.colors(on_device=True).__dlpack__()  # nobody takes the capsule
        gc.collect()
        self.assertEqual(len(device_array._shared), kept)
        if DEVICE == "cpu":
            array = self.scene.voxels(box, on_device=True).coordinates
            shared = np.from_dlpack(array)
            np.testing.assert_array_equal(shared, self.scene.voxels(box).coordinates)
            self.assertEqual(shared.ctypes.data, array.address)
            del shared
            gc.collect()
            self.assertEqual(len(device_array._shared), kept)

    def test_arrays_of_other_packages_on_a_gpu_are_read_as_they_say(self):
        memory = np.arange(24, dtype=np.uint8)

        def of_gpu(**facts):  # memory of the host stands for that of a GPU, which the library tells apart by the address
            return types.SimpleNamespace(__cuda_array_interface__={"version": 3, "typestr": "|u1",
                                                                   "data": (memory.ctypes.data, True), **facts})

        np.testing.assert_array_equal(device_array.from_device(of_gpu(shape=(4, 6))), memory.reshape(4, 6))
        np.testing.assert_array_equal(device_array.from_device(of_gpu(shape=(6, 2), strides=(1, 12))),
                                      memory.reshape(2, 12)[:, :6].T)
        np.testing.assert_array_equal(device_array.from_device(of_gpu(shape=(3,), typestr="<i4")), memory[:12].view("<i4"))
        self.assertEqual(device_array.from_device(of_gpu(shape=(0, 5), data=(0, True))).shape, (0, 5))
        for wrong in ({"shape": (3,), "mask": memory}, {"shape": (3,), "strides": (-1,)}):
            with self.assertRaises(ValueError):
                device_array.from_device(of_gpu(**wrong))

    def test_arrays_behind_a_header_are_aligned_for_the_library(self):
        def behind(array):
            found = np.frombuffer(b"x" + array.tobytes(), array.dtype, offset=1).reshape(array.shape)
            self.assertFalse(found.flags.aligned)
            return found

        places, numbers = behind(self.vertices), behind(self.faces.astype(np.uint32))
        self.assertTrue(meshes.positions_of(places).flags.aligned)
        self.assertEqual(vox.voxelize(places, numbers, res=100, device=DEVICE).digest, self.scene.digest)

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

    def test_a_material_without_an_image_has_its_color(self):
        square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float64)
        for material in ({"diffuse": np.uint8([188, 0, 255, 255])}, {"diffuse": [188, 0, 255]}, {"diffuse": [188 / 255, 0.0, 1.0]},
                         {"baseColorFactor": np.uint8([128, 0, 255, 255])},
                         {"baseColorFactor": [0.5, 0, 1.0, 1]}):
            visual = types.SimpleNamespace(uv=None, material=types.SimpleNamespace(**material), kind="texture")
            mesh = types.SimpleNamespace(vertices=square, faces=[[0, 1, 2], [0, 2, 3]], visual=visual)
            scene = vox.voxelize(mesh, res=16, device=DEVICE)
            self.assertEqual(scene.palette.tolist(), [[188, 0, 255]], material)

    def test_textures_of_the_caller_replace_those_of_a_mesh(self):
        square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float64)
        blue, red = np.array([[[0, 0, 255]]], np.uint8), np.array([[[255, 0, 0]]], np.uint8)
        for own in (blue, None):
            visual = types.SimpleNamespace(uv=square[:, :2], material=types.SimpleNamespace(image=own), kind="texture")
            mesh = types.SimpleNamespace(vertices=square, faces=[[0, 1, 2], [0, 2, 3]], visual=visual)
            scene = vox.voxelize(mesh, res=16, textures=[red], device=DEVICE)
            self.assertEqual(scene.palette.tolist(), [[255, 0, 0]])

    def test_arguments_without_an_effect_are_errors(self):
        square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float64)
        image, values = np.zeros((2, 2, 3), np.uint8), np.ones((4, 4, 4), np.uint8)
        own = vox.Engine(DEVICE)
        for wrong in (lambda: vox.voxelize(square, [[0, 1, 2]], res=16, textures=[image]),
                      lambda: vox.voxelize(square, [[0, 1, 2]], res=16, uv=square[:, :2], textures=[image],
                                           material_colors=[[1, 2, 3]]),
                      lambda: vox.voxelize(square, res=16),  # no whole number of triangles
                      lambda: vox.voxelize(self.path("soup.obj"), res=16, wrap="clamp"),
                      lambda: vox.voxelize(self.path("soup.obj"), res=16, v_up=False),
                      lambda: vox.voxelize(self.path("soup.obj"), res=16, alpha_cutoff=0.5),
                      lambda: vox.voxelize_volume(values, dtype="<u2"), lambda: vox.voxelize_volume(values, size=(2, 2, 2)),
                      lambda: vox.voxelize_volume(values, offset=8), lambda: vox.voxelize_volume(values, origin=(1,)),
                      lambda: vox.voxelize_volume(self.path("values.bin"), size=(4, 4, 4)),
                      lambda: vox.voxelize(square, [[0, 1, 2]], res=16, engine=own, progress=print),
                      lambda: vox.voxelize(square, [[0, 1, 2]], res=16, engine=own, device="cpu")):
            self.assertRaises(ValueError, wrong)

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
        facts = vox.stats(self.scene)
        self.assertAlmostEqual(facts["dedup"], facts["svo_nodes"] / facts["unique_nodes"])
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


if __name__ == "__main__":
    unittest.main()
