# What is taken from others (DESIGN §8), each as one imported target.
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(assimp REQUIRED)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(PkgConfig REQUIRED)

if(NOT TARGET hdf5::hdf5)
  add_library(hdf5::hdf5 INTERFACE IMPORTED)
  target_link_libraries(hdf5::hdf5 INTERFACE ${HDF5_C_LIBRARIES})
  target_include_directories(hdf5::hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
endif()

pkg_check_modules(libdeflate REQUIRED IMPORTED_TARGET libdeflate)
add_library(libdeflate::libdeflate ALIAS PkgConfig::libdeflate)

# Headers alone; Debian also ships a compiled libstb, which is not used.
find_path(stb_directory stb_image.h PATH_SUFFIXES stb REQUIRED)
add_library(stb::stb INTERFACE IMPORTED)
target_include_directories(stb::stb SYSTEM INTERFACE ${stb_directory})

find_path(cxxopts_directory cxxopts.hpp REQUIRED)
add_library(cxxopts::cxxopts INTERFACE IMPORTED)
target_include_directories(cxxopts::cxxopts SYSTEM INTERFACE ${cxxopts_directory})
