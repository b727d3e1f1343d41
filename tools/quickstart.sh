#!/usr/bin/env bash
# Installs the required packages, builds the tools, makes a textured village and turns it into a sparse voxel
# DAG. On a machine without a GPU, VOX_CUDA=ON builds for the GPUs of others.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools/install-packages.sh
cmake --preset release -DVOX_CUDA="${VOX_CUDA:-AUTO}" -DVOX_WERROR=OFF --log-level=STATUS | grep -E "^-- vox:"
cmake --build build/release -j "$(nproc)" --target tools

out=build/quickstart
mkdir -p $out
[[ -f $out/village.obj ]] || build/release/vox-scene village -o $out/village.obj
build/release/vox-convert $out/village.obj --res 4K -o $out/village.h5
echo
echo "The voxel scene is $PWD/$out/village.h5"
echo "Look into it with   build/release/vox-convert $out/village.h5 --info"
echo "Look at it with     build/release/vox-render $out/village.h5"
echo "Change it with      build/release/vox-edit $out/village.h5 --script FILE -o changed.h5   (vox-edit --help)"
