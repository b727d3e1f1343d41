#include "formats/voxels/voxel_formats.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <cstring>
#include <limits>
#include <string>

#include "formats/voxels/export.h"
#include "formats/voxels/nanovdb/nvdb_file.h"
#include "formats/voxels/nanovdb/nvdb_tree.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

using namespace nvdb;

constexpr uint32_t kIndexVersion = version_number(32, 4, 2), kOnIndexVersion = version_number(32, 6, 0);

// An array beside the tree. The array of materials is written in pieces, so it has no bytes here.
struct BlindArray {
  BlindRecord record;
  NodeBytes bytes = {};
};

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

class NvdbWriting {
 public:
  NvdbWriting(const dag::VoxelScene& scene, NvdbGrid grid, const TreeOutline& tree)
      : scene_(scene), grid_(grid), tree_(tree), nodes_(scene, grid, tree) {
    const bool materials = scene.dag.materials;
    has_channel_ = materials && nodes_.is_index();
    if (has_channel_) arrays_.push_back(blind_array(kMaterialsName, tree.values, 1));
    if (has_channel_) arrays_.back().record.data_class = kChannelArray;
    if (materials) arrays_.push_back(palette_array(scene.palette));
    arrays_.push_back(text_array(scene));
    uint64_t at = blind_at() + arrays_.size() * sizeof(BlindRecord);
    for (size_t i = 0; i < arrays_.size(); ++i) {
      BlindRecord& record = arrays_[i].record;
      record.data_at = static_cast<int64_t>(at - (blind_at() + i * sizeof(BlindRecord)));
      at += align_up(record.count * record.value_bytes);
    }
    grid_bytes_ = at;
  }

  uint64_t bytes() const { return file_head().size() + grid_bytes_; }

  void write(ExportFile& file) const {
    file.write(file_head());
    file.write(grid_head());
    std::vector<const UpperNode*> uppers;
    for (const UpperNode& upper : tree_.uppers)
      if (!upper.solid) uppers.push_back(&upper);
    const auto& lowers = tree_.lowers;
    file.write_pieces(uppers.size(), [&](uint64_t i) { return nodes_.upper(*uppers[i]); });
    file.write_pieces(lowers.size(), [&](uint64_t i) { return nodes_.lower(lowers[i], i); });
    file.write_pieces(lowers.size(), [&](uint64_t i) { return nodes_.leaves(lowers[i]); });
    write_arrays(file);
  }

 private:
  uint64_t blind_at() const { return sizeof(GridHead) + nodes_.end(); }
  std::string name() const {
    return grid_ == NvdbGrid::Rgba ? "colors" : scene_.dag.materials ? "materials" : "voxels";
  }
  uint32_t version() const { return grid_ == NvdbGrid::OnIndex ? kOnIndexVersion : kIndexVersion; }
  GridClass grid_class() const {
    if (nodes_.is_index()) return GridClass::IndexGrid;
    return grid_ == NvdbGrid::Rgba ? GridClass::VoxelVolume : GridClass::Unknown;  // U8: any class
  }
  std::array<uint32_t, 3> node_counts() const {
    return {static_cast<uint32_t>(tree_.leaves), static_cast<uint32_t>(tree_.lowers.size()),
            static_cast<uint32_t>(tree_.upper_nodes)};
  }
  std::array<uint32_t, 3> tile_counts() const {
    return {static_cast<uint32_t>(tree_.tiles[0]), static_cast<uint32_t>(tree_.tiles[1]),
            static_cast<uint32_t>(tree_.tiles[2])};
  }

  NodeBytes file_head() const {
    const std::array<uint32_t, 3> nodes = node_counts();
    const VoxelSize size = scene_.voxel_size;
    const FileHeader header = {.version = version(), .grids = 1};
    const GridRecord record = {.grid_bytes = grid_bytes_,
                               .file_bytes = grid_bytes_,
                               .name_key = name_key(name()),
                               .voxels = tree_.active.count,
                               .type = static_cast<uint32_t>(nodes_.type()),
                               .grid_class = static_cast<uint32_t>(grid_class()),
                               .world_box = world_box(scene_, tree_.active),
                               .box = inclusive_box(tree_.active),
                               .voxel_size = {size.x, size.y, size.z},
                               .name_bytes = static_cast<uint32_t>(name().size() + 1),
                               .nodes = {nodes[0], nodes[1], nodes[2], 1},
                               .tiles = tile_counts(),
                               .version = version()};
    NodeBytes bytes(sizeof header + sizeof record);
    put_at(bytes, 0, header);
    put_at(bytes, sizeof header, record);
    const std::string text = name();
    bytes.insert(bytes.end(), text.begin(), text.end());
    bytes.push_back(0);
    return bytes;
  }

