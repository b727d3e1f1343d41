# Finds header-only libraries that only our own sources include. Debian also ships a compiled libstb, which is
# not used.
find_path(stb_directory stb_image.h PATH_SUFFIXES stb REQUIRED)
add_library(stb::stb INTERFACE IMPORTED)
target_include_directories(stb::stb SYSTEM INTERFACE ${stb_directory})

find_path(cxxopts_directory cxxopts.hpp REQUIRED)
add_library(cxxopts::cxxopts INTERFACE IMPORTED)
target_include_directories(cxxopts::cxxopts SYSTEM INTERFACE ${cxxopts_directory})
target_compile_definitions(cxxopts::cxxopts INTERFACE CXXOPTS_NO_REGEX)  # its users compile in half the time
mark_as_advanced(stb_directory cxxopts_directory)
