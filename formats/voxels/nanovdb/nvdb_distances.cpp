// Writes distances as a .nvdb file. A brick of a field is a leaf of the tree.
#include <algorithm>
#include <bitset>
#include <cmath>
#include <deque>
#include <vector>

#include "formats/volume/places.h"
#include "formats/voxels/export.h"
#include "formats/voxels/nanovdb/nvdb_tree.h"
#include "formats/voxels/openvdb/vdb.h"
#include "formats/voxels/openvdb/vdb_bytes.h"

namespace vox {
namespace {

using namespace nvdb;

// The values of a grid: distances in 32 or 16 bits, or materials as in the grid of a scene.
enum class BandValues { F32, F16, Materials };

class NvdbBand {
 public:
  // The tree must outlive the object.
  NvdbBand(const DistanceTree& tree, BandValues values) : field_(tree.field()), tree_(tree), values_(values) {
    for (const BandNode& node : tree_.nodes()) {
      (node.is_upper ? uppers_ : lowers_).push_back(&node);
      if (node.is_upper) continue;
      first_leaves_.push_back(leaves_);
      leaves_ += node.below.size();
      ActiveVoxels active;
      for (const auto& [place, brick] : node.below) active.add(active_of(brick));
      lower_active_.push_back(active);
      all_.add(active);
    }
    if (leaves_ > UINT32_MAX)
      throw Error("would have more than 2^32 leaves, the most that a .nvdb file can have");
  }

  NvdbGridFacts facts(const dag::VoxelScene& place, DistanceSigns signs) const {
    const auto count = [](uint64_t number) { return static_cast<uint32_t>(number); };
    const bool is_level_set = signs == DistanceSigns::Yes && !are_materials();
    return {.name = are_materials() ? "material" : "sdf",
            .version = version_number(32, 4, 2),
            .type = are_materials()              ? GridType::Fp8
                    : values_ == BandValues::F16 ? GridType::Fp16
                                                 : GridType::Float,
            .grid_class = is_level_set ? GridClass::LevelSet : GridClass::Unknown,
            .active = all_,
            .nodes = {count(leaves_), count(lowers_.size()), count(uppers_.size())},
            .first = {leaves_at(), lowers_at(), uppers_at()},
            .end = leaves_at() + leaves_ * leaf_bytes(),
            .root = root(),
            .arrays = {text_array(place)}};
  }

  void write(ExportFile& file) const {
    file.write_pieces(uppers_.size(), [&](uint64_t i) { return upper(i); });
    file.write_pieces(lowers_.size(), [&](uint64_t i) { return lower(i); });
    file.write_pieces(lowers_.size(), [&](uint64_t i) {
      NodeBytes bytes(lowers_[i]->below.size() * leaf_bytes());
      for (size_t k = 0; k < lowers_[i]->below.size(); ++k)
        put_leaf(bytes, k * leaf_bytes(), lowers_[i]->below[k].second);
      return bytes;
    });
  }

 private:
  static constexpr NodeShape kShape = {};

  bool are_materials() const { return values_ == BandValues::Materials; }
  uint64_t leaf_bytes() const {
    const uint64_t each = are_materials() ? 1 : values_ == BandValues::F16 ? 2 : 4;
    return kLeafValues + 512 * each;
  }
  float outside() const { return are_materials() ? 0.f : tree_.band(); }
  float inside() const { return are_materials() ? 0.f : -tree_.band(); }
  uint64_t root_bytes() const {
    return kShape.root_bytes() + (uppers_.size() + tree_.tiles().size()) * kShape.root_tile_bytes();
  }
  uint64_t uppers_at() const { return sizeof(TreeHead) + root_bytes(); }
  uint64_t lowers_at() const { return uppers_at() + uppers_.size() * kShape.inner_bytes(kUpperEntries); }
  uint64_t leaves_at() const { return lowers_at() + lowers_.size() * kShape.inner_bytes(kLowerEntries); }

  ActiveVoxels active_of(size_t brick) const {
    ActiveVoxels active;
    const auto leaf = tree_.leaf(brick);
    for (size_t place = 0; place < leaf.active.size(); ++place)
      if (leaf.active[place])
        active.add({cube_at(field_.corner(brick) + place_of_entry(static_cast<uint32_t>(place), 3), 1), 1});
    return active;
  }

  NodeBytes root() const {
    NodeBytes bytes(root_bytes());
    put_at(bytes, 0, inclusive_box(all_));
    put_at(bytes, kRootTableSize, static_cast<uint32_t>(uppers_.size() + tree_.tiles().size()));
    put_at(bytes, kRootTableSize + 4, outside());  // the background
    struct Entry {
      RootTile tile;
      float value;
    };
    std::vector<Entry> entries;
    for (size_t i = 0; i < uppers_.size(); ++i)
      entries.push_back(
          {{.key = root_key(uppers_[i]->corner),
            .child = static_cast<int64_t>(root_bytes() + i * kShape.inner_bytes(kUpperEntries))},
           0});
    for (const Int3 corner : tree_.tiles()) entries.push_back({{.key = root_key(corner)}, inside()});
    std::ranges::sort(entries, {}, [](const Entry& entry) { return entry.tile.key; });
    for (size_t i = 0; i < entries.size(); ++i) {
      const uint64_t at = kShape.root_bytes() + i * kShape.root_tile_bytes();
      put_at(bytes, at, entries[i].tile.key);
      put_at(bytes, at + 8, entries[i].tile.child);
      put_at(bytes, at + kShape.root_value(), entries[i].value);
    }
    return bytes;
  }

