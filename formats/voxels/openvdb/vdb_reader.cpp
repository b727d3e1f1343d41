// OpenVDB's grids as voxels, and as volumes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "formats/volume/places.h"
#include "formats/volume/volume_formats.h"
#include "formats/voxels/nanovdb/tree_cubes.h"
#include "formats/voxels/openvdb/vdb.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/loops.h"
#include "libvox/scene/oklab.h"

namespace vox {
namespace {

using nvdb::TreeCube;

// Tells which grids of the file are not read.
void warn_of_others(const VdbFile& file, size_t read, const std::filesystem::path& path) {
  constexpr size_t kMostNames = 16;
  std::vector<std::string> others;
  for (size_t i = 0; i < file.entries().size() && others.size() < kMostNames; ++i)
    if (i != read)
      others.push_back(fmt::format("{} '{}' ({})", i, file.entries()[i].name, file.entries()[i].tree));
  if (!others.empty())
    log_warning("{}: grid {} '{}' is read, and not {}", path.string(), read, file.entries()[read].name,
                fmt::join(others, ", "));
}

// The places of voxels in index coordinates are their centers; a scene begins at a corner.
nvdb::TreePlacement from_corners(nvdb::TreePlacement placement) {
  for (const Vec3d& step : placement.steps) placement.corner = placement.corner - step * 0.5;
  return placement;
}

// The active voxels of a grid.
class VdbVoxels {
 public:
  VdbVoxels(const VdbFile& file, const VdbGrid& grid) : tree_(file, grid) {
    const VdbType& type = grid.type;
    if (type.kind == VdbType::Kind::Color) meaning_ = VoxelValues::Rgb;
    if (!file.ours() || type.kind != VdbType::Kind::Number || type.number != StoredType::I32) return;
    meaning_ = VoxelValues::Entries;
    materials_ = file.ours()->palette.count;
  }

  const VdbTree& tree() const { return tree_; }
  VoxelValues meaning() const { return meaning_; }

  void read(const TreeCube& cube, VoxelSink& to) const {
    const VdbPart& part = tree_.parts()[cube.part];
    if (part.node == 0) return to.fill(value_of(tree_.tile(part)));
    const VdbNode node = tree_.node(part);
    const Int3 corner = octant_corner(cube.octant, 8);
    for (uint32_t n = 0, child = 0; n < nvdb::kLowerEntries; ++n) {
      const bool is_leaf = mask_bit(node.children, n);
      const Int3 place = nvdb::place_of_entry(n, 4) - corner;
      if (std::min({place.x, place.y, place.z}) >= 0 && std::max({place.x, place.y, place.z}) < 8) {
        const auto [x, y, z] = vec_of<uint32_t>(place);
        const auto leaf = static_cast<uint32_t>(morton_encode(x, y, z));
        if (is_leaf)
          put_leaf(leaf, part, node, child, to);
        else if (mask_bit(node.active, n))
          put_tile(leaf, node.values.data() + uint64_t{n} * tree_.values().type().bytes, to);
      }
      child += is_leaf ? 1 : 0;
    }
  }

 private:
  uint32_t value_of(const std::byte* value) const {
    if (meaning_ == VoxelValues::Filled) return 0;
    if (meaning_ == VoxelValues::Rgb) {
      const auto light = [&](uint64_t i) {
        const double v = stored_value<float>(value, i);
        return v > 0 ? v : 0;  // also for a value that is not a number
      };
      return rgb_value(scene::linear_to_srgb(Vec3d{light(0), light(1), light(2)}));
    }
    const auto code = stored_value<uint32_t>(value, 0);
    if (code == 0 || code > materials_)
      throw Error(fmt::format("its value {} stands for no material of the palette", code))
          .hint("is the file damaged?");
    return code - 1;
  }

  void put_tile(uint32_t leaf, const std::byte* value, VoxelSink& to) const {
    if (meaning_ != VoxelValues::Filled) return nvdb::put_leaf_tile(leaf, value_of(value), to);
    nvdb::LeafMask all;
    all.fill(UINT64_MAX);
    nvdb::put_leaf_mask(leaf, all, to);
  }

