#!/usr/bin/env bash
# Builds a library of other people from a copy of its repository and measures it beside vox-bench, on a GPU but for `svo`:
#   tools/peers/measure.sh cuco|cccl|bght|warpspeed|warpspeed_locked FOLDER [KEYS [TABLE]]
#                                                                hash tables, beside vox-bench keys
#   tools/peers/measure.sh nanovdb FOLDER MESH.obj BAND RES...   MeshToGrid, beside vox-bench convert
#   tools/peers/measure.sh editing FOLDER SCENE.basic_dag.dag.bin spheres|copies|SCRIPT [OPTION...]
#                                                                edits, beside vox-bench edit
#   tools/peers/measure.sh svo FOLDER MESH.obj RES...            an octree on a CPU, beside vox-bench convert
# FOLDER is a clone of NVIDIA/cuCollections, NVIDIA/cccl, owensgroup/BGHT, saltsystemslab/warpSpeed (beside which lies a
# clone of saltsystemslab/gallatin), AcademySoftwareFoundation/openvdb, mathijs727/GPU-SVDAG-Editing (editing.sh says
# what lies beside it, edits.cu what its options are) or Forceflow/ooc_svo_builder (which needs libglm-dev). KEYS is a
# power of two, and TABLE is a part of the names of tables. BUILD_ONLY=1 leaves the program in build/peers.
set -euo pipefail
(($# >= 2)) || { sed -n '2,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
peer=$1 folder=$2
shift 2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$here/../../build/peers/$peer
mkdir -p "$(dirname "$program")"

# Their program is compiled for the scene's number of levels. The edits of vox-bench are listed if no script is named.
measure_editing() {  # SCENE EDITS [OPTION...]
  local scene=$1 edits=$2 levels
  levels=$(od -An -tu4 -j48 -N4 "$scene" | tr -d ' ')
  "$here/editing.sh" "$folder" "$levels" "$program-$levels"
  if [[ $edits == spheres || $edits == copies ]]; then
    c++ -std=c++20 -O2 -o "$program-list" "$here/edit_list.cpp"
    "$program-list" "$scene" "$edits" > "$program-$edits.txt"
    edits=$program-$edits.txt
  fi
  [[ ${BUILD_ONLY:-} ]] || "$program-$levels" "$scene" "$edits" "${@:3}"
}

# Their program writes the nodes of an octree, not of a DAG. It divides a scene whose dense grid does not fit into memory.
measure_svo() {  # MESH RES...
  local source=$folder/src/svo_builder libs=$folder/src/libs megabytes
  megabytes=$(awk '/^MemAvailable/ { print int($2 / 1024 * 3 / 4) }' /proc/meminfo)
  c++ -std=c++17 -O3 -march=native -w -DBINARY_VOXELIZATION "-I$libs" "-I$libs/libtri/include" \
    "-I$libs/libmorton/include" -o "$program" "$source"/{main,OctreeBuilder,partitioner,voxelizer}.cpp
  [[ ${BUILD_ONLY:-} ]] && return
  "$here/obj_to_tri.py" "$1" "$program-mesh"
  for resolution in "${@:2}"; do
    echo "$resolution³, seconds and processor time:"
    time "$program" -f "$program-mesh.tri" -s "$resolution" -l "$megabytes"
    rm -f "$program-mesh$resolution"*
  done
}

case $peer in
  svo)
    measure_svo "$@"
    git -C "$folder" log -1 --format="$peer %H %cs" 2>/dev/null || true
    exit
    ;;
  editing)
    (($# >= 2)) || { echo "a scene and its edits are missing" >&2; exit 2; }
    measure_editing "$@"
    git -C "$folder" log -1 --format="$peer %H %cs" 2>/dev/null || true
    exit
    ;;
  cuco) source=hash_tables.cu headers=(include) standard=c++20 ;;
  cccl) source=hash_tables.cu headers=(cudax/include libcudacxx/include cub thrust) standard=c++20 ;;
  bght) source=hash_tables.cu headers=(include) standard=c++20 ;;
  warpspeed | warpspeed_locked) source=hash_tables.cu headers=(include ../gallatin/include) standard=c++20 ;;
  nanovdb) source=mesh_to_grid.cu headers=(nanovdb) standard=c++20 ;;
  *) echo "there is no peer $peer" >&2; exit 2 ;;
esac
nvcc -std=$standard -O3 -arch="${ARCH:-native}" --extended-lambda --expt-relaxed-constexpr "-DPEER_$peer" \
  "${headers[@]/#/-I$folder/}" -o "$program" "$here/$source"
git -C "$folder" log -1 --format="$peer %H %cs" 2>/dev/null || true
[[ ${BUILD_ONLY:-} ]] || "$program" "$@"
