#include "libvox/bricks/jit/source.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/files.h"
#include "libvox/base/log.h"
#include "libvox/base/process.h"

namespace vox::bricks {
namespace {

namespace fs = std::filesystem;
using Hash = std::array<uint64_t, 2>;

Hash hash_of(std::string_view text, Hash hash) {
  for (size_t i = 0; i < text.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, text.data() + i, std::min<size_t>(8, text.size() - i));
    hash[0] = mix64(hash[0] ^ word);
    hash[1] = mix64(hash[1] + word * 0x9e3779b97f4a7c15ull);
  }
  return {mix64(hash[0] + text.size()), mix64(hash[1] ^ text.size())};
}

std::string_view text_of(const JitImage& image) {
  return {reinterpret_cast<const char*>(image.data()), image.size()};
}

fs::path cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  const fs::path cache = variable("XDG_CACHE_HOME"), home = variable("HOME");
  if (cache.is_absolute()) return cache / "vox";
  return home.is_absolute() ? home / ".cache/vox" : fs::path();
}

// True if nobody else may have written what is there: code from a stranger's file must not run.
bool is_private(const fs::path& path) {
  struct stat status = {};
  return lstat(path.c_str(), &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) &&
         status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::optional<JitImage> read_image(const fs::path& path, Hash key) {
  if (!is_private(path.parent_path()) || !is_private(path)) return {};
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg();
  Hash hash;
  if (!file || size < static_cast<std::streamoff>(sizeof hash)) return {};
  JitImage image(static_cast<size_t>(size) - sizeof hash);
  file.seekg(0);
  file.read(reinterpret_cast<char*>(image.data()), static_cast<std::streamsize>(image.size()));
  file.read(reinterpret_cast<char*>(hash.data()), sizeof hash);
  if (!file || hash != hash_of(text_of(image), key)) return {};
  return image;
}

void write_image(const fs::path& path, const JitImage& image, Hash key) {
  const fs::path folder = path.parent_path();
  fs::create_directories(folder.parent_path());
  // The mode can be changed, but not the owner.
  if (mkdir(folder.c_str(), S_IRWXU) != 0 && !is_private(folder) &&
      (chmod(folder.c_str(), S_IRWXU) != 0 || !is_private(folder)))
    throw Error("is not a folder that this user alone can write").at(folder.string());
  AtomicFile file(path);
  const Hash hash = hash_of(text_of(image), key);
  std::ofstream out(file.path(), std::ios::binary);
  out.write(text_of(image).data(), static_cast<std::streamsize>(image.size()));
  out.write(reinterpret_cast<const char*>(hash.data()), sizeof hash);
  out.close();
  if (!out) throw Error("cannot be written").at(path.string());
  file.commit();
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
}

}  // namespace

JitImage cached_image(std::string_view source, std::string_view compiler,
                      const std::function<JitImage()>& compile) {
  const Hash key = hash_of(compiler, hash_of(source, {1, 2}));
  const fs::path folder = cache_folder();
  if (folder.empty()) return compile();
  const fs::path path = folder / fmt::format("{:016x}{:016x}.jit", key[0], key[1]);
  if (std::optional<JitImage> image = read_image(path, key)) return *std::move(image);
  JitImage image = compile();
  try {
    write_image(path, image, key);
  } catch (const std::exception& error) {
    log_debug("the compiled image is not kept: {}", error.what());
  }
  return image;
}

namespace {

std::vector<std::string> flags() {
  std::vector<std::string> result = {"-std=c++20", "-O3", "-shared", "-fPIC", "-w", "-ffp-contract=off"};
#ifdef __POPCNT__
  result.push_back("-march=x86-64-v2");  // like this library
#endif
  return result;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "vox-jit-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Error("no temporary folder").at(name);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

JitImage read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw Error("the compiler wrote no shared object");
  JitImage image(static_cast<size_t>(file.tellg()));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(image.data()), static_cast<std::streamsize>(image.size()));
  return image;
}

std::string chosen(const std::string& compiler) {
  if (!compiler.empty()) return compiler;
  const char* variable = std::getenv("CXX");
  return variable != nullptr && *variable != '\0' ? variable : "c++";
}

JitImage compile(const std::string& source, const std::string& compiler) {
  const TemporaryFolder folder;
  const std::string from = folder.path() / "bricks.cpp", to = folder.path() / "bricks.so";
  std::ofstream file(from);
  file << source;
  file.close();
  if (!file) throw Error("cannot be written").at(from);
  std::vector<std::string> command = {compiler};
  for (const std::string& flag : flags()) command.push_back(flag);
  command.insert(command.end(), {from, "-o", to});
  const ProgramResult result = run_program(command);
  if (result.status == 127) throw Error(fmt::format("there is no C++ compiler '{}'", compiler));
  if (result.status != 0)
    throw Error(fmt::format("the C++ compiler '{}' failed: {}", compiler, result.output.substr(0, 500)));
  return read_file(to);
}

}  // namespace

JitImage compile_for_cpu(const std::string& source, const std::string& compiler) {
  const std::string name = chosen(compiler);
  std::string identity = "cpu " + name;
  for (const std::string& flag : flags()) identity += " " + flag;
  return cached_image(source, identity, [&] { return compile(source, name); });
}

namespace {

// Calls NVRTC by its C interface, which is declared here so that neither building nor starting a program
// needs the CUDA toolkit.

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
