// The values of a volume as they lie in a file, which all formats of volumes share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "libvox/volume/volume.h"

namespace vox {

enum class ByteOrder { Little, Big };
enum class Encoding { Raw, Gzip, Zlib };

struct VolumeData {
  std::filesystem::path file;
  std::optional<uint64_t> offset = 0;  // bytes before the data, which goes up to the file's end; without
                                       // one, raw data are the last bytes of the file
  ByteOrder order = ByteOrder::Little;
  Encoding encoding = Encoding::Raw;
};

// The volume with the type and spacing of `info`; errors name `info.source`. Throws Error where the file does
// not hold exactly the bytes that the size asks for.
volume::Volume volume_from_file(volume::VolumeInfo info, const VolumeData& data);

// Throws Error that lists all types where there is none of this name.
volume::ValueType checked_value_type(std::string_view name);
ByteOrder parse_byte_order(std::string_view name);  // little or big

}  // namespace vox
