#include "tools/vox-edit/one_device.h"

#include <fmt/format.h>

#include "libvox/base/error.h"
#include "libvox/base/units.h"

namespace vox {

void refuse_ranks(const EngineOptions& engine, const ranks::Ranks& ranks) {
  // What the process takes at its peak for each unique node (docs/editing.md): the scene as it is read, the store with
  // room to grow, and what becomes of it in the end.
  constexpr uint64_t kBytesPerNode = 150;
  const std::unique_ptr<Engine> one = make_engine(engine);
  const uint64_t memory = one->memory_limit();
  throw UsageError(
      fmt::format("vox-edit runs on one device, but was started as {} processes; {} may use {}, which is "
                  "enough for a scene "
                  "of about {}",
                  ranks.count(), one->device_text(), format_bytes(memory),
                  format_count(memory / kBytesPerNode, "unique node")));
}

}  // namespace vox
