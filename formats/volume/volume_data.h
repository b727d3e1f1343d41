// The layout of a volume's values in one or several files, which all formats of volumes share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/volume/stored_volume.h"

namespace vox {

enum class ByteOrder { Little, Big };
enum class Encoding { Raw, Gzip, Zlib, Text };  // Text: numbers separated by blanks

struct VolumeData {
  std::vector<std::filesystem::path> files;  // each holds an equal part of the values, in order
  // The bytes before the data in each file; the data extend to the file's end. Without an offset, raw data are
  // the last bytes of the file.
  std::optional<uint64_t> offset = 0;
  uint64_t lines = 0;               // lines to skip after the offset
  uint64_t bytes_behind_lines = 0;  // bytes to skip after these lines
  // For gzip: the bytes before the values in the decompressed data, and what these data must begin with.
  uint64_t inflated_offset = 0;
  std::vector<std::byte> inflated_start = {};
  ByteOrder order = ByteOrder::Little;
  Encoding encoding = Encoding::Raw;
};

// Opens the volume that `info` describes; errors name `info.source`. Throws Error if the files do not contain
// exactly the values that the size requires.
StoredVolume volume_from_file(StoredInfo info, const VolumeData& data);

ByteOrder parse_byte_order(std::string_view name);  // "little" or "big"

}  // namespace vox
