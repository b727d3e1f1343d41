#include "formats/volume/channels.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/volume/pieces.h"

namespace vox {
namespace {

constexpr uint64_t kReadAtOnce = 1 << 18;  // values of all channels

int32_t checked_channel(const Channels& channels, std::optional<uint32_t> wanted) {
  if (!wanted)
    throw Error(fmt::format("its voxels have {} values each, expected one", channels.count))
        .hint(fmt::format("choose a channel, 0 to {}", channels.count - 1));
  if (*wanted >= static_cast<uint64_t>(channels.count))
    throw UsageError(fmt::format("channel {} is chosen, but there are 0 to {}", *wanted, channels.count - 1));
  return static_cast<int32_t>(*wanted);
}

// Returns one channel of a file whose voxels have `stride` values each, one behind the other.
StoredVolume interleaved(StoredVolume file, const StoredInfo& info, int32_t stride, int32_t channel) {
  const uint32_t each = stored_bytes(info.type);
  auto read = [read = std::move(file.read), stride, channel, each](const VoxelBox& box, std::byte* to) {
    const volume::Pieces pieces(box, std::max<uint64_t>(kReadAtOnce / static_cast<uint64_t>(stride), 1));
    std::vector<std::byte> values;
    for (uint64_t i = 0; i < pieces.count(); ++i) {
      VoxelBox piece = pieces[i];
      const uint64_t voxels = piece.voxels();
      piece.min.x *= stride, piece.max.x *= stride;
      values.resize(piece.voxels() * each);
      read(piece, values.data());
      const std::byte* from = values.data() + static_cast<uint32_t>(channel) * each;
      for (uint64_t v = 0; v < voxels; ++v, to += each, from += static_cast<uint32_t>(stride) * each)
        std::memcpy(to, from, each);
    }
  };
  return {info, std::move(read)};
}

}  // namespace

StoredVolume channel_from_file(const StoredInfo& info, const VolumeData& data, const Channels& channels,
                               std::optional<uint32_t> wanted) {
  if (channels.count == 1) {
    if (wanted) throw UsageError("a channel is chosen, but its voxels have one value each");
    return volume_from_file(info, data);
  }
  const int32_t channel = checked_channel(channels, wanted);
  const int64_t x = info.size.x, y = info.size.y, z = info.size.z;
  if (channels.count > volume::kMaxVolumeSide)
    throw Error(fmt::format("its voxels have {} values each, expected at most {}", channels.count,
                            volume::kMaxVolumeSide));
  StoredInfo all = info;
  if (channels.order == Channels::Order::Interleaved) {
    all.size = volume::checked_volume_size(x * channels.count, y, z);
    return interleaved(volume_from_file(all, data), info, static_cast<int32_t>(channels.count), channel);
  }
  all.size = volume::checked_volume_size(x, y, z * channels.count);
  auto read = [read = volume_from_file(all, data).read, before = Int3{0, 0, info.size.z * channel}](
                  const VoxelBox& box, std::byte* to) {
    read({box.min + before, box.max + before}, to);
  };
  return {info, std::move(read)};
}

}  // namespace vox
