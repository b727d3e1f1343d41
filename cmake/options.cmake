# vox_options holds the flags with which all of our own code is compiled.
set(VOX_SANITIZE "" CACHE STRING "Sanitizers for own code, such as address,undefined or thread")
option(VOX_WERROR "Warnings are errors" ON)
option(VOX_FUZZ "Programs for libFuzzer; needs clang" OFF)

find_program(ccache ccache)
mark_as_advanced(ccache)
if(ccache)
  # ccache requires this setting to cache anything with precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${ccache})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${ccache})
endif()

set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(vox_options INTERFACE)
target_compile_features(vox_options INTERFACE cxx_std_20)
if(VOX_SANITIZE MATCHES "thread")
  set(warnings -w)  # the release build reports the warnings
else()
  # -Wno-restrict: GCC 12 wrongly warns about its own std::string (PR 105651). In C++, clang's -Wconversion is also about signs,
  # which GCC's is not.
  set(warnings -Wall -Wextra -Wconversion $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
      $<$<CXX_COMPILER_ID:Clang>:-Wno-sign-conversion> $<$<BOOL:${VOX_WERROR}>:-Werror>)
endif()
# Floating point decides materials, so it must round alike everywhere: no fused multiply-add, on either device.
set(host_flags -ffp-contract=off)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # x86-64-v2 dates from 2009 and has popcnt and SSE 4.2. The coverage test uses wider vectors if the
  # processor has them.
  set(VOX_CPU x86-64-v2 CACHE STRING "Processors to compile for: x86-64-v2, x86-64-v3, x86-64-v4, native")
  set_property(CACHE VOX_CPU PROPERTY STRINGS x86-64-v2 x86-64-v3 x86-64-v4 native)
  list(APPEND host_flags -march=${VOX_CPU})
endif()
target_compile_options(vox_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${warnings};${host_flags}>")
if(vox_has_cuda)
  list(JOIN host_flags "," host_list)
  # -std: CMake 3.25 does not know that nvcc supports C++20, so neither cuda_std_20 nor CUDA_STANDARD would
  # work.
  set(cuda_flags -std=c++20 --fmad=false --extended-lambda --expt-relaxed-constexpr
      -Xcompiler=-Wall,-Wextra,${host_list} $<$<BOOL:${VOX_WERROR}>:-Werror=all-warnings>)
  target_compile_options(vox_options INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:${cuda_flags}>")
endif()
# vox_hardened: an overflow that slips into what users run ends the program instead of doing harm.
# tests/install/check_hardening.py looks for this in what is built. Tests do without, because they are not optimized.
option(VOX_HARDEN "The library and the tools check their stack, buffers and jumps at run time" ON)
add_library(vox_hardened INTERFACE)
if(VOX_HARDEN AND NOT VOX_SANITIZE AND CMAKE_BUILD_TYPE MATCHES "Rel")
  set(hardening -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-protector-strong)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND hardening -fcf-protection=full)
  endif()
  target_compile_options(vox_hardened INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${hardening}>")
  target_link_options(vox_hardened INTERFACE -Wl,-z,relro,-z,now)
endif()
set(vox_program_sources "")  # sources that are part of every program
set(vox_library_options "")  # for code that computes much
set(vox_hot_options "")      # for its tests
# For the tools, which read options and print results: compiling them takes a third less time.
set(vox_tool_options $<$<CONFIG:Release>:-O1>)
set(vox_cold_options -O0)    # for tests that compute little: compiling them is faster
if(VOX_SANITIZE)
  # Checks that duplicate the address sanitizer's are left out, because they take a third of the compile time.
  set(sanitizer_flags -fsanitize=${VOX_SANITIZE} -fno-sanitize=null,object-size,vptr -fno-sanitize-recover=all
      -fno-omit-frame-pointer)
  if(VOX_SANITIZE MATCHES "thread")
    set(vox_library_options -O1)  # instrumented code without optimization compiles in half the time
    set(vox_hot_options -O1)
    set(vox_program_sources ${PROJECT_SOURCE_DIR}/cmake/tsan/tbb.cpp)
    target_compile_options(vox_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${sanitizer_flags}>")
  else()
    # Most tests are compiled as for release, so that a compiler cache has them, and run faster: what is examined is in
    # the libraries and the tools.
    set(vox_program_sources ${PROJECT_SOURCE_DIR}/cmake/asan/leaks.cpp)
    target_compile_options(vox_hardened INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${sanitizer_flags};-O1;-g1;-UNDEBUG;-w>")
    # Otherwise code of headers would be that of the tests wherever both contain it.
    target_link_options(vox_hardened INTERFACE "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>:-Wl,-Bsymbolic-functions>")
  endif()
  target_link_options(vox_options INTERFACE -fsanitize=${VOX_SANITIZE})
endif()
