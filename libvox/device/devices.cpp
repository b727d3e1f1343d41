#include "libvox/device/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <variant>

#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/device/cpu_device.h"

namespace vox::device {

int gpu_count() {
#ifdef VOX_HAS_CUDA
  return cuda_device_count();
#else
  return 0;
#endif
}

bool has_cuda() {
#ifdef VOX_HAS_CUDA
  return true;
#else
  return false;
#endif
}

namespace {

UsageError not_a_device(const std::string& device) {
  UsageError error(fmt::format("the device is '{}', expected auto, cpu, cuda or cuda:N", device));
  error.about("device");
  return error;
}

// Returns the index of the GPU: 0 for "cuda", N for "cuda:N".
int parse_cuda_index(const std::string& device) {
  if (device == "cuda") return 0;
  int index = -1;
  const char *begin = device.data() + 5, *end = device.data() + device.size();
  auto [stop, error] = std::from_chars(begin, end, index);
  if (error != std::errc() || stop != end || index < 0) throw not_a_device(device);
  return index;
}

// Returns the index of the GPU that `device` names, or nothing for the processor.
std::optional<int> gpu_index(const std::string& device) {
  const int count = gpu_count();
  if (device == "cpu" || (device == "auto" && count == 0)) {
    if (device == "auto") log_debug("no GPU found, using the CPU");
    return std::nullopt;
  }
  if (device != "auto" && device != "cuda" && !device.starts_with("cuda:")) throw not_a_device(device);
  const int index = device == "auto" ? 0 : parse_cuda_index(device);
  if (index < count) return index;
  if (!has_cuda())
    throw Error(fmt::format("the device is {}, but this build has no CUDA (device {})", device, index))
        .hint("use the device cpu")
        .about("device");
  throw Error(fmt::format("the device is {}, but this machine has {} usable NVIDIA GPU{}", device, count,
                          count == 1 ? "" : "s"))
      .hint("use the device cpu, or check the driver with nvidia-smi")
      .about("device");
}

bool is_number(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool names_several(const std::string& devices) {
  return devices.find(',') != std::string::npos;
}

std::vector<std::string> listed_devices(const std::string& devices) {
  std::vector<std::string> names;
  for (size_t begin = 0; begin <= devices.size();) {
    const size_t end = std::min(devices.find(',', begin), devices.size());
    std::string name = devices.substr(begin, end - begin);
    if (is_number(name) && !names.empty() && names.back().starts_with("cuda")) name = "cuda:" + name;
    if (name == "cuda") name = "cuda:0";
    if (name != "cpu" && !name.starts_with("cuda:"))
      throw UsageError(
          fmt::format("the device is '{}', expected a list of cpu and cuda:N, such as cuda:0,1", devices))
          .about("device");
    if (name != "cpu" && std::ranges::find(names, name) != names.end())
      throw UsageError(fmt::format("the device is '{}', which names {} twice", devices, name))
          .about("device");
    names.push_back(std::move(name));
    begin = end + 1;
  }
  return names;
}

std::unique_ptr<AnyDevice> make_device(const DeviceChoice& choice) {
  [[maybe_unused]] const std::optional<int> gpu = gpu_index(choice.name);
#ifdef VOX_HAS_CUDA
  // A GPU that is there may be in use by others, or fail.
  if (gpu) try {
      return make_cuda_device(choice, *gpu);
    } catch (const Error& error) {
      if (choice.name != "auto") throw;
      log_warning("{}; the CPU is used instead", error.what());
    }
#endif
  return std::make_unique<DeviceOfKind<CpuDevice>>(choice.memory_limit, choice.profile);
}

void use_here([[maybe_unused]] DeviceHandle device) {
#ifdef VOX_HAS_CUDA
  if (CudaDevice* const* cuda = std::get_if<CudaDevice*>(&device)) use_cuda_here(**cuda);
#endif
}

void share_memory([[maybe_unused]] const std::vector<DeviceHandle>& devices) {
#ifdef VOX_HAS_CUDA
  std::vector<const CudaDevice*> gpus;
  for (const DeviceHandle& device : devices)
    if (CudaDevice* const* cuda = std::get_if<CudaDevice*>(&device)) gpus.push_back(*cuda);
  for (const CudaDevice* owner : gpus)
    for (const CudaDevice* other : gpus)
      if (owner != other) let_reach(*owner, *other);
#endif
}

}  // namespace vox::device
