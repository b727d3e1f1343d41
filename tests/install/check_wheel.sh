#!/usr/bin/env bash
# Installs a wheel into an empty folder and converts with it there, without access to the build.
#   tests/install/check_wheel.sh WHEEL [PYTHON]   the Python must have numpy and h5py
set -euo pipefail
wheel=$(realpath "$1")
python=${2:-/usr/bin/python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset VOX_LIBRARY LD_LIBRARY_PATH
export PYTHONDONTWRITEBYTECODE=1

echo "--- the files are those of its list"
mkdir unpacked
"$python" - "$wheel" <<'END'
import base64, csv, hashlib, io, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    names = wheel.namelist()
    record = next(name for name in names if name.endswith(".dist-info/RECORD"))
    rows = list(csv.reader(io.StringIO(wheel.read(record).decode())))
    assert sorted(row[0] for row in rows) == sorted(names), "RECORD names other files"
    for name, digest, size in rows:
        if name != record:
            found = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).decode().rstrip("=")
            assert digest == "sha256=" + found and int(size) == wheel.getinfo(name).file_size, name
    wheel.extractall("unpacked")
END

cat >example.py <<'END'
import os, sys, numpy as np, vox
from vox import library
library.load()
loaded = [line.split()[-1] for line in open("/proc/self/maps") if "/libvox" in line]
here = os.path.dirname(os.path.dirname(os.path.abspath(vox.__file__)))
assert loaded and all(path.startswith(here + "/") for path in loaded), (here, sorted(set(loaded)))
vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
scene = vox.voxelize(vertices, faces, res=128, solid=True)
scene.edit("sphere remove center 30,30,30 radius 20")
scene.save("wheel.h5")
with vox.open("wheel.h5") as file:
    assert (file[:] == scene[:]).all() and file.digest == scene.digest
assert scene.render((64, 48)).std() > 10
print(f"{scene.filled} voxels with {vox.__file__}")
END

echo "--- it works where it is unpacked"
PYTHONPATH=unpacked "$python" example.py

if "$python" -m venv --system-site-packages venv >/dev/null 2>&1; then
  echo "--- it works where pip installs it"
  venv/bin/python -m pip install -q --no-index --no-deps "$wheel"
  venv/bin/python example.py
else
  echo "--- no venv: pip is not tried"
fi
echo "check_wheel: all is well"
