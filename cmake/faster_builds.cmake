# Precompiles the headers that nearly every source includes, once for all targets with the same flags. Sources
# must still include everything that they use: -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without
# precompiled headers, and clang-tidy in CI reads the sources in that way.
set(vox_precompiled <algorithm> <array> <bit> <cmath> <cstdint> <cstring> <filesystem> <functional> <map> <memory>
    <optional> <span> <string> <string_view> <utility> <vector> <fmt/format.h>)

# vox_precompile(GROUP TARGET [HEADER...]): the targets of a group, which have the same flags, share the
# precompiled headers of the group's first target. Optimized code gets none unless warnings are off, as in code with
# a sanitizer, because GCC's optimizer gives false warnings about std::string in precompiled headers (PR 105651).
function(vox_precompile group target)
  set(has_warnings TRUE)
  if(VOX_SANITIZE MATCHES "thread" OR (VOX_SANITIZE AND NOT group MATCHES "tests$"))
    set(has_warnings FALSE)
  endif()
  if(has_warnings AND NOT group MATCHES "^cold")
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
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)  # for ccache
  endif()
endfunction()

# With VOX_UNITY the sources of a folder are compiled as one, because the headers that they share take most of
# the time. Therefore names in nameless namespaces must be unique in a folder, and headers that its sources
# include must not define the same names. Builds without VOX_UNITY find missing includes.
option(VOX_UNITY "The sources of a folder are compiled as one: faster as a whole, slower after a change" OFF)

# vox_unity(TARGET)
function(vox_unity target)
  if(NOT VOX_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    string(REPLACE "${PROJECT_SOURCE_DIR}/" "" folder "${folder}")
    string(MAKE_C_IDENTIFIER "${folder}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
