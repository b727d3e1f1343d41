# vox_options: what all of our own code is compiled with.
set(VOX_SANITIZE "" CACHE STRING "Sanitizers for own code, such as address,undefined or thread")
option(VOX_WERROR "Warnings are errors" ON)

find_program(ccache ccache)
if(ccache)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ccache})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${ccache})
endif()

set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(vox_options INTERFACE)
target_compile_features(vox_options INTERFACE cxx_std_20)
# -Wrestrict: GCC 12 warns of its own std::string (PR 105651).
set(warnings -Wall -Wextra -Wconversion -Wno-restrict $<$<BOOL:${VOX_WERROR}>:-Werror>)
# Floating point decides materials, so it must round alike everywhere: no fused multiply-add, on either device.
# x86-64-v2 (2009) brings popcnt.
set(host_flags -ffp-contract=off $<$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},x86_64>:-march=x86-64-v2>)
target_compile_options(vox_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${warnings};${host_flags}>)
if(vox_has_cuda)
  target_compile_features(vox_options INTERFACE cuda_std_20)
  string(REPLACE ";" "," host_list "-Wall;-Wextra;-ffp-contract=off;-march=x86-64-v2")
  target_compile_options(vox_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CUDA>:--fmad=false;--extended-lambda;--expt-relaxed-constexpr;-Xcompiler=${host_list};$<$<BOOL:${VOX_WERROR}>:-Werror=all-warnings>>")
endif()
if(VOX_SANITIZE)
  target_compile_options(vox_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${VOX_SANITIZE};-fno-omit-frame-pointer>)
  target_link_options(vox_options INTERFACE -fsanitize=${VOX_SANITIZE})
endif()
