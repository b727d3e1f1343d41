"""Compares the recipes in packaging/ with the version and the dependencies of the build, and the files that they test with
those that are installed below a prefix.

    tests/install/check_recipes.py PREFIX PYTHON_DIR
"""

import json
import os
import re
import sys

prefix, python_dir = sys.argv[1:]
root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")


def text_of(name):
    with open(os.path.join(root, name), encoding="utf-8") as file:
        return file.read()


version = re.search(r"project\(vox VERSION ([\d.]+)", text_of("CMakeLists.txt"))[1]
conda, spack = text_of("packaging/conda/meta.yaml"), text_of("packaging/spack/package.py")
vcpkg, port = json.loads(text_of("packaging/vcpkg/vcpkg.json")), text_of("packaging/vcpkg/portfile.cmake")
vcpkg_names = {each if isinstance(each, str) else each["name"] for each in vcpkg["dependencies"]}
PROGRAMS = re.search(r"TOOL_NAMES ([\w -]+?) AUTO_CLEAN", port)[1].split()

# The version, the libraries, and the files below the prefix, as each recipe states them.
RECIPES = {
    "conda": (re.search(r"version: (\S+)", conda)[1], set(re.findall(r"^    - ([\w-]+)", conda.split("requirements:")[1], re.M)),
              {name.replace("$PREFIX/", "").replace("$SP_DIR", python_dir) for name in re.findall(r"- test -e (\S+)", conda)}),
    "spack": (re.search(r'version\("(\S+)"\)', spack)[1], set(re.findall(r'depends_on\("([\w-]+)', spack)),
              set(re.findall(r'"((?:bin|include|lib)/\S+)"', spack))),
    "vcpkg": (vcpkg["version"], vcpkg_names,
              set(re.findall(r"(?:include|lib)/\S+?\.(?:h|so)\b", port)) | {f"bin/{name}" for name in PROGRAMS}),
}
NAMES = {"tbb": {"conda": "tbb-devel", "spack": "intel-oneapi-tbb"}}  # where a recipe's name is not the library's

needed = set(re.findall(r"^(?:find_package|pkg_check_modules)\((\w+) REQUIRED", text_of("cmake/dependencies.cmake"), re.M))
needed |= set(re.findall(r"^find_path\((\w+)_directory .* REQUIRED\)", text_of("CMakeLists.txt"), re.M))
needed = {name.lower() for name in needed} - {"pkgconfig"}
programs = {f"bin/{name}" for name in os.listdir(os.path.join(prefix, "bin"))}
libraries = {f"lib/{name}" for name in os.listdir(os.path.join(prefix, "lib"))
             if re.fullmatch(r"libvox\w*\.so", name) and name != "libvox_mpi.so"}

problems = []
for recipe, (stated, dependencies, files) in RECIPES.items():
    if stated != version:
        problems.append(f"the version of {recipe}'s recipe is {stated}, not {version}")
    problems += [f"{recipe}'s recipe does not name {name}" for name in sorted(needed)
                 if NAMES.get(name, {}).get(recipe, name) not in dependencies]
    problems += [f"{recipe}'s recipe tests {name}, which is not installed" for name in sorted(files)
                 if not os.path.exists(os.path.join(prefix, name))]
    problems += [f"{recipe}'s recipe does not test {name}" for name in sorted((programs | libraries) - files)]
print("\n".join(problems) or f"{len(RECIPES)} recipes of version {version}, with {len(needed)} libraries each")
sys.exit(1 if problems or len(needed) < 6 else 0)
