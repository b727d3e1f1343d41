# A recipe for Spack. It builds a checkout without CUDA: put this folder into a repository of recipes as packages/vox, then
#   cd CHECKOUT && spack dev-build vox@0.2.0
# tests/install/check_recipes.py compares it with what the build needs and installs; Spack itself is not part of the tests.
from spack.package import *


class Vox(CMakePackage):
    """Textured meshes, points and volumes to compact voxel structures."""

    version("0.2.0")
    license("Apache-2.0")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("assimp")
    depends_on("cxxopts", type="build")
    depends_on("fmt")
    depends_on("hdf5")
    depends_on("libdeflate")
    depends_on("simdjson")
    depends_on("stb", type="build")
    depends_on("intel-oneapi-tbb")
    depends_on("python", type=("build", "run"))
    depends_on("py-h5py", type="run")
    depends_on("py-numpy", type="run")

    generator("ninja")
    conflicts("%gcc@:11", msg="vox is written in C++20 of GCC 12")

    sanity_check_is_file = [
        "bin/vox-convert", "bin/vox-edit", "bin/vox-render", "bin/vox-stats", "bin/vox-scene", "bin/vox-bench",
        "include/vox.h", "include/vox_chunks.h", "include/vox/libvox/engine/engine.h",
        "lib/libvox.so", "lib/libvox_formats.so", "lib/libvox_c.so", "lib/cmake/vox/voxConfig.cmake",
    ]

    def cmake_args(self):
        return [self.define("VOX_CUDA", False), self.define("BUILD_TESTING", False), self.define("VOX_WERROR", False),
                self.define("CMAKE_INSTALL_LIBDIR", "lib"), self.define("VOX_PYTHON_DIR", python_platlib)]
