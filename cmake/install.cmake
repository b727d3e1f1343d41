# Installs programs, libraries, headers and pages, and the files from which find_package(vox) makes vox::vox and
# vox::formats.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/vox)

set_target_properties(${vox_tools} PROPERTIES INSTALL_RPATH $ORIGIN/../${CMAKE_INSTALL_LIBDIR})
install(TARGETS ${vox_tools} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
set_target_properties(vox_formats PROPERTIES EXPORT_NAME formats INSTALL_RPATH $ORIGIN)
install(TARGETS vox vox_formats EXPORT voxTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT voxTargets NAMESPACE vox:: DESTINATION ${package_directory})
install(DIRECTORY libvox formats DESTINATION include/vox FILES_MATCHING PATTERN "*.h")
# Debian's Python looks there below the prefix /usr; elsewhere PYTHONPATH says it, or pip installs tools/python.
set(VOX_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Where the Python package goes, below the prefix")
install(DIRECTORY tools/python/vox DESTINATION ${VOX_PYTHON_DIR} FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${vox_manual}/ DESTINATION ${CMAKE_INSTALL_DATADIR})

configure_package_config_file(cmake/voxConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/voxConfig.cmake
  INSTALL_DESTINATION ${package_directory} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/voxConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/voxConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/voxConfigVersion.cmake
  cmake/dependencies.cmake DESTINATION ${package_directory})
