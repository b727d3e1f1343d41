# The target `bundle` packs the tools with every shared library that they need, as
# dist/vox-…-linux-x86_64.tar.xz. `bundle_mpi` adds the module for MPI, whose library must be the machine's
# own. `bundle_tests` adds the tests, to be run on a machine with another GPU.
set(tool_files "")
foreach(program IN LISTS vox_tools)
  list(APPEND tool_files $<TARGET_FILE:${program}>)
endforeach()
set(test_files "")
foreach(program IN LISTS vox_test_programs)
  list(APPEND test_files $<TARGET_FILE:${program}>)
endforeach()

function(vox_bundle target name)  # further arguments: programs
  add_custom_target(${target}
    COMMAND ${PROJECT_SOURCE_DIR}/tools/bundle.sh ${name} ${PROJECT_SOURCE_DIR}/dist ${ARGN}
    DEPENDS ${vox_tools} USES_TERMINAL VERBATIM)
  add_dependencies(${target} manual)  # the bundle holds the manual pages too
endfunction()

set(bundle_name vox-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
vox_bundle(bundle ${bundle_name} ${tool_files})
if(TARGET vox_mpi)
  vox_bundle(bundle_mpi ${bundle_name}-mpi ${tool_files} $<TARGET_FILE:vox_mpi>)
endif()
if(vox_test_programs)
  vox_bundle(bundle_tests ${bundle_name}-tests ${tool_files} ${test_files})
  add_dependencies(bundle_tests ${vox_test_programs})
endif()
