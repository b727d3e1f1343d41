"""Arrays in the memory of a GPU, which other packages share by __cuda_array_interface__ or DLPack."""

import ctypes
from typing import Any, Tuple

import numpy as np

from . import library
from .engine import Engine


def layout(shape: Tuple[int, ...], dtype: Any) -> np.ndarray:
    """Returns an array without memory, whose views have the shapes and strides of those of a packed one."""
    packed = np.empty((1,) * len(shape), dtype)
    strides = [packed.itemsize]
    for size in shape[:0:-1]:
        strides.insert(0, strides[0] * size)
    return np.lib.stride_tricks.as_strided(packed, shape, strides[:len(shape)], writeable=False)


def _span(shape, strides, item):
    """Returns the number of bytes from the first item to the end of the last."""
    if 0 in shape:
        return 0
    return item + sum((size - 1) * stride for size, stride in zip(shape, strides))


def _viewed(memory, shape, strides, dtype):
    if memory.size == 0:
        return np.empty(shape, dtype)
    return np.ndarray(shape, dtype, memory, 0, strides)


# The structures of DLPack, by which packages share arrays on any device: a tensor and the function that gives it back.


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class _ManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("delete", ctypes.c_void_p)]


_CPU, _CUDA = 1, 2  # the types of devices
_KINDS = {"i": 0, "u": 1, "f": 2}
_shared = {}  # by the address of the structure: what must live until another package gives the array back


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _give_back(address):
    _shared.pop(address, None)


# Other packages may have set the types of the functions in ctypes.pythonapi.
_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi))
_is_capsule = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_in_capsule = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _drop_capsule(capsule):
    if _is_capsule(capsule, b"dltensor"):  # a package that takes the array renames the capsule
        _shared.pop(_in_capsule(capsule, b"dltensor"), None)


class DeviceArray:
    """An array in the memory of an engine's first device, as `dense(on_device=True)` and others return it. It keeps its engine.

    If the device is a GPU, `torch.as_tensor(array, device="cuda")` and `cupy.asarray(array)` share its memory; if it is a
    CPU, `numpy.asarray(array)` does. Any package's `from_dlpack(array)` shares it, too. `to_host()` copies it into an array of
    numpy.

    >>> scene = vox.voxelize([[0, 0, 0], [1, 0, 0], [0, 1, 0]], res=16, device="cpu")
    >>> array = scene.dense(np.s_[0:4, 0:2, 0], on_device=True)
    >>> array
    <array [4, 2] of uint8 on cpu>
    >>> array.to_host()[:, 0]
    array([1, 1, 1, 1], dtype=uint8)
    """

    def __init__(self, engine: Engine, like: np.ndarray) -> None:
        """`like` is what layout() returns, or a view of it that begins with its first item."""
        self._engine, self._pointer = engine, ctypes.c_void_p()
        self.shape: Tuple[int, ...] = like.shape
        self.dtype: np.dtype = like.dtype
        self.strides: Tuple[int, ...] = like.strides
        self.nbytes: int = _span(like.shape, like.strides, like.itemsize)
        engine._call("vox_memory_create", max(self.nbytes, 1), ctypes.byref(self._pointer))

    def __del__(self):
        library.load().vox_memory_delete(self._engine._pointer, ctypes.byref(self._pointer))

    def __repr__(self):
        return f"<array {list(self.shape)} of {self.dtype} on {self._engine.device}>"

    @property
    def address(self) -> int:
        """The address of the first item on the device."""
        return self._pointer.value

    @property
    def _interface(self):
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.address, False), "strides": self.strides,
                "version": 3}

    @property
    def __cuda_array_interface__(self):
        if self._engine.device == "cpu":
            raise AttributeError("the array is in the memory of the host")
        return {**self._interface, "stream": None}  # calls wait until the array is filled

    @property
    def __array_interface__(self):
        if self._engine.device != "cpu":
            raise AttributeError("the array is in the memory of a GPU: to_host() copies it")
        return self._interface

    def __dlpack_device__(self):
        name = self._engine.device.split(",")[0]
        return (_CPU, 0) if name == "cpu" else (_CUDA, int(name.partition(":")[2] or 0))

    def __dlpack__(self, **_):
        """The array is complete already, so no stream has to wait for it."""
        dims = len(self.shape)
        strides = [stride // self.dtype.itemsize for stride in self.strides]
        numbers = (ctypes.c_int64 * (2 * dims))(*self.shape, *strides)
        first = ctypes.cast(numbers, ctypes.POINTER(ctypes.c_int64))
        second = ctypes.cast(ctypes.byref(numbers, 8 * dims), ctypes.POINTER(ctypes.c_int64))
        device, number = self.__dlpack_device__()
        managed = _ManagedTensor(_Tensor(self.address, device, number, dims, _KINDS[self.dtype.kind],
                                         8 * self.dtype.itemsize, 1, first, second, 0), None,
                                 ctypes.cast(_give_back, ctypes.c_void_p))
        address = ctypes.addressof(managed)
        _shared[address] = managed, numbers, self
        return _new_capsule(address, b"dltensor", ctypes.cast(_drop_capsule, ctypes.c_void_p))

    def to_host(self) -> np.ndarray:
        """Returns a copy in the memory of the host."""
        memory = np.empty(self.nbytes, np.uint8)
        library.check(library.load().vox_memory_copy(memory.ctypes.data, self.address, self.nbytes))
        return _viewed(memory, self.shape, self.strides, self.dtype)


def from_device(source: Any) -> np.ndarray:
    """Returns a copy of an array in the memory of a GPU, of any object with __cuda_array_interface__. All work that the GPU has
    been given before is done first."""
    facts = source.__cuda_array_interface__
    if facts.get("mask") is not None:
        raise ValueError("an array in the memory of a GPU must not have a mask")
    shape, dtype = tuple(facts["shape"]), np.dtype(facts["typestr"])
    strides = facts.get("strides") or layout(shape, dtype).strides
    if min(strides, default=0) < 0:
        raise ValueError("an array in the memory of a GPU must not have negative strides")
    memory = np.empty(_span(shape, strides, dtype.itemsize), np.uint8)
    library.check(library.load().vox_memory_copy(memory.ctypes.data, facts["data"][0], memory.size))
    return _viewed(memory, shape, strides, dtype)
