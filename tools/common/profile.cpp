#include "tools/common/profile.h"

#include <fmt/format.h>

#include "libvox/base/units.h"
#include "tools/common/terminal.h"

namespace vox {

void print_profile(const std::vector<device::KernelTime>& kernels) {
  std::string text =
      fmt::format("{:<28} {:>8} {:>10} {:>12} {:>10}\n", "kernel", "launches", "seconds", "bytes", "GB/s");
  for (const device::KernelTime& k : kernels)
    text += fmt::format("{:<28} {:>8} {:>10.4f} {:>12} {:>10.1f}\n", k.name, k.launches, k.seconds,
                        format_bytes(k.bytes),
                        k.seconds > 0 ? static_cast<double>(k.bytes) * 1e-9 / k.seconds : 0.0);
  print_message(text);
}

void set_profile(measure::ResultGroup& results, const std::vector<device::KernelTime>& kernels) {
  if (kernels.empty()) return;
  results.table(measure::in_json("kernels"))
      .column("name", "", kernels, &device::KernelTime::name)
      .column("launches", "", kernels, &device::KernelTime::launches)
      .column("seconds", "s", kernels, &device::KernelTime::seconds)
      .column("bytes", "bytes", kernels, &device::KernelTime::bytes);
}

}  // namespace vox
