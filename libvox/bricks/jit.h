// Loops over bricks by code made for these bricks: compiled where there is a compiler, else by the
// interpreted kd tree, with a warning.
#pragma once

#include <memory>
#include <string>

#include "libvox/bricks/jit_loops.h"
#include "libvox/bricks/jit_source.h"

namespace vox {

struct CpuJitOptions {
  JitOptions source;
  std::string compiler;  // empty: $CXX, else c++
};

// On the processor's cores. The bricks outlive it.
class CpuJit {
 public:
  explicit CpuJit(const FrozenBricks& bricks, const CpuJitOptions& options = {});
  ~CpuJit();

  bool compiled() const;  // or interpreted
  // For every voxel of the volume, on all cores.
  void copy_volume(void* words) const;
  void mean_filter(int32_t radius, void* words) const;

 private:
  struct Code;
  template <template <class, class> class Loop>
  void run(const char* name, const JitTask& task) const;

  const FrozenBricks& bricks_;
  KdTree tree_;
  std::unique_ptr<Code> code_;
};

}  // namespace vox
