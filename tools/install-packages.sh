#!/usr/bin/env bash
# Installs the packages that vox needs on Debian 12 and Ubuntu 24.04; quick if all of them are installed.
#   tools/install-packages.sh            packages to build and test
#   tools/install-packages.sh packages   also those to make Debian packages
#   tools/install-packages.sh ci         also those for .ci/run and the bundle
set -euo pipefail

packages=(g++ cmake ninja-build pkg-config ccache libtbb-dev libfmt-dev libassimp-dev libhdf5-dev libdeflate-dev libzstd-dev
          libisal-dev libsimdjson-dev libmeshoptimizer-dev libdraco-dev libwebp-dev libstb-dev libcxxopts-dev libgtest-dev python3-h5py
          libnanovdb-dev libnanovdb-tools libopenmpi-dev openmpi-bin help2man bash-completion)
[[ ${1:-} != packages && ${1:-} != ci ]] || packages+=(dpkg-dev file)
if [[ ${1:-} == ci ]]; then
  packages+=(clang-format clang-tidy clang libclang-rt-dev patchelf binutils xz-utils git procps
             lintian python3-vtk9 python3-openvdb python3-pip python3-setuptools python3-wheel man-db ffmpeg)
  # Tests look at report pages in a browser: 122 MB to download, 414 MB on disk. Ubuntu's package only
  # installs a snap.
  grep -qs '^ID=debian' /etc/os-release && packages+=(chromium)
  # npm runs the checks of the scene pages' program. Node's own package, which many people have, includes npm.
  command -v npm >/dev/null || packages+=(nodejs npm)
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install-packages: this is neither Debian nor Ubuntu; going on with what is installed. Needed are:" >&2
  echo "  GCC 12 or newer, CMake 3.25, Ninja, pkg-config, oneTBB, fmt, Assimp, HDF5, libdeflate, simdjson, stb," >&2
  echo "  cxxopts, GoogleTest, for some glTF files meshoptimizer, Draco and libwebp, for speed ISA-L, for sizes after Zstandard libzstd, for several machines MPI, for manual pages help2man," >&2
  echo "  and for some tests Google Benchmark, h5py and bash-completion" >&2
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

as_root=()
if [[ $EUID -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "install-packages: some packages are missing; ask an administrator for" >&2
    echo "  apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "installing ${missing[*]}"
install() {
  ${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}" >"$log" 2>&1
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The package lists may be missing or outdated. They are refreshed only if the installation fails.
if ! install; then
  ${as_root[@]+"${as_root[@]}"} apt-get update -q
  install || { cat "$log" >&2; exit 1; }
fi
