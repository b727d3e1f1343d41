// The layout of a volume's values in one or several files, which all formats of volumes share.
#pragma once

#include <array>
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

// Volumes whose voxels have several values, such as colours or times. One of these channels is read as a
// volume.

struct Channels {
  enum class Order {
    Interleaved,  // the values of a voxel follow one another
    Planar        // the voxels of a channel follow one another
  };
  int64_t count = 1;
  Order order = Order::Interleaved;
};

// Opens channel `wanted`, counted from 0, in the way of volume_from_file(); `info` describes the volume of
// one channel. Throws Error if there are several channels and none is wanted, and UsageError if the wanted
// channel does not exist.
StoredVolume channel_from_file(const StoredInfo& info, const VolumeData& data, const Channels& channels,
                               std::optional<uint32_t> wanted);

// Volumes whose axes do not run along those of the world.

// A header's description of where voxels lie.
struct GridPlacement {
  std::array<Vec3d, 3> steps = {};         // for each axis of the file, from voxel to voxel
  std::optional<Vec3d> first_centre = {};  // voxel (0, 0, 0)'s; without it the volume begins at the origin
};

// Returns the volume with the world's axes x, y and z; the file's axes are exchanged if necessary. An axis
// that runs backwards has a negative spacing. An axis that is rotated against the world's is replaced by the
// nearest one, with its spacing and around the same centre, and a warning states the angle. Throws Error for
// a step of 0.
StoredVolume placed(StoredVolume volume, const GridPlacement& placement);

// Returns the same volume with all axes running forwards.
StoredVolume forwards(StoredVolume volume);

}  // namespace vox
