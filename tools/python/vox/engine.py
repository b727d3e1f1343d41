"""Engines: the devices on which scenes are made, and how calls of them are ended by Ctrl-C and show their progress."""

import contextlib
import ctypes
import os
import threading
import weakref
from typing import Callable, Optional, Union

from . import library

try:
    # HDF5 serves one thread of a process at a time, and h5py may use the same one.
    from h5py._objects import phil as hdf5_turn
except ImportError:
    hdf5_turn = contextlib.nullcontext()

Progress = Union[bool, Callable[[str, float], None], None]


class _Bars:
    """Shows progress with tqdm, a bar for each kind of work."""

    def __init__(self, tqdm):
        self._tqdm, self._bar, self._what = tqdm, None, None

    def __call__(self, what, share):
        if what != self._what:
            self.close()
            self._bar, self._what = self._tqdm(total=100, desc=what, unit="%", leave=False), what
        self._bar.update(100 * share - self._bar.n)

    def close(self):
        if self._bar is not None:
            self._bar.close()
        self._bar = self._what = None


class Engine:
    """The devices that make scenes. `voxelize()` and `load()` make one for each device and keep it, so that an engine of
    one's own is needed for its options alone.

    `device` is auto, cpu, cuda, cuda:N, or a list such as cuda:0,1; `threads` the number of threads, 0 for all cores;
    `memory_limit` bytes. `progress` is True for bars of tqdm, if it is installed, or a function that gets what is done and
    the share that is done. `log` is a function that gets a level (0 error, 1 warning, 2 info, 3 debug) and a text. These
    functions may call `cancel()`, but must use nothing else of this package or of h5py, whose locks the call may hold.

    >>> engine = vox.Engine(device="cpu", threads=1)
    >>> engine.device
    'cpu'
    """

    def __init__(self, device: str = "auto", threads: int = 0, memory_limit: int = 0, progress: Progress = None,
                 log: Optional[Callable[[int, str], None]] = None):
        self._pointer = None
        self._library = library.load()
        options = library.EngineOptions(device=device.encode(), threads=threads, memory_limit=memory_limit)
        self._pointer = library.made(self._library.vox_engine_create, ctypes.byref(options))
        self._turn = threading.Lock()  # held by the call that is running
        self._raised = None
        self._functions = []  # ctypes forgets those that nobody else keeps
        self._bars = None
        if progress is True:
            with contextlib.suppress(ImportError):
                from tqdm.auto import tqdm
                self._bars = progress = _Bars(tqdm)
        if callable(progress):
            self._set_progress(progress)
        if log is not None:
            self._set_log(log)

    def __del__(self):
        if self._pointer is not None:
            self._library.vox_engine_delete(ctypes.byref(self._pointer))

    def __repr__(self):
        return f"<engine on {self.device}>"

    @property
    def device(self) -> str:
        """The device's name: `cpu` or `cuda:0`."""
        return self._library.vox_engine_device(self._pointer).decode()

    def cancel(self) -> None:
        """Ends the call that the engine is making, from another thread. It raises VoxError."""
        self._library.vox_engine_cancel(self._pointer)

    def _keep(self, function, kind):
        function = kind(function)
        self._functions.append(function)
        return function

    def _set_progress(self, progress):
        of = weakref.ref(self)  # an engine that its functions kept would hold its memory until the next garbage collection

        def tell(_, what, share):
            try:
                progress(what.decode(errors="replace"), share)
                return 0
            except BaseException as error:  # it must not get into the library
                of()._raised = error
                return 1

        library.check(self._library.vox_engine_set_progress(self._pointer, self._keep(tell, library.PROGRESS), None))

    def _set_log(self, log):
        of = weakref.ref(self)

        def tell(_, level, text):
            try:
                log(level, text.decode(errors="replace"))
            except BaseException as error:
                of()._raised = error
                of().cancel()

        library.check(self._library.vox_engine_set_log(self._pointer, self._keep(tell, library.LOG), None))

    # --- calls ---

    def _call(self, name, *arguments, files=False):
        """Calls a function of the library with the engine as its first argument. `files`: it may use HDF5."""

        def work(may_begin):
            with self._turn, (hdf5_turn if files else contextlib.nullcontext()):
                if not may_begin():
                    return
                self._raised = None
                try:
                    library.check(getattr(self._library, name)(self._pointer, *arguments))
                except library.VoxError:
                    if self._raised is not None:
                        raise self._raised from None
                    raise
                finally:
                    if self._bars is not None:
                        self._bars.close()

        self._run(work)

    def _make(self, name, *arguments, files=False, delete="vox_scene_delete"):
        """Does the same for a function that returns an object through its last argument. `delete` names the function that
        deletes it."""
        pointer = ctypes.c_void_p()
        try:
            self._call(name, *arguments, ctypes.byref(pointer), files=files)
        except BaseException:  # an interrupt may come when the scene is made already
            getattr(self._library, delete)(ctypes.byref(pointer))
            raise
        return pointer

    def _text(self, name, *arguments):
        """Does the same for a function that gives a text."""
        length = ctypes.c_uint64()
        self._call(name, *arguments, None, 0, ctypes.byref(length))
        text = ctypes.create_string_buffer(length.value + 1)
        self._call(name, *arguments, text, len(text), ctypes.byref(length))
        return text.value.decode()

    def _run(self, work):
        """Python handles signals in its main thread alone, and there between two instructions. So a thread of its own makes
        the call, and the main thread waits. If a signal's handler raises something, as Ctrl-C's does, the call is
        cancelled; a call that still waits for those of other threads never begins."""
        if threading.current_thread() is not threading.main_thread():
            return work(lambda: True)
        gate, done, failed, raised = threading.Lock(), threading.Event(), [], None
        begun = ended = False

        def may_begin():
            nonlocal begun
            with gate:
                begun = not ended
            return begun

        def run():
            try:
                work(may_begin)
            except BaseException as error:
                failed.append(error)
            finally:
                done.set()

        # An exception may come at any place, also while the thread starts. The call uses arrays of the caller, so that this
        # function must not be left before the call has ended.
        thread, is_over = threading.Thread(target=run, name="vox", daemon=True), False
        while not is_over:
            try:
                if raised is None and thread.ident is None:
                    thread.start()
                if raised is not None:
                    with gate:
                        ended = True
                    if not begun:
                        break
                    self.cancel()  # again and again: the library may be about to begin with the call
                done.wait(None if raised is None else 0.02)
                is_over = done.is_set()
            except BaseException as error:
                raised = error
        if raised is not None:
            raise raised
        if failed:
            raise failed[0]


_engines = {}


def engine_for(device: str = "auto", engine: Optional[Engine] = None, progress: Progress = None) -> Engine:
    """Returns the engine, if there is one; else the one that is kept for the device, or a new one to show progress."""
    if engine is not None:
        if progress or device != "auto":
            raise ValueError("device and progress are those of the engine")
        return engine
    if progress:
        return Engine(device, progress=progress)
    key = os.getpid(), device  # the threads of an engine do not live on in a process that is forked
    if key not in _engines:
        _engines[key] = Engine(device)
    return _engines[key]
