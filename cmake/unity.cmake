# With VOX_UNITY the sources of a folder are compiled as one, since what they all include takes most of the time. What
# nameless namespaces hold has one name in a folder, therefore, and headers that its sources include have no names in
# common. Builds without it find what a source forgot to include.
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