  // Returns the grid's bytes up to its first node.
  NodeBytes grid_head() const {
    const VoxelSize size = scene_.voxel_size;
    const bool filled = tree_.active.count > 0;
    GridHead head = {.version = version(),
                     .flags = kIsBreadthFirst | (filled ? kHasBounds : 0) |
                              (filled && grid_ == NvdbGrid::U8 ? kHasMinMax : 0),
                     .bytes = grid_bytes_,
                     .map = map_of(scene_),
                     .world_box = world_box(scene_, tree_.active),
                     .voxel_size = {size.x, size.y, size.z},
                     .grid_class = static_cast<uint32_t>(grid_class()),
                     .type = static_cast<uint32_t>(nodes_.type()),
                     .blind_at = static_cast<int64_t>(blind_at()),
                     .blind_count = static_cast<uint32_t>(arrays_.size()),
                     .values = nodes_.is_index() ? tree_.values : 0};
    std::strncpy(head.name.data(), name().c_str(), head.name.size() - 1);
    const auto first = [](uint64_t count, uint64_t at) { return count > 0 ? at : 0; };
    const TreeHead tree = {
        .first = {first(tree_.leaves, nodes_.leaves_at()), first(tree_.lowers.size(), nodes_.lowers_at()),
                  first(tree_.upper_nodes, nodes_.uppers_at()), nodes_.root_at()},
        .nodes = node_counts(),
        .tiles = tile_counts(),
        .voxels = tree_.active.count};
    NodeBytes bytes(sizeof head + sizeof tree);
    put_at(bytes, 0, head);
    put_at(bytes, sizeof head, tree);
    const NodeBytes root = nodes_.root();
    bytes.insert(bytes.end(), root.begin(), root.end());
    const uint32_t checksum =
        libdeflate_crc32(0, bytes.data() + kChecksumBegin, bytes.size() - kChecksumBegin);
    put_at(bytes, offsetof(GridHead, checksum), kNoChecksum << 32 | checksum);
    return bytes;
  }

  void write_arrays(ExportFile& file) const {
    for (const BlindArray& array : arrays_) {
      NodeBytes record(sizeof(BlindRecord));
      put_at(record, 0, array.record);
      file.write(record);
    }
    for (const BlindArray& array : arrays_) {
      const bool is_channel = has_channel_ && &array == &arrays_.front();
      if (is_channel) write_materials(file);
      file.write(array.bytes);
      const uint64_t bytes = array.record.count * array.record.value_bytes;
      file.write(NodeBytes(align_up(bytes) - bytes));
    }
  }

  void write_materials(ExportFile& file) const {
    file.write(nodes_.first_materials());
    file.write_pieces(tree_.lowers.size(), [&](uint64_t i) { return nodes_.materials(tree_.lowers[i]); });
  }

  const dag::VoxelScene& scene_;
  const NvdbGrid grid_;
  const TreeOutline& tree_;
  TreeNodes nodes_;
  std::vector<BlindArray> arrays_;
  bool has_channel_ = false;
  uint64_t grid_bytes_ = 0;
};

void check_counts(const TreeOutline& tree, const std::filesystem::path& path) {
  for (const uint64_t count : {tree.leaves, tree.tiles[0], tree.tiles[1], uint64_t{tree.lowers.size()}})
    if (count > UINT32_MAX)
      throw Error(
          fmt::format("would have {} nodes of one size, but a .nvdb file can have {}", count, UINT32_MAX))
          .at(path.string())
          .hint(coarser_hint("64K"))
          .about("resolution");
}

}  // namespace

void write_nvdb(const dag::VoxelScene& scene, const std::filesystem::path& path,
                const std::optional<VoxelBox>& clip, NvdbGrid grid, ranks::Ranks& ranks) {
  if (grid == NvdbGrid::Rgba && !scene.dag.materials && !scene.colors)
    throw Error("cannot hold colors: the scene has no materials").at(path.string());
  const VoxelBox region = export_region(scene, clip, path);
  const TreeOutline tree =
      outline_of(scene.dag, region, grid == NvdbGrid::U8 ? CountMaterials::Yes : CountMaterials::No,
                 scene.colors && grid == NvdbGrid::Rgba ? FullNodes::AreLeaves : FullNodes::AreTiles);
  check_counts(tree, path);
  const NvdbWriting writing(scene, grid, tree);
  ExportFile file(path, writing.bytes(), Writers::Several, ranks);
  writing.write(file);
  file.commit();
}

namespace {

// Copies the record at this place of a file. Returns false if the file ends before.
template <class Record>
bool copy_record(std::string_view file, uint64_t at, Record& record) {
  if (at > file.size() || file.size() - at < sizeof(Record)) return false;
  std::memcpy(&record, file.data() + at, sizeof(Record));
  return true;
}

}  // namespace

// The last array beside the tree is the scene's description.
bool is_nvdb_of_vox(std::string_view file) {
  GridRecord record;
  GridHead head;
  BlindRecord last;
  if (!file.starts_with("NanoVDB") || !copy_record(file, sizeof(FileHeader), record)) return false;
  const uint64_t grid = sizeof(FileHeader) + sizeof(GridRecord) + record.name_bytes;
  if (!copy_record(file, grid, head) || head.blind_count == 0) return false;
  const uint64_t at =
      grid + static_cast<uint64_t>(head.blind_at) + (head.blind_count - uint64_t{1}) * sizeof(BlindRecord);
  return copy_record(file, at, last) &&
         std::string_view(last.name.data(), last.name.size()).starts_with(std::string(kSceneName) + '\0');
}

}  // namespace vox
