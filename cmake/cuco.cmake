# Adds cuCollections' static_map as a row of vox-bench keys if its headers are given. Nothing else uses them.
set(VOX_BENCH_CUCO "" CACHE PATH "cuCollections, whose map vox-bench keys measures beside ours; empty: not measured")
if(VOX_BENCH_CUCO)
  find_path(VOX_CUCO_HEADERS cuco/static_map.cuh PATHS ${VOX_BENCH_CUCO} PATH_SUFFIXES include NO_DEFAULT_PATH)
  mark_as_advanced(VOX_CUCO_HEADERS)
  if(NOT VOX_CUCO_HEADERS)
    message(FATAL_ERROR "VOX_BENCH_CUCO=${VOX_BENCH_CUCO}, but there is no cuco/static_map.cuh, nor include/cuco/static_map.cuh.")
  elseif(NOT vox_has_cuda)
    message(FATAL_ERROR "VOX_BENCH_CUCO is for builds with CUDA.")
  endif()
  set_source_files_properties(libvox/measure/keys_bench_cuda.cu libvox/measure/keys_bench.cpp
    PROPERTIES COMPILE_DEFINITIONS VOX_HAS_CUCO)
  set_source_files_properties(libvox/measure/keys_bench_cuda.cu
    PROPERTIES COMPILE_OPTIONS "-isystem;${VOX_CUCO_HEADERS}")
endif()
