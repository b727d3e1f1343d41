"""Errors, interrupts and progress of calls of the library in this process."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import weakref

# This comes first because it finds the package.
from programs import DEVICE, ROOT, ProgramTest, SKIPPED, np, soup, unittest

import vox
from vox import engine, library

if not library.is_there():
    print("the library is not there")
    sys.exit(SKIPPED)


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

    def test_an_engine_that_tells_its_progress_is_deleted_at_once(self):
        own = vox.Engine(DEVICE, progress=lambda what, share: None, log=lambda level, text: None)
        there = weakref.ref(own)
        gc.disable()
        self.addCleanup(gc.enable)
        del own
        self.assertIsNone(there())

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
