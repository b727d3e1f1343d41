#include "libvox/bricks/jit.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <unistd.h>

#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/bricks/jit_compile.h"

namespace vox {
namespace {

using LoopFunction = void(const BricksRef*, const JitTask*, uint64_t begin, uint64_t end);

// The image is loaded from memory: what was checked is what runs.
void* load_image(const JitImage& image) {
  const int file = memfd_create("vox-jit", MFD_CLOEXEC);
  if (file < 0) throw Error("no file in memory");
  size_t written = 0;
  while (written < image.size()) {
    const ssize_t count = write(file, image.data() + written, image.size() - written);
    if (count <= 0) break;
    written += static_cast<size_t>(count);
  }
  void* library = nullptr;
  if (written == image.size())
    library = dlopen(fmt::format("/proc/self/fd/{}", file).c_str(), RTLD_NOW | RTLD_LOCAL);
  close(file);
  if (library == nullptr) throw Error("the compiled code cannot be loaded");
  return library;
}

}  // namespace

struct CpuJit::Code {
  void* library;

  explicit Code(const JitImage& image) : library(load_image(image)) {}
  ~Code() { dlclose(library); }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  LoopFunction* loop(const char* name) const { return reinterpret_cast<LoopFunction*>(dlsym(library, name)); }
};

CpuJit::CpuJit(const FrozenBricks& bricks, const CpuJitOptions& options)
    : bricks_(bricks), tree_(build_kd_tree(bricks, options.source.leaves)) {
  try {
    code_ =
        std::make_unique<Code>(compile_for_cpu(jit_source(bricks, tree_, options.source), options.compiler));
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    log_warning("access to bricks is interpreted, not compiled: {}", error.what());
  }
}

CpuJit::~CpuJit() = default;

bool CpuJit::compiled() const {
  return code_ != nullptr;
}

template <template <class, class> class Loop>
void CpuJit::run(const char* name, const JitTask& task) const {
  const BricksRef access = ref(bricks_);
  const KdRef interpreted = {.bricks = access, .nodes = tree_.nodes.data()};
  LoopFunction* compiled = code_ ? code_->loop(name) : nullptr;
  const tbb::blocked_range<uint64_t> voxels(0, bricks_.info.box().voxels(), 4096);
  with_word_type(bricks_.info.type, [&]<class T>() {
    tbb::parallel_for(voxels, [&](const auto& range) {
      if (compiled != nullptr) return compiled(&access, &task, range.begin(), range.end());
      const Loop<KdRef, T> body = {interpreted, task};
      for (uint64_t i = range.begin(); i < range.end(); ++i) body(i);
    });
  });
}

void CpuJit::copy_volume(void* words) const {
  run<CopyVolume>("copy_volume", {.size = bricks_.info.size, .radius = 0, .out = words});
}

void CpuJit::mean_filter(int32_t radius, void* words) const {
  run<MeanFilter>("mean_filter", {.size = bricks_.info.size, .radius = radius, .out = words});
}

}  // namespace vox
