#!/usr/bin/env bash
# Builds a library of other people from a copy of its repository and measures it on a GPU, beside vox-bench:
#   tools/peers/measure.sh cuco|cccl|bght|warpspeed|warpspeed_locked FOLDER [KEYS [TABLE]]
#                                                                hash tables, beside vox-bench keys
#   tools/peers/measure.sh nanovdb FOLDER MESH.obj BAND RES...   MeshToGrid, beside vox-bench convert
# FOLDER is a clone of NVIDIA/cuCollections, NVIDIA/cccl, owensgroup/BGHT, saltsystemslab/warpSpeed (beside which lies a
# clone of saltsystemslab/gallatin) or AcademySoftwareFoundation/openvdb. KEYS is a power of two, and TABLE is a part of the
# names of tables. BUILD_ONLY=1 leaves the program in build/peers and does not run it.
set -euo pipefail
(($# >= 2)) || { sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
peer=$1 folder=$2
shift 2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$here/../../build/peers/$peer
case $peer in
  cuco) source=hash_tables.cu headers=(include) standard=c++20 ;;
  cccl) source=hash_tables.cu headers=(cudax/include libcudacxx/include cub thrust) standard=c++20 ;;
  bght) source=hash_tables.cu headers=(include) standard=c++20 ;;
  warpspeed | warpspeed_locked) source=hash_tables.cu headers=(include ../gallatin/include) standard=c++20 ;;
  nanovdb) source=mesh_to_grid.cu headers=(nanovdb) standard=c++20 ;;
  *) echo "there is no peer $peer" >&2; exit 2 ;;
esac
mkdir -p "$(dirname "$program")"
nvcc -std=$standard -O3 -arch="${ARCH:-native}" --extended-lambda --expt-relaxed-constexpr "-DPEER_$peer" \
  "${headers[@]/#/-I$folder/}" -o "$program" "$here/$source"
git -C "$folder" log -1 --format="$peer %H %cs" 2>/dev/null || true
[[ ${BUILD_ONLY:-} ]] || "$program" "$@"
