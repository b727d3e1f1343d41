# The target `bundle`: programs and tests with every shared library that they need, as dist/vox-…-linux-x86_64.tar.xz.
set(bundle_programs "")
foreach(program IN LISTS vox_tools vox_test_programs)
  list(APPEND bundle_programs $<TARGET_FILE:${program}>)
endforeach()
add_custom_target(bundle
  COMMAND ${PROJECT_SOURCE_DIR}/tools/bundle.sh
          vox-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR} ${PROJECT_SOURCE_DIR}/dist ${bundle_programs}
  DEPENDS ${vox_tools} ${vox_test_programs}
  USES_TERMINAL VERBATIM)
add_dependencies(bundle manual)  # the bundle holds the manual pages too