  void put_leaf(uint32_t leaf, const VdbPart& part, const VdbNode& node, uint32_t n, VoxelSink& to) const {
    const nvdb::LeafMask mask = tree_.leaf_mask(node, n);
    if (meaning_ == VoxelValues::Filled) return nvdb::put_leaf_mask(leaf, mask, to);
    const std::vector<std::byte> values = tree_.leaf_values(part, node, n);
    const uint32_t bytes = tree_.values().type().bytes;
    nvdb::put_leaf_values(leaf, mask, to,
                          [&](uint32_t place) { return value_of(values.data() + uint64_t{place} * bytes); });
  }

  VdbTree tree_;
  VoxelValues meaning_ = VoxelValues::Filled;
  uint32_t materials_ = 0;
};

// The values of a grid of numbers in a box of index coordinates.
class VdbNumbers {
 public:
  VdbNumbers(const VdbFile& file, const VdbGrid& grid)
      : tree_(file, grid), bounds_(nvdb::bounds_of_parts(tree_)), is_level_set_(grid.is_level_set) {
    if (bounds_.empty()) throw Error(fmt::format("grid '{}' has no active voxels", grid.name));
    if (is_level_set_ && !(first_double(tree_.values().background().data()) > 0))
      throw Error(fmt::format("grid '{}' is a level set whose background is not above 0", grid.name));
  }

  const FileBounds& bounds() const { return bounds_; }

  // Writes the values of a box that counts from the bounds' lower corner.
  void read(const VoxelBox& box, std::byte* to) const {
    const uint32_t bytes = tree_.values().type().bytes;
    const VdbBlock::Value background = changed(tree_.values().background().data());
    for (uint64_t i = 0; i < box.voxels(); ++i) std::memcpy(to + i * bytes, background.data(), bytes);
    parallel_for(size_t{0}, tree_.parts().size(), [&](size_t i) {
      const VdbPart& part = tree_.parts()[i];
      const VoxelBox inside = intersection(cube_of(part.corner, nvdb::kLowerSide), box);
      if (inside.empty()) return;
      if (part.node == 0) return put_tile(inside, tree_.tile(part), box, to);
      read_node(part, inside, box, to);
    });
  }

 private:
  // Returns the part of a cube within the bounds, counted from their corner.
  VoxelBox cube_of(const Vec3<int64_t>& corner, int32_t side) const {
    Int3 min, max;
    for (uint32_t axis = 0; axis < 3; ++axis) {
      const int64_t begin = corner[axis] - bounds_.min[axis],
                    most = bounds_.max[axis] - bounds_.min[axis] + 1;
      min[axis] = static_cast<int32_t>(std::clamp<int64_t>(begin, 0, most));
      max[axis] = static_cast<int32_t>(std::clamp<int64_t>(begin + side, 0, most));
    }
    return {min, max};
  }

  double first_double(const std::byte* value) const {
    return tree_.values().type().bytes == 8 ? stored_value<double>(value, 0) : stored_value<float>(value, 0);
  }

  // Returns a value as it is, or of a level set as that of the fog.
  VdbBlock::Value changed(const std::byte* value) const {
    VdbBlock::Value result = {};
    std::memcpy(result.data(), value, tree_.values().type().bytes);
    if (!is_level_set_) return result;
    const double depth = -first_double(value) / first_double(tree_.values().background().data());
    const double fog = depth >= 1 ? 1 : depth <= 0 ? 0 : depth;  // what is not a number stays so
    const auto narrow = static_cast<float>(fog);
    if (tree_.values().type().bytes == 8)
      std::memcpy(result.data(), &fog, sizeof fog);
    else
      std::memcpy(result.data(), &narrow, sizeof narrow);
    return result;
  }

  // Writes the values of some voxels; value(voxel) points to that of the file.
  template <class Value>
  void put(const VoxelBox& voxels, const VoxelBox& box, std::byte* to, Value value) const {
    const uint32_t bytes = tree_.values().type().bytes;
    for (int32_t z = voxels.min.z; z < voxels.max.z; ++z)
      for (int32_t y = voxels.min.y; y < voxels.max.y; ++y) {
        std::byte* next = to + index_in(box.size(), Int3{voxels.min.x, y, z} - box.min) * bytes;
        for (int32_t x = voxels.min.x; x < voxels.max.x; ++x, next += bytes)
          std::memcpy(next, changed(value(Int3{x, y, z})).data(), bytes);
      }
  }
  void put_tile(const VoxelBox& voxels, const std::byte* value, const VoxelBox& box, std::byte* to) const {
    put(voxels, box, to, [&](const Int3&) { return value; });
  }

