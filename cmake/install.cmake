# Installs programs, libraries, headers and pages, and the files with which find_package(vox) defines vox::vox
# and vox::formats.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/vox)

# Each file belongs to one component, which is a package of its own (packages.cmake).
set(tools COMPONENT tools)
set(development COMPONENT development)
set(vox_soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})  # a minor version may change the interface
set_target_properties(vox vox_formats PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${vox_soversion})
set_target_properties(${vox_tools} PROPERTIES INSTALL_RPATH $ORIGIN/../${CMAKE_INSTALL_LIBDIR})
install(TARGETS ${vox_tools} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} ${tools})
set_target_properties(vox_formats PROPERTIES EXPORT_NAME formats INSTALL_RPATH $ORIGIN)
install(TARGETS vox vox_formats EXPORT voxTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} ${development}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libraries NAMELINK_COMPONENT development)
# The C interface changes without breaking programs, so its number does not follow the version.
set(vox_c_soversion 0)
set_target_properties(vox_c PROPERTIES VERSION ${vox_c_soversion}.${PROJECT_VERSION} SOVERSION ${vox_c_soversion}
  EXPORT_NAME c INSTALL_RPATH $ORIGIN)
install(TARGETS vox_c EXPORT voxTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} ${development}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT c_library NAMELINK_COMPONENT development)
install(FILES capi/vox.h tools/c/vox_chunks.h DESTINATION include ${development})
if(TARGET vox_mpi)  # in no package: libvox looks for it beside itself and works without it
  install(TARGETS vox_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT mpi)
  set_target_properties(vox_mpi PROPERTIES INSTALL_RPATH $ORIGIN)
endif()
install(EXPORT voxTargets NAMESPACE vox:: DESTINATION ${package_directory} ${development})
install(DIRECTORY libvox formats DESTINATION include/vox ${development} FILES_MATCHING PATTERN "*.h")
# With the prefix /usr, Debian's Python searches this folder. Elsewhere, set PYTHONPATH or install
# tools/python with pip.
set(VOX_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Where the Python package goes, below the prefix")
install(DIRECTORY tools/python/vox DESTINATION ${VOX_PYTHON_DIR} COMPONENT python
  FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN py.typed PATTERN __pycache__ EXCLUDE)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} ${tools})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} ${tools})
install(DIRECTORY ${vox_manual}/ DESTINATION ${CMAKE_INSTALL_DATADIR} ${tools})

configure_package_config_file(cmake/voxConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/voxConfig.cmake
  INSTALL_DESTINATION ${package_directory} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/voxConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/voxConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/voxConfigVersion.cmake
  cmake/dependencies.cmake DESTINATION ${package_directory} ${development})
