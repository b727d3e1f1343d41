# cpack makes Debian packages from the files that cmake --install installs, without compiling again: vox (the
# tools), python3-vox, libvox0.2, libvox-c0 and libvox-dev. The command cpack --config build/release/CPackConfig.cmake
# writes them to dist/.
set(library_package libvox${vox_soversion})
set(c_package libvox-c${vox_c_soversion})
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_SOURCE_DIR}/dist)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL tools python libraries c_library development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The vox developers <vox@example.org>")
# dpkg-shlibdeps finds the dependencies. It does not know our own libraries, which are in the build folder.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME vox)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "python3-vox, g++, ffmpeg")  # for bricks and films
set(CPACK_DEBIAN_TOOLS_DESCRIPTION
"vox-convert, vox-edit, vox-render, vox-stats, vox-scene and vox-bench make,
change, show and measure sparse voxel DAGs, hybrid bricks and spatial hashes.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-vox)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3:any, python3-numpy, python3-h5py")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "${c_package}")  # to convert
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
  ${PROJECT_SOURCE_DIR}/cmake/packages/postinst ${PROJECT_SOURCE_DIR}/cmake/packages/prerm)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION
"The Python module vox reads scene files and reports of the tools into numpy
arrays, and converts, edits and shows with the library libvox_c.")

set(CPACK_DEBIAN_LIBRARIES_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
# This trigger is Debian's way to run ldconfig, whereas CPack adds scripts that call it.
file(WRITE ${PROJECT_BINARY_DIR}/packages/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/packages/triggers)
set(CPACK_DEBIAN_LIBRARIES_DESCRIPTION
"The shared libraries: the data structures and what computes with them, and the
files that are read and written.")

set(CPACK_DEBIAN_C_LIBRARY_PACKAGE_NAME ${c_package})
set(CPACK_DEBIAN_C_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_C_LIBRARY_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_C_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/packages/triggers)
set(CPACK_DEBIAN_C_LIBRARY_DESCRIPTION
"The C interface of vox as a shared library: converting, editing, showing and
reading voxel scenes in the process of another program.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libvox-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION}), ${c_package} (= ${PROJECT_VERSION}), libfmt-dev, libtbb-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
"Headers, and the files from which find_package(vox) of CMake makes vox::vox,
vox::formats and vox::c.")

# Completes the files in the folder of each package before it is packed, as Debian requires beyond cmake
# --install.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/packages/debian_files.cmake)
set(CPACK_vox_packages tools:vox python:python3-vox libraries:${library_package} c_library:${c_package}
    development:libvox-dev)
set(CPACK_vox_source ${PROJECT_SOURCE_DIR})
set(CPACK_vox_maintainer ${CPACK_DEBIAN_PACKAGE_MAINTAINER})
include(CPack)

# cpack with Ninja compiles nothing, so the target depends on everything that is packed.
add_custom_target(packages
  COMMAND ${CMAKE_CPACK_COMMAND} --config ${PROJECT_BINARY_DIR}/CPackConfig.cmake
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${CPACK_PACKAGE_DIRECTORY}/_CPack_Packages
  DEPENDS ${vox_tools} vox vox_formats vox_c USES_TERMINAL VERBATIM)
add_dependencies(packages manual)

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
    COMMAND ${PROJECT_SOURCE_DIR}/tools/bundle.sh ${name} ${PROJECT_SOURCE_DIR}/dist ${ARGN} $<TARGET_FILE:vox_c>
    DEPENDS ${vox_tools} vox_c USES_TERMINAL VERBATIM)
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

# The target `wheel` packs the Python package with libvox_c and every library that it needs, as
# dist/vox-…-py3-none-manylinux_…whl.
add_custom_target(wheel
  COMMAND ${PROJECT_SOURCE_DIR}/tools/wheel.sh ${PROJECT_VERSION} ${PROJECT_SOURCE_DIR}/dist $<TARGET_FILE:vox_c>
  DEPENDS vox_c USES_TERMINAL VERBATIM)
