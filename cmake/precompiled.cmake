# What nearly every source includes, compiled once for all targets with the same flags. Sources still include what they
# use: -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without, and so does clang-tidy in CI.
set(vox_precompiled <algorithm> <array> <bit> <cmath> <cstdint> <cstring> <filesystem> <functional> <map> <memory>
    <optional> <span> <string> <string_view> <utility> <vector> <fmt/format.h> <tbb/parallel_for.h>)

# vox_precompile(TARGET [HEADER...])
function(vox_precompile target)
  list(TRANSFORM vox_precompiled REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:\\1>" OUTPUT_VARIABLE common)
  list(TRANSFORM ARGN REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:\\1>" OUTPUT_VARIABLE own)
  target_precompile_headers(${target} PRIVATE ${common} ${own})
endfunction()

# vox_precompile_as(GROUP TARGET [HEADER...]): the targets of a group, which have the same flags, share the first one's.
function(vox_precompile_as group target)
  get_property(first GLOBAL PROPERTY vox_precompiled_${group})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    vox_precompile(${target} ${ARGN})
    set_property(GLOBAL PROPERTY vox_precompiled_${group} ${target})
  endif()
endfunction()
