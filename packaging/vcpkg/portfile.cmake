# A port for vcpkg that builds this checkout without CUDA:   vcpkg install vox --overlay-ports=packaging/vcpkg
# tests/install/check_recipes.py compares it with what the build needs and installs; vcpkg itself is not part of the tests.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../.." ABSOLUTE)

vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS -DVOX_CUDA=OFF -DBUILD_TESTING=OFF -DVOX_WERROR=OFF
                      -DCMAKE_INSTALL_LIBDIR=lib -DVOX_PYTHON_DIR=tools/vox/python)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME vox CONFIG_PATH lib/cmake/vox)
vcpkg_copy_tools(TOOL_NAMES vox-convert vox-edit vox-render vox-stats vox-scene vox-bench AUTO_CLEAN)

foreach(file IN ITEMS include/vox.h include/vox_chunks.h include/vox/libvox/engine/engine.h
                      lib/libvox.so lib/libvox_formats.so lib/libvox_c.so)
  if(NOT EXISTS "${CURRENT_PACKAGES_DIR}/${file}")
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
