"""Compares the files that the conda recipe tests with those that are installed below a prefix.

    tests/install/check_conda_recipe.py PREFIX PYTHON_DIR
"""

import os
import re
import sys

prefix, python_dir = sys.argv[1:]
root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
with open(os.path.join(root, "conda/meta.yaml"), encoding="utf-8") as file:
    recipe = file.read()
with open(os.path.join(root, "CMakeLists.txt"), encoding="utf-8") as file:
    version = re.search(r"project\(vox VERSION ([\d.]+)", file.read())[1]

problems = []
if f"version: {version}\n" not in recipe:
    problems.append(f"the recipe's version is not {version}")
files = re.findall(r"- test -e (\S+)", recipe)
for name in files:
    if not os.path.exists(name.replace("$PREFIX", prefix).replace("$SP_DIR", os.path.join(prefix, python_dir))):
        problems.append(f"{name} is not installed")
programs = {f"$PREFIX/bin/{name}" for name in os.listdir(os.path.join(prefix, "bin"))}
libraries = {f"$PREFIX/lib/{name}" for name in os.listdir(os.path.join(prefix, "lib"))
             if re.fullmatch(r"libvox\w*\.so", name) and name != "libvox_mpi.so"}
problems += [f"the recipe does not test {name}" for name in sorted((programs | libraries) - set(files))]
print("\n".join(problems) or f"the recipe tests {len(files)} files, and all are there")
sys.exit(1 if problems or not files else 0)
