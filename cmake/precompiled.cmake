# What nearly every source includes, compiled once for all targets with the same flags. Sources still include what they
# use: -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without, and so does clang-tidy in CI.
set(vox_precompiled <algorithm> <array> <bit> <cmath> <cstdint> <cstring> <filesystem> <functional> <map> <memory>
    <optional> <span> <string> <string_view> <utility> <vector> <fmt/format.h> <tbb/parallel_for.h>)

# vox_precompile(GROUP TARGET [HEADER...]): the targets of a group, which have the same flags, share the first one's. Those
# of a group that is optimised are left as they are but in builds with sanitizers: of std::string in headers that are
# precompiled GCC's optimiser gives false warnings (PR 105651).
function(vox_precompile group target)
  if(NOT VOX_SANITIZE AND NOT group MATCHES "^cold")
    return()
  endif()
  get_property(first GLOBAL PROPERTY vox_precompiled_${group})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    list(TRANSFORM vox_precompiled REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:\\1>" OUTPUT_VARIABLE common)
    list(TRANSFORM ARGN REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:\\1>" OUTPUT_VARIABLE own)
    target_precompile_headers(${target} PRIVATE ${common} ${own})
    set_property(GLOBAL PROPERTY vox_precompiled_${group} ${target})
  endif()
  if(ccache AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)  # which ccache asks for
  endif()
endfunction()