  void read_node(const VdbPart& part, const VoxelBox& inside, const VoxelBox& box, std::byte* to) const {
    const VdbNode node = tree_.node(part);
    const uint32_t bytes = tree_.values().type().bytes;
    for (uint32_t n = 0, child = 0; n < nvdb::kLowerEntries; ++n) {
      const bool is_leaf = mask_bit(node.children, n);
      const uint32_t leaf = child;
      child += is_leaf ? 1 : 0;
      const std::byte* tile = node.values.data() + uint64_t{n} * bytes;
      if (!is_leaf && tree_.values().is_background(tile)) continue;
      const Vec3<int64_t> corner = nvdb::shifted(part.corner, nvdb::place_of_entry(n, 4), nvdb::kLeafSide);
      const VoxelBox voxels = intersection(cube_of(corner, nvdb::kLeafSide), inside);
      if (voxels.empty()) continue;
      if (!is_leaf) {
        put_tile(voxels, tile, box, to);
        continue;
      }
      const std::vector<std::byte> values = tree_.leaf_values(part, node, leaf);
      put(voxels, box, to, [&](const Int3& at) {
        const auto place = vec_of<int32_t>(vec_of<int64_t>(at) + bounds_.min - corner);
        return values.data() + uint64_t{nvdb::entry_of(place, 3)} * bytes;
      });
    }
  }

  VdbTree tree_;
  FileBounds bounds_;
  bool is_level_set_;
};

}  // namespace

bool is_vdb_volume(const std::filesystem::path& path) {
  try {
    const VdbFile file(path);
    return !file.ours() && file.entries()[file.usual_grid()].type->kind == VdbType::Kind::Number;
  } catch (const Error&) {
    return false;  // the reader of voxels says what is wrong
  }
}

VoxelFile open_vdb(const std::filesystem::path& path) {
  const VdbFile vdb(path);
  const size_t number = vdb.usual_grid();
  const VdbGrid grid = vdb.grid(number);
  if (!vdb.ours()) warn_of_others(vdb, number, path);
  const auto voxels = std::make_shared<const VdbVoxels>(vdb, grid);
  return nvdb::file_of_tree(voxels, voxels->meaning(), vdb.ours(), from_corners(grid.placement), path);
}

StoredVolume open_vdb_volume(const std::filesystem::path& path, std::optional<uint32_t> channel) {
  const VdbFile file(path);
  const size_t number = channel ? *channel : file.usual_grid();
  if (number >= file.entries().size())
    throw UsageError(
        fmt::format("channel {} is chosen, but there are 0 to {}", number, file.entries().size() - 1));
  if (!channel) warn_of_others(file, number, path);
  const VdbGrid grid = file.grid(number);
  if (grid.type.kind != VdbType::Kind::Number)
    throw Error(fmt::format("grid '{}' holds no numbers, but {}", grid.name, grid.type.name));
  const auto numbers = std::make_shared<const VdbNumbers>(file, grid);
  const FileBounds& bounds = numbers->bounds();
  StoredInfo info;
  info.size = volume::checked_volume_size(bounds.max.x - bounds.min.x + 1, bounds.max.y - bounds.min.y + 1,
                                          bounds.max.z - bounds.min.z + 1);
  info.type = grid.type.number;
  info.source = path.string();
  GridPlacement placement = {.steps = grid.placement.steps, .first_center = grid.placement.corner};
  for (uint32_t axis = 0; axis < 3; ++axis)
    *placement.first_center =
        *placement.first_center + placement.steps[axis] * static_cast<double>(bounds.min[axis]);
  return placed({info, [numbers](const VoxelBox& box, std::byte* to) { numbers->read(box, to); }}, placement);
}

}  // namespace vox
