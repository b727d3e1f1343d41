// The values of a volume as they lie in one file or several, which all formats of volumes share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/volume/stored_volume.h"

namespace vox {

enum class ByteOrder { Little, Big };
enum class Encoding { Raw, Gzip, Zlib, Text };  // text: numbers with blanks between them

struct VolumeData {
  std::vector<std::filesystem::path> files;  // of equal parts of the values, one behind the other
  std::optional<uint64_t> offset = 0;  // bytes before the data of each, which goes up to the file's end;
                                       // without one, raw data are the last bytes of the file
  uint64_t lines = 0;                  // behind the offset, lines before the data,
  uint64_t bytes_behind_lines = 0;     // and behind them bytes
  // Of gzip: bytes before the values once they are inflated, and what they begin with, which is checked.
  uint64_t inflated_offset = 0;
  std::vector<std::byte> inflated_start = {};
  ByteOrder order = ByteOrder::Little;
  Encoding encoding = Encoding::Raw;
};

// The volume of `info`; errors name `info.source`. Throws Error where the files do not hold exactly the values
// that the size asks for.
StoredVolume volume_from_file(StoredInfo info, const VolumeData& data);

ByteOrder parse_byte_order(std::string_view name);  // little or big

}  // namespace vox
