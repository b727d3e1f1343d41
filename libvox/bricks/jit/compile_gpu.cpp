// Calls NVRTC by its C interface, which is declared here so that neither building nor starting a program
// needs the CUDA toolkit.
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

#include "libvox/base/error.h"
#include "libvox/bricks/jit/compile.h"

namespace vox::bricks {
namespace {

// The parts of the standard library that our headers need, because NVRTC has no standard library.
constexpr std::array<const char*, 5> kNames = {"cstdint", "bit", "type_traits", "array", "string_view"};
constexpr std::array<const char*, 5> kTexts = {
    "#pragma once\n"
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;\n"
    "typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t;\n"
    "typedef unsigned long uint64_t;\n#define UINT32_MAX 0xffffffffu\n",
    "",
    "#pragma once\nnamespace std {\ntemplate <class A, class B> inline constexpr bool is_same_v = false;\n"
    "template <class A> inline constexpr bool is_same_v<A, A> = true;\n}\n",
    "", ""};

struct Nvrtc {
  using Program = void*;
  void* loaded = nullptr;
  int (*version)(int*, int*);
  int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*);
  int (*destroy)(Program*);
  int (*compile)(Program, int, const char* const*);
  int (*log_size)(Program, size_t*);
  int (*log)(Program, char*);
  int (*image_size)(Program, size_t*);
  int (*image)(Program, char*);

  Nvrtc() {
    for (const char* name :
         {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"})
      if (loaded == nullptr) loaded = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (loaded == nullptr) return;
    load(version, "nvrtcVersion");
    load(create, "nvrtcCreateProgram");
    load(destroy, "nvrtcDestroyProgram");
    load(compile, "nvrtcCompileProgram");
    load(log_size, "nvrtcGetProgramLogSize");
    load(log, "nvrtcGetProgramLog");
    load(image_size, "nvrtcGetCUBINSize");
    load(image, "nvrtcGetCUBIN");
  }

  template <class F>
  void load(F& function, const char* name) {
    function = reinterpret_cast<F>(loaded == nullptr ? nullptr : dlsym(loaded, name));
    if (function == nullptr) loaded = nullptr;  // the library is too old; it stays loaded
  }
};

const Nvrtc& nvrtc() {
  static const Nvrtc library;
  return library;
}

struct Program {
  Nvrtc::Program program = nullptr;
  explicit Program(const std::string& source) {
    if (nvrtc().create(&program, source.c_str(), "bricks.cu", static_cast<int>(kNames.size()), kTexts.data(),
                       kNames.data()) != 0)
      throw Error("NVRTC cannot create a program");
  }
  ~Program() { nvrtc().destroy(&program); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
};

JitImage compile(const std::string& source, const std::array<const char*, 4>& options) {
  const Program program(source);
  const int failed = nvrtc().compile(program.program, static_cast<int>(options.size()), options.data());
  size_t size = 0;
  if (failed != 0) {
    nvrtc().log_size(program.program, &size);
    std::string log(size, '\0');
    nvrtc().log(program.program, log.data());
    throw Error(fmt::format("NVRTC failed: {}", log.substr(0, 500)));
  }
  nvrtc().image_size(program.program, &size);
  JitImage image(size);
  nvrtc().image(program.program, reinterpret_cast<char*>(image.data()));
  return image;
}

}  // namespace

bool has_nvrtc() {
  return nvrtc().loaded != nullptr;
}

JitImage compile_for_gpu(const std::string& source, uint32_t capability) {
  if (!has_nvrtc()) throw Error("there is no NVRTC").hint("it is part of the CUDA toolkit: libnvrtc.so");
  const std::string architecture = fmt::format("-arch=sm_{}", capability);
  // There is no fused multiply-add, so that this code rounds like all other code.
  const std::array<const char*, 4> options = {architecture.c_str(), "-std=c++20", "-default-device",
                                              "-fmad=false"};
  int major = 0, minor = 0;
  nvrtc().version(&major, &minor);
  return cached_image(source, fmt::format("nvrtc {}.{} {} {}", major, minor, architecture, options.back()),
                      [&] { return compile(source, options); });
}

}  // namespace vox::bricks
