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
