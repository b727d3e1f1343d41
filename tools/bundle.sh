#!/usr/bin/env bash
# Packs programs with every shared library that they need, so that they run on any Linux with our glibc or a newer one.
# Called by the targets `bundle`, `bundle_mpi` and `bundle_tests`:   tools/bundle.sh NAME OUTPUT_FOLDER PROGRAM... [MODULE.so]
# The module for MPI is packed without the libraries that it needs, because MPI's library must match the machine's
# launcher.
set -euo pipefail

name=$1 output=$2
shift 2
programs=() modules=()
for file in "$@"; do
  if [[ $file == *.so ]]; then modules+=("$file"); else programs+=("$file"); fi
done
limit=$((25 * 1000 * 1000))
[[ "${programs[*]}" != *vox_test_* ]] || limit=$((40 * 1000 * 1000))
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
root=$output/$name

# glibc alone must be the machine's own, because it belongs to its kernel and its loader.
glibc='^(ld-linux.*|lib(c|m|dl|pthread|rt|util|resolv|anl|mvec|nsl|nss_.*|thread_db|BrokenLocale))\.so'

needed_libraries() {  # prints paths, including those of indirect dependencies
  ldd "$@" | awk '$2 == "=>" { print $3 }' | sort -u | while read -r library; do
    [[ $(basename "$library") =~ $glibc ]] || echo "$library"
  done
}

rm -rf "$root" "$root.tar.xz"
mkdir -p "$root/bin" "$root/lib" "$root/licenses"
cp "${programs[@]}" "$root/bin/"
cp "$here/README.md" "$here/LICENSE" "$root/"
cp -r "$here/docs" "$(dirname "${programs[0]}")/share" "$root/"  # docs, manual pages, completions
[[ "${programs[*]}" != *vox_test_* ]] || install -m 755 "$here/tools/run-tests.sh" "$root/"
install -D -m 644 -t "$root/python" "$here/tools/python/pyproject.toml"
install -D -m 644 -t "$root/python/vox" "$here"/tools/python/vox/*.py

if ldd "${programs[@]}" | grep -E 'not found|libcuda\.so'; then
  echo "bundle: these libraries are missing, or would have to be there on every machine" >&2
  exit 1
fi
mapfile -t libraries < <(needed_libraries "${programs[@]}")
for library in "${libraries[@]}"; do
  cp -L "$library" "$root/lib/"
  # TBB opens its allocator by name at run time, and works without it if it is missing.
  case $(basename "$library") in
    libtbb.so.*) cp -L "$(dirname "$library")"/libtbbmalloc.so.2 "$root/lib/" ;;
  esac
  if package=$(dpkg-query -S "$(realpath "$library")" 2>/dev/null); then
    package=${package%%:*}
    cp -L "/usr/share/doc/$package/copyright" "$root/licenses/$package"
  fi
done

# RPATH is used rather than RUNPATH: it also applies to the libraries' own dependencies, and LD_LIBRARY_PATH
# cannot override it.
strip --strip-unneeded "$root"/bin/* "$root"/lib/*
for program in "$root"/bin/*; do patchelf --force-rpath --set-rpath '$ORIGIN/../lib' "$program"; done
for library in "$root"/lib/*; do patchelf --force-rpath --set-rpath '$ORIGIN' "$library"; done

outside=$(needed_libraries "$root"/bin/* "$root"/lib/* | grep -v "^$(realpath "$root")/" || true)
if [[ $outside ]]; then
  echo "bundle: still taken from this machine:" $outside >&2
  exit 1
fi

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