  // child_at(number of the child) is its distance from the node.
  template <uint32_t kEntries, class ChildAt>
  NodeBytes inner(const BandNode& node, const ActiveVoxels& active, const ChildAt& child_at) const {
    NodeBytes bytes(kShape.inner_bytes(kEntries));
    put_at(bytes, 0, inclusive_box(active));
    if (active.count > 0) put_at(bytes, 24, uint64_t{kNodeHasBounds});
    std::bitset<kEntries> children;
    for (const auto& [place, number] : node.below) children.set(place);
    const std::bitset<kEntries> is_outside = tree_.outside_of(node, children);
    for (size_t place = 0; place < kEntries; ++place)
      put_at(bytes, kShape.table(kEntries) + place * kShape.entry_bytes(),
             is_outside[place] ? outside() : inside());
    for (size_t i = 0; i < node.below.size(); ++i) {
      const auto place = static_cast<uint32_t>(node.below[i].first);
      set_bit(bytes, kShape.child_mask(kEntries), place);
      put_at(bytes, kShape.table(kEntries) + place * kShape.entry_bytes(), child_at(i));
    }
    return bytes;
  }
  NodeBytes upper(uint64_t number) const {
    const BandNode& node = *uppers_[number];
    ActiveVoxels active;
    for (const auto& [place, lower] : node.below) active.add(lower_active_[lower]);
    const uint64_t at = uppers_at() + number * kShape.inner_bytes(kUpperEntries);
    return inner<kUpperEntries>(node, active, [&](size_t i) {
      return lowers_at() + node.below[i].second * kShape.inner_bytes(kLowerEntries) - at;
    });
  }
  NodeBytes lower(uint64_t number) const {
    const uint64_t at = lowers_at() + number * kShape.inner_bytes(kLowerEntries);
    return inner<kLowerEntries>(*lowers_[number], lower_active_[number], [&](size_t i) {
      return leaves_at() + (first_leaves_[number] + i) * leaf_bytes() - at;
    });
  }

  void put_leaf(NodeBytes& bytes, uint64_t at, size_t brick) const {
    const auto leaf = tree_.leaf(brick);
    const ActiveVoxels active = active_of(brick);
    const Int3 low = active.count > 0 ? active.box.min : field_.corner(brick);
    LeafHead head = {.corner = {low.x, low.y, low.z}};
    if (active.count > 0) {
      const auto [x, y, z] = vec_of<uint8_t>(active.box.size() - Int3{1, 1, 1});
      head.reach = {x, y, z};
      head.flags = kLeafHasBounds;
    }
    std::array<float, 512> values;
    for (size_t place = 0; place < values.size(); ++place) {
      head.mask[place / 64] |= uint64_t{leaf.active[place]} << place % 64;
      values[place] = leaf.outside[place] ? outside() : inside();
    }
    tree_.for_each_place(brick, [&](size_t place, size_t number) {
      if (leaf.active[place])
        values[place] = are_materials() ? static_cast<float>(field_.materials(brick)[number])
                                        : field_.distances(brick)[number];
    });
    if (are_materials()) {  // Fp8: value = 0 + code * 1
      put_at(bytes, at, head);
      put_at(bytes, at + kLeafValues - 16, std::array<float, 2>{0, 1});
      for (size_t place = 0; place < values.size(); ++place)
        put_at(bytes, at + kLeafValues + place, static_cast<uint8_t>(values[place]));
      return;
    }
    const auto [least, most] = std::ranges::minmax(values);
    if (values_ == BandValues::F32) {
      put_at(bytes, at, head);
      put_at(bytes, at + kLeafValues - 16, std::array<float, 2>{least, most});
      put_at(bytes, at + kLeafValues, values);
      return;
    }
    // Fp16: value = least + code * step.
    const float step = (most - least) / 65535;
    put_at(bytes, at, head);
    put_at(bytes, at + kLeafValues - 16, std::array<float, 2>{least, step});
    for (size_t place = 0; place < values.size(); ++place) {
      const float code = step > 0 ? std::floor((values[place] - least) / step + 0.5f) : 0.f;
      put_at(bytes, at + kLeafValues + place * sizeof(uint16_t),
             static_cast<uint16_t>(std::clamp(code, 0.f, 65535.f)));
    }
  }

  const voxelize::DistanceField& field_;
  const DistanceTree& tree_;
  const BandValues values_;
  std::vector<const BandNode*> uppers_, lowers_;
  std::vector<uint64_t> first_leaves_;  // of each lower node, the number of its first leaf
  std::vector<ActiveVoxels> lower_active_;
  ActiveVoxels all_;
  uint64_t leaves_ = 0;
};

}  // namespace

void write_nvdb(const voxelize::DistanceField& field, const std::filesystem::path& path,
                const NvdbDistances& options) {
  dag::VoxelScene place;
  place.dag.resolution = field.grid().resolution;
  place.origin = field.grid().origin;
  place.voxel_size = field.grid().voxel_size;
  // The description states the grid's corner. The map leads to the centers of voxels, where the distances are measured,
  // because programs interpolate between the places of values.
  dag::VoxelScene centers = place;
  centers.origin = place.origin + place.voxel_size.sides() * 0.5;
  const DistanceTree tree(field);
  std::deque<NvdbBand> bands;
  bands.emplace_back(tree, options.floats == Floats::F16 ? BandValues::F16 : BandValues::F32);
  if (options.materials) bands.emplace_back(tree, BandValues::Materials);
  std::deque<NvdbHeads> heads;
  uint64_t bytes = 0;
  for (const NvdbBand& band : bands) {
    heads.emplace_back(centers, band.facts(place, options.signs));
    bytes += heads.back().bytes();
  }
  ExportFile file(path, bytes);
  for (size_t i = 0; i < bands.size(); ++i) {  // each in a segment of its own
    heads[i].write(file);
    bands[i].write(file);
    heads[i].write_arrays(file, [] {});
  }
  file.commit();
}

}  // namespace vox
