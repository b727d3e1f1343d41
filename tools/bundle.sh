#!/usr/bin/env bash
# Packs programs with every shared library that they need, so that they run on any Linux with our glibc or a newer one.
# Called by the targets `bundle`, `bundle_mpi` and `bundle_tests`:
#   tools/bundle.sh NAME OUTPUT_FOLDER PROGRAM... LIBVOX_C [MODULE.so]
# The module for MPI is packed without the libraries that it needs, because MPI's library must match the machine's
# launcher.
set -euo pipefail

name=$1 output=$2
shift 2
programs=() modules=() c_library=
for file in "$@"; do
  case $file in
    */libvox_c.so*) c_library=$file ;;
    *.so) modules+=("$file") ;;
    *) programs+=("$file") ;;
  esac
done
limit=$((25 * 1000 * 1000))
[[ "${programs[*]}" != *vox_test_* ]] || limit=$((40 * 1000 * 1000))
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
root=$output/$name

source "$here/tools/libraries.sh"

rm -rf "$root" "$root.tar.xz"
mkdir -p "$root/bin" "$root/lib" "$root/include" "$root/licenses"
cp "${programs[@]}" "$root/bin/"
cp "$here/README.md" "$here/LICENSE" "$root/"
cp "$here/capi/vox.h" "$here/tools/c/vox_chunks.h" "$root/include/"
cp -r "$here/docs" "$(dirname "${programs[0]}")/share" "$root/"  # docs, manual pages, completions
[[ "${programs[*]}" != *vox_test_* ]] || install -m 755 "$here/tools/run-tests.sh" "$root/"
install -D -m 644 -t "$root/python" "$here/tools/python/pyproject.toml"
install -D -m 644 -t "$root/python/vox" "$here"/tools/python/vox/*.py "$here/tools/python/vox/py.typed"

copy_libraries "$root/lib" "$root/licenses" "${programs[@]}" "$c_library"
soname=$(patchelf --print-soname "$c_library")
cp -L "$c_library" "$root/lib/$soname"
ln -s "$soname" "$root/lib/libvox_c.so"

# RPATH is used rather than RUNPATH: it also applies to the libraries' own dependencies, and LD_LIBRARY_PATH
# cannot override it.
strip --strip-unneeded "$root"/bin/* "$root"/lib/*.so.*
for program in "$root"/bin/*; do patchelf --force-rpath --set-rpath '$ORIGIN/../lib' "$program"; done
for library in "$root"/lib/*.so.*; do patchelf --force-rpath --set-rpath '$ORIGIN' "$library"; done

check_libraries "$root" "$root"/bin/* "$root"/lib/*.so.*

for module in ${modules[@]+"${modules[@]}"}; do
  cp "$module" "$root/lib/"
  strip --strip-unneeded "$root/lib/$(basename "$module")"
  patchelf --set-rpath '$ORIGIN' "$root/lib/$(basename "$module")"
done

# The x86 filter rewrites jumps so that equal targets look alike, which saves 7 %.
tar -C "$output" --owner=0 --group=0 --sort=name -c "$name" | xz --x86 --lzma2=preset=6 -T0 >"$root.tar.xz"
rm -rf "$root"
bytes=$(stat -c %s "$root.tar.xz")
awk -v path="$root.tar.xz" -v bytes="$bytes" 'BEGIN { printf "%s: %.1f MB\n", path, bytes / 1e6 }'
if ((bytes > limit)); then
  echo "bundle: larger than $((limit / 1000000)) MB; was it built for one GPU architecture? (CMAKE_CUDA_ARCHITECTURES)" >&2
  exit 1
fi
