#!/usr/bin/env bash
# Compiles the editing code of Molenaar & Eisemann 2024 with edits.cu, for scenes of one number of levels:
#   tools/peers/editing.sh FOLDER LEVELS PROGRAM
# FOLDER is a clone of mathijs727/GPU-SVDAG-Editing, beside which lie clones of gsl-lite/gsl-lite and of
# GPUOpen-LibrariesAndSDKs/VulkanMemoryAllocator. The packages nlohmann-json3-dev, libvulkan-dev and libtbb-dev must be
# installed; only their headers are used. LEVELS is 17 for a scene of 128K. TABLE chooses their hash table (Atomic64,
# TicketBoard, AccelerationHash or, as they do, CompactAccelerationHash), and MATERIALS=1 gives each voxel 4 bits of
# material. The clone is not changed: what must differ is changed in a copy, which goes to a folder beside PROGRAM.
set -euo pipefail
(($# == 3)) || { sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
folder=$(cd "$1" && pwd) levels=$2 program=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
beside=$(dirname "$folder")
copy=$program.build
rm -rf "$copy" && mkdir -p "$copy/include" && cp -r "$folder/src" "$copy/src"
src=$copy/src gpu=dags/my_gpu_dags dag=dags/my_gpu_dags/my_gpu_hash_dag

# They set the number of levels, the table and the materials in two headers.
cat > "$src/configuration/script_definitions.h" <<END
#pragma once
#include "hash_dag_enum.h"
#define SCENE_DEPTH $levels
#define DAG_TYPE EDag::MyGpuDag
#define EDITS_ENABLE_COLORS 0
#define EDITS_ENABLE_MATERIALS ${MATERIALS:-0}
#define UNDO_REDO 1
#define ENABLE_CHECKS 0
#define CAPTURE_GPU_TIMINGS 1
#define CAPTURE_MEMORY_STATS_SLOW 0
END
sed -i "s/\(define HASH_TABLE_TYPE HashTableType::\)[A-Za-z0-9]*/\1${TABLE:-CompactAccelerationHash}/" \
  "$src/configuration/gpu_hash_dag_definitions.h"

# Their allocator takes all memory that NVML says is free, but a machine that compiles need not have NVML. This header asks
# CUDA, and leaves a quarter to the program that measures.
cat > "$copy/include/nvml.h" <<'END'
#pragma once
#include <cuda_runtime.h>
using nvmlReturn_t = int;
using nvmlDevice_t = int;
struct nvmlMemory_t {
  unsigned long long total, free, used;
};
constexpr nvmlReturn_t NVML_SUCCESS = 0;
inline nvmlReturn_t nvmlInit() { return NVML_SUCCESS; }
inline const char* nvmlErrorString(nvmlReturn_t) { return ""; }
inline nvmlReturn_t nvmlDeviceGetHandleByIndex(int, nvmlDevice_t*) { return NVML_SUCCESS; }
inline nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t, nvmlMemory_t* memory) {
  size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) free = total = size_t{4} << 30;
  *memory = {total, free / 4 * 3, total - free};
  return NVML_SUCCESS;
}
END

# Two lines of text would be printed for each level while an edit is timed.
sed -i -e '/printf("Size of work items/d' -e '/stats.start_work("Create intermediate edit tree")/d' \
  "$src/$gpu/create_edit_svo.cu"
# Since CUDA 13, a function takes a place instead of a device's number, and Thrust needs one more header.
if nvcc --version | grep -qE 'release (1[3-9]|[2-9][0-9])\.'; then
  sed -i 's/cudaMemAdviseSetReadMostly, 0)/cudaMemAdviseSetReadMostly, {cudaMemLocationTypeDevice, 0})/' \
    "$src/$dag/my_gpu_hash_dag.cu"
fi
sed -i '1i #include <thrust/memory.h>' "$src/$gpu/cub/cub_scan.cu"
# A second object of an edit's second half counts nodes: the lines that count are compiled, but not the one that prints.
sed -e 's/#if CAPTURE_MEMORY_STATS_SLOW/#if 1/' -e '/printf("Merging SVO/d' "$src/$dag/my_gpu_hash_dag_edits.cu" \
  > "$src/$dag/count_edit.cu"
# What has external linkage in it gets another name.
renamed=(-DeditMyHashDag=count_edit)
for name in getData insertDuplicatesIntoHashTableAsWarp_kernel findUniqueInHashTableAsWarp_kernel1 \
  findUniqueInHashTableAsWarp_kernel2 insertUniqueInHashTableAsWarp_kernel gatherHandlesOfDuplicateNodes; do
  renamed+=("-D$name=count_$name")
done

# As in a release of theirs, assertions are off.
flags=(-std=c++20 -O3 "-arch=${ARCH:-native}" --extended-lambda --expt-relaxed-constexpr -cudart static -w
  -Xcompiler -march=x86-64-v3 -DNDEBUG -DENABLE_VULKAN_MEMORY_ALLOCATOR=1 -DVMA_STATIC_VULKAN_FUNCTIONS=0
  -DVMA_DYNAMIC_VULKAN_FUNCTIONS=0 -Dgsl_FEATURE_GSL_COMPATIBILITY_MODE=1 -Dgsl_CONFIG_CONTRACT_CHECKING_OFF
  "-I$here/../.." "-I$copy/include" "-I$src" "-I$beside/gsl-lite/include" "-I$beside/VulkanMemoryAllocator/include")
objects=()
compile() {  # SOURCE [OPTION...]
  objects+=("$copy/${#objects[@]}.o")
  echo "compiling $(basename "$1")" >&2
  nvcc "${flags[@]}" "${@:2}" -x cu -c -o "${objects[-1]}" "$1"
}
for source in memory.cu cuda_helpers_cpp.cu dags/basic_dag/basic_dag.cpp "$gpu"/create_edit_svo.cu \
  "$gpu"/cub/cub_{scan,radix_sort,select}.cu "$dag"/my_gpu_hash_dag{,_edits}.cu \
  "$dag"/hash_tables/{gpu_hash_table_base,dynamic_slab_alloc,atomic64_hash_table,ticket_board_hash_table}.cu \
  "$dag"/hash_tables/{acceleration,compact_acceleration,duplicate_detection}_hash_table.cu; do
  compile "$src/$source"
done
compile "$src/$dag/count_edit.cu" "${renamed[@]}"
compile "$here/edits.cu"
nvcc "-arch=${ARCH:-native}" -cudart static -Xcompiler -static-libstdc++,-static-libgcc -o "$program" "${objects[@]}"
