#!/usr/bin/env bash
# Makes a wheel of the Python package with the library and everything that it needs, for any Linux with our glibc or a newer
# one. Called by the target `wheel`:   tools/wheel.sh VERSION OUTPUT_FOLDER LIBVOX_C
set -euo pipefail

version=$1 output=$2 c_library=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$here/tools/libraries.sh"
limit=$((30 * 1000 * 1000))
glibc_version=$(ldd --version | awk 'NR == 1 { print $NF }')
tag=py3-none-manylinux_${glibc_version//./_}_$(uname -m)
wheel=$output/vox-$version-$tag.whl
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/vox" "$root/vox.libs" "$root/vox-$version.dist-info/licenses" "$output"

install -m 644 -t "$root/vox" "$here"/tools/python/vox/*.py "$here/tools/python/vox/py.typed"
install -m 644 "$here/LICENSE" "$root/vox-$version.dist-info/licenses/LICENSE"
copy_libraries "$root/vox.libs" "$root/vox-$version.dist-info/licenses" "$c_library"
cp -L "$c_library" "$root/vox.libs/$(patchelf --print-soname "$c_library")"
strip --strip-unneeded "$root"/vox.libs/*
for library in "$root"/vox.libs/*; do patchelf --force-rpath --set-rpath '$ORIGIN' "$library"; done
check_libraries "$root" "$root"/vox.libs/*

cat >"$root/vox-$version.dist-info/METADATA" <<END
Metadata-Version: 2.1
Name: vox
Version: $version
Summary: Meshes, points and volumes become sparse voxel DAGs: converts, edits, shows and reads them as numpy arrays
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: numpy
Requires-Dist: h5py
END
cat >"$root/vox-$version.dist-info/WHEEL" <<END
Wheel-Version: 1.0
Generator: vox $version
Root-Is-Purelib: false
Tag: $tag
END

# The list of all files with their check sums, and the archive, whose times are the day of the commit.
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct 2>/dev/null || date +%s)}
python3 - "$root" "$wheel" "vox-$version.dist-info/RECORD" "$epoch" <<'END'
import base64, hashlib, os, sys, time, zipfile

root, wheel, record, epoch = sys.argv[1:]
day = max(time.gmtime(int(epoch))[:6], (1980, 1, 1, 0, 0, 0))
names = sorted(os.path.relpath(os.path.join(folder, name), root) for folder, _, files in os.walk(root) for name in files)
lines = []
with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    def add(name, content):
        entry = zipfile.ZipInfo(name, day)
        entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(entry, content)

    for name in names:
        with open(os.path.join(root, name), "rb") as file:
            content = file.read()
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        lines.append(f"{name},sha256={digest},{len(content)}\n")
        add(name, content)
    add(record, "".join(lines) + f"{record},,\n")
END

bytes=$(stat -c %s "$wheel")
awk -v path="$wheel" -v bytes="$bytes" 'BEGIN { printf "%s: %.1f MB\n", path, bytes / 1e6 }'
if ((bytes > limit)); then
  echo "wheel.sh: larger than $((limit / 1000000)) MB" >&2
  exit 1
fi
