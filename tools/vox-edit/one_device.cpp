#include "tools/vox-edit/one_device.h"

#include <fmt/format.h>

#include "libvox/base/error.h"
#include "libvox/base/units.h"

namespace vox {

void refuse_ranks(const EngineOptions& engine, const ranks::Ranks& ranks) {
  // The memory that the process takes at its peak for each unique node (docs/editing.md): the scene as it is read, the store with
  // room to grow, and what becomes of it in the end.
  constexpr double kBytesPerNode = 150;
  const std::unique_ptr<Engine> one = make_engine(engine);
  const uint64_t memory = one->memory_limit();
  const double millions = static_cast<double>(memory) / kBytesPerNode * 1e-6;
  throw UsageError(
      fmt::format("vox-edit runs on one device, but was started as {} processes; {} may use {}, which is "
                  "enough for a scene of about {:.{}f} M unique nodes",
                  ranks.count(), one->device_text(), format_bytes(memory), millions, millions < 10 ? 1 : 0));
}

}  // namespace vox
