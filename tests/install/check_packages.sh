#!/usr/bin/env bash
# Unpacks the Debian packages of a folder into an empty one and uses them there, without access to the build.
#   tests/install/check_packages.sh DIST
set -euo pipefail
dist=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "check_packages: $1" >&2; exit 1; }

packages=()
for name in vox python3-vox libvox0.2 libvox-c0 libvox-dev; do
  found=("$dist/${name}"_*.deb)
  [[ ${#found[@]} == 1 && -f ${found[0]} ]] || fail "not one package $name in $dist: ${found[*]}"
  packages+=("${found[0]}")
done

echo "--- what they need is there, and is what ${packages[0]##*/} says"
for package in "${packages[@]}"; do
  echo "$(dpkg-deb -f "$package" Package): $(dpkg-deb -f "$package" Depends)"
  dpkg-deb -x "$package" "$work/unpacked"
done
depends() { dpkg-deb -f "$dist/$1"_*.deb Depends; }
[[ $(depends vox) == *"libvox0.2 (= "*libc6* ]] || fail "vox depends on $(depends vox)"
[[ $(depends libvox0.2) == *libhdf5*libtbb12* ]] || fail "libvox0.2 depends on $(depends libvox0.2)"
[[ $(depends libvox-c0) == *"libvox0.2 (= "*libc6* ]] || fail "libvox-c0 depends on $(depends libvox-c0)"
[[ $(depends libvox-dev) == *"libvox0.2 (= "*"libvox-c0 (= "*libfmt-dev* ]] || fail "libvox-dev depends on $(depends libvox-dev)"
apt-get install --dry-run --no-install-recommends "${packages[@]}" >"$work/apt.log" 2>&1 ||
  { cat "$work/apt.log"; fail "apt-get would not install them"; }
for name in vox python3-vox libvox0.2 libvox-c0 libvox-dev; do
  grep -q "^Inst $name " "$work/apt.log" || fail "apt-get would not install $name"
done

echo "--- the programs run, with the libraries of the packages alone"
root=$work/unpacked/usr
export PATH=$root/bin:$PATH LD_LIBRARY_PATH=$root/lib
cd "$work"
for program in "$root"/bin/vox-*; do
  ldd "$program" | grep -E 'libvox' | grep -vF "=> $root/lib/" && fail "${program##*/} takes other libraries"
  ! readelf -d "$program" | grep -qE 'R(UN)?PATH' || fail "${program##*/} has a path of its own for libraries"
  "$program" --version | grep -q '^vox [0-9.]*$' || fail "${program##*/} --version says otherwise"
  "$program" --help >/dev/null
done
vox-scene village --texture-size 16 -q -o village.obj
vox-convert village.obj --res 256 -q -o village.h5
vox-convert --verify village.h5
echo 'sphere add center 100,100,100 radius 9 material 1' >edits.txt
vox-edit village.h5 --script edits.txt -q -o edited.h5
vox-render village.h5 --size 64x48 -q -o village.png
vox-stats village.h5 -q >stats.txt
vox-bench hash --help >/dev/null

echo "--- manual pages, completions"
for program in "$root"/bin/vox-*; do
  name=${program##*/}
  [[ -s $root/share/man/man1/$name.1.gz ]] || fail "no manual page of $name"
  gzip -dc "$root/share/man/man1/$name.1.gz" | grep -q '^\.TH' || fail "$name.1 is no manual page"
  [[ -s $root/share/zsh/vendor-completions/_$name ]] || fail "no completions of $name for zsh"
  bash -euc "source '$root/share/bash-completion/completions/$name'; complete -p $name" >/dev/null ||
    fail "bash gets no completions of $name"
done
if command -v man >/dev/null; then
  MANPAGER=cat MANPATH=$root/share/man man vox-convert 2>/dev/null | grep -q -- '--res' || fail "man shows no vox-convert"
fi

echo "--- the Python module, as Debian's python3 finds it, and as pip installs it"
count='import vox; print(vox.__file__, sum(len(part.materials) for part in vox.open("village.h5").voxels()), "voxels")'
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/lib/python3/dist-packages /usr/bin/python3 -c "$count"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/lib/python3/dist-packages /usr/bin/python3 -c '
import vox; print(vox.voxelize([[0, 0, 0], [1, 0, 0], [0, 1, 0]], res=16))'
if /usr/bin/python3 -c 'import setuptools, wheel, pip' 2>/dev/null; then
  cp -r "$here/tools/python" source
  /usr/bin/python3 -m pip install -q --no-index --no-deps --no-build-isolation --root-user-action=ignore --target pip ./source
  PYTHONPATH=pip /usr/bin/python3 -c "$count"
fi

echo "--- docs/example against the -dev package"
cmake -S "$root/share/doc/vox/docs/example" -B example -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$root" >cmake.log ||
  { cat cmake.log; fail "find_package(vox) fails"; }
cmake --build example
example/example
vox-convert --verify example.h5
example/example_c
vox-convert --verify example_c.h5

echo "--- lintian"
if command -v lintian >/dev/null; then
  lintian --allow-root --tag-display-limit 0 --fail-on error "${packages[@]}"
fi
echo "the packages are as they should be"
