// Reads files of values without a header, x fastest, such as those of the Open SciVis data sets. The file's
// name or the caller states the size and the type.
#pragma once

#include <filesystem>
#include <optional>

#include "formats/volume/volume_data.h"

namespace vox {

struct RawOptions {
  std::optional<Int3> size;
  std::optional<StoredType> type;
  ByteOrder order = ByteOrder::Little;
  uint64_t offset = 0;

  bool any() const { return size || type || order != ByteOrder::Little || offset != 0; }
};

// A size or type that the options leave open is taken from a name such as bonsai_256x256x178_uint8.raw.
StoredVolume open_raw(const std::filesystem::path& path, const RawOptions& options);

}  // namespace vox
