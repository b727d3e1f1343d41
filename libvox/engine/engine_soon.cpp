#include "libvox/engine/engine_soon.h"

#include <exception>
#include <optional>
#include <utility>

#include "libvox/base/progress.h"
#include "libvox/engine/engine_devices.h"
#include "libvox/engine/group_engine.h"
#include "libvox/hash/table_list.h"

namespace vox {
namespace {

#ifdef VOX_HAS_CUDA
std::unique_ptr<Engine> warm_gpu(const EngineOptions& options, const std::function<void(Engine&)>& warm_up) {
  hash::check_table_name(options.table);
  if (options.device == "auto" && cuda_device_count() == 0) return nullptr;  // get() reports it
  std::unique_ptr<Engine> engine = make_engine(options);
  try {
    const NoProgress quiet;
    warm_up(*engine);
  } catch (const std::exception&) {  // such as too low a memory limit, which the real work reports better
  }
  engine->restart_measuring();
  return engine;
}

// The first device of a list. Work that needs a single device runs there.
std::string first_device(const std::string& device) {
  return names_several(device) ? listed_devices(device).front() : device;
}
#endif

}  // namespace

EngineSoon::EngineSoon(const EngineOptions& options, const std::function<void(Engine&)>& warm_up)
    : options_(options) {
#ifdef VOX_HAS_CUDA
  if (options.device == "auto" || options.device.starts_with("cuda"))
    gpu_ = std::async(std::launch::async, [options, warm_up] { return warm_gpu(options, warm_up); });
#else
  (void)warm_up;
#endif
}

std::unique_ptr<Engine> EngineSoon::get() {
  std::unique_ptr<Engine> engine = gpu_.valid() ? gpu_.get() : nullptr;
  if (!engine) return make_engine(options_);
#ifdef VOX_HAS_CUDA
  use_cuda_device_here(*gpu_index(first_device(options_.device)));
#endif
  return engine;
}

}  // namespace vox
