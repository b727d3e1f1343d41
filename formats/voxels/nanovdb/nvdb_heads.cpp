#include "formats/voxels/nanovdb/nvdb_heads.h"

#include <libdeflate.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

namespace vox::nvdb {
namespace {

// Returns the hash of a name by which readers look up a grid.
uint64_t name_key(std::string_view name) {
  uint64_t key = 0;
  for (const char c : name) {
    const uint64_t overflow = key >> 56;
    key = key * 67 + static_cast<uint8_t>(c) + overflow;
  }
  return key;
}

Map map_of(const dag::VoxelScene& scene) {
  Map map;
  for (size_t axis = 0; axis < 3; ++axis) {
    const size_t diagonal = 4 * axis;
    map.matrix[diagonal] = scene.voxel_size[static_cast<uint32_t>(axis)];
    map.inverse[diagonal] = 1 / map.matrix[diagonal];
    map.matrix_f[diagonal] = static_cast<float>(map.matrix[diagonal]);
    map.inverse_f[diagonal] = static_cast<float>(map.inverse[diagonal]);
    map.shift[axis] = scene.origin[static_cast<uint32_t>(axis)];
    map.shift_f[axis] = static_cast<float>(map.shift[axis]);
  }
  return map;
}

std::array<double, 6> world_box(const dag::VoxelScene& scene, const ActiveVoxels& active) {
  constexpr double kMost = std::numeric_limits<double>::max();
  if (active.count == 0) return {kMost, kMost, kMost, -kMost, -kMost, -kMost};
  const Vec3d min = world_corner(scene, active.box.min), max = world_corner(scene, active.box.max);
  return {min.x, min.y, min.z, max.x, max.y, max.z};
}

}  // namespace

BlindArray blind_array(const char* name, uint64_t count, uint32_t value_bytes) {
  BlindArray array = {.record = {.count = count, .value_bytes = value_bytes}};
  std::strncpy(array.record.name.data(), name, array.record.name.size() - 1);
  return array;
}

BlindArray palette_array(const scene::Palette& palette) {
  BlindArray array = blind_array(kPaletteName, palette.count, 4);
  array.record.type = static_cast<uint32_t>(GridType::Rgba8);
  for (uint32_t i = 0; i < palette.count; ++i) {
    const scene::Rgb8 color = palette.colors[i];
    array.bytes.insert(array.bytes.end(), {color.r, color.g, color.b, 255});
  }
  return array;
}

BlindArray text_array(const dag::VoxelScene& scene) {
  const std::string text = scene_text(scene);
  BlindArray array = blind_array(kSceneName, text.size(), 1);
  array.bytes.assign(text.begin(), text.end());
  return array;
}

NvdbHeads::NvdbHeads(const dag::VoxelScene& scene, NvdbGridFacts facts)
    : scene_(scene), facts_(std::move(facts)) {
  uint64_t at = blind_at() + facts_.arrays.size() * sizeof(BlindRecord);
  for (size_t i = 0; i < facts_.arrays.size(); ++i) {
    BlindRecord& record = facts_.arrays[i].record;
    record.data_at = static_cast<int64_t>(at - (blind_at() + i * sizeof(BlindRecord)));
    at += align_up(record.count * record.value_bytes);
  }
  grid_bytes_ = at;
}

void NvdbHeads::write(ExportFile& file) const {
  file.write(file_head());
  file.write(grid_head());
}

NodeBytes NvdbHeads::file_head() const {
  const VoxelSize size = scene_.voxel_size;
  const FileHeader header = {.version = facts_.version, .grids = 1};
  const GridRecord record = {.grid_bytes = grid_bytes_,
                             .file_bytes = grid_bytes_,
                             .name_key = name_key(facts_.name),
                             .voxels = facts_.active.count,
                             .type = static_cast<uint32_t>(facts_.type),
                             .grid_class = static_cast<uint32_t>(facts_.grid_class),
                             .world_box = world_box(scene_, facts_.active),
                             .box = inclusive_box(facts_.active),
                             .voxel_size = {size.x, size.y, size.z},
                             .name_bytes = static_cast<uint32_t>(facts_.name.size() + 1),
                             .nodes = {facts_.nodes[0], facts_.nodes[1], facts_.nodes[2], 1},
                             .tiles = facts_.tiles,
                             .version = facts_.version};
  NodeBytes bytes(sizeof header + sizeof record + facts_.name.size() + 1);
  put_at(bytes, 0, header);
  put_at(bytes, sizeof header, record);
  std::ranges::copy(facts_.name, bytes.begin() + sizeof header + sizeof record);
  return bytes;
}

NodeBytes NvdbHeads::grid_head() const {
  const VoxelSize size = scene_.voxel_size;
  GridHead head = {.version = facts_.version,
                   .flags = kIsBreadthFirst | (facts_.active.count > 0 ? kHasBounds | facts_.flags : 0),
                   .bytes = grid_bytes_,
                   .map = map_of(scene_),
                   .world_box = world_box(scene_, facts_.active),
                   .voxel_size = {size.x, size.y, size.z},
                   .grid_class = static_cast<uint32_t>(facts_.grid_class),
                   .type = static_cast<uint32_t>(facts_.type),
                   .blind_at = static_cast<int64_t>(blind_at()),
                   .blind_count = static_cast<uint32_t>(facts_.arrays.size()),
                   .values = facts_.values};
  std::strncpy(head.name.data(), facts_.name.c_str(), head.name.size() - 1);
  const auto first = [&](size_t kind) { return facts_.nodes[kind] > 0 ? facts_.first[kind] : 0; };
  const TreeHead tree = {.first = {first(0), first(1), first(2), sizeof(TreeHead)},
                         .nodes = facts_.nodes,
                         .tiles = facts_.tiles,
                         .voxels = facts_.active.count};
  NodeBytes bytes(sizeof head + sizeof tree + facts_.root.size());
  put_at(bytes, 0, head);
  put_at(bytes, sizeof head, tree);
  std::ranges::copy(facts_.root, bytes.begin() + sizeof head + sizeof tree);
  const uint32_t checksum = libdeflate_crc32(0, bytes.data() + kChecksumBegin, bytes.size() - kChecksumBegin);
  put_at(bytes, offsetof(GridHead, checksum), kNoChecksum << 32 | checksum);
  return bytes;
}

}  // namespace vox::nvdb
