#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "libvox/base/error.h"
#include "libvox/base/run_program.h"
#include "libvox/bricks/jit/compile.h"

namespace vox::bricks {
namespace {

namespace fs = std::filesystem;

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

}  // namespace vox::bricks
