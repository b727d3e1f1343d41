#include "libvox/engine/engine.h"

#include <fmt/format.h>

#include <charconv>

#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/phrase.h"
#include "libvox/engine/engine_devices.h"
#include "libvox/hash/table_list.h"

namespace vox {
namespace {

// The index of the GPU: 0 for "cuda", N for "cuda:N".
int parse_cuda_index(const std::string& device) {
  if (device == "cuda") return 0;
  int index = -1;
  const char *begin = device.data() + 5, *end = device.data() + device.size();
  auto [stop, error] = std::from_chars(begin, end, index);
  if (error != std::errc() || stop != end || index < 0)
    throw UsageError(
        fmt::format("{} is '{}', expected auto, cpu, cuda or cuda:N", phrase(Phrase::Device), device));
  return index;
}

}  // namespace

int gpu_count() {
#ifdef VOX_HAS_CUDA
  return cuda_device_count();
#else
  return 0;
#endif
}

std::optional<int> gpu_index(const std::string& device) {
  const int count = gpu_count();
  if (device == "cpu" || (device == "auto" && count == 0)) {
    if (device == "auto") log_debug("no GPU found, using the CPU");
    return std::nullopt;
  }
  if (device != "auto" && device != "cuda" && !device.starts_with("cuda:"))
    throw UsageError(
        fmt::format("{} is '{}', expected auto, cpu, cuda or cuda:N", phrase(Phrase::Device), device));
  const int index = device == "auto" ? 0 : parse_cuda_index(device);
#ifdef VOX_HAS_CUDA
  if (index < count) return index;
  throw Error(fmt::format("{} {}: this machine has {} usable NVIDIA GPU{}", phrase(Phrase::Device), device,
                          count, count == 1 ? "" : "s"))
      .hint(phrase(Phrase::UseCpu) + ", or check the driver with nvidia-smi");
#else
  throw Error(fmt::format("{} {}: this build has no CUDA (device {})", phrase(Phrase::Device), device, index))
      .hint(phrase(Phrase::UseCpu));
#endif
}

std::unique_ptr<Engine> make_engine(const EngineOptions& options) {
  hash::check_table_name(options.table);
  [[maybe_unused]] const std::optional<int> gpu = gpu_index(options.device);
#ifdef VOX_HAS_CUDA
  if (gpu) return make_cuda_engine(options, *gpu);
#endif
  return make_cpu_engine(options);
}

}  // namespace vox
