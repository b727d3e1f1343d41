#include "libvox/device/cpu_code.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "libvox/base/error.h"

namespace vox::device {

CpuCode::CpuCode(const std::vector<std::byte>& image) {
  const int file = memfd_create("vox-jit", MFD_CLOEXEC);
  if (file < 0) throw Error("cannot create a file in memory for compiled code");
  size_t written = 0;
  while (written < image.size()) {
    const ssize_t count = write(file, image.data() + written, image.size() - written);
    if (count <= 0) break;
    written += static_cast<size_t>(count);
  }
  if (written == image.size())
    library_ = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  close(file);
  if (library_ == nullptr) throw Error("the compiled code cannot be loaded");
}

CpuCode::~CpuCode() {
  dlclose(library_);
}

CpuCode::Loop* CpuCode::loop(const char* name) const {
  auto* loop = reinterpret_cast<Loop*>(dlsym(library_, name));
  if (loop == nullptr) throw Error(std::string("the compiled code has no loop '") + name + "'");
  return loop;
}

}  // namespace vox::device
