#include "formats/voxels/voxel_formats.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/voxels/export.h"
#include "libvox/base/error.h"
#include "libvox/dag/walk.h"

namespace vox {
namespace {

constexpr uint64_t kMaxRun = 255;
constexpr uint64_t kPieceVoxels = 1 << 18;

// Makes the (value, count) pairs of the voxels [begin, end) in the file's order.
class Runs {
 public:
  Runs(uint64_t begin, uint64_t end) : begin_(begin), end_(end) {}

  void fill(uint64_t position, uint64_t length, uint8_t value) {
    append(position - begin_, 0);
    append(length, value);
  }

  std::vector<uint8_t> finish() {
    append(end_ - begin_, 0);
    flush();
    return std::move(bytes_);
  }

 private:
  void append(uint64_t length, uint8_t value) {
    if (length == 0) return;
    if (value != value_) flush();
    value_ = value;
    pending_ += length;
    begin_ += length;
  }

  void flush() {
    uint64_t full = pending_ / kMaxRun, rest = pending_ % kMaxRun;
    size_t at = bytes_.size();
    bytes_.resize(at + 2 * full, static_cast<uint8_t>(kMaxRun));
    for (uint64_t i = 0; i < full; ++i) bytes_[at + 2 * i] = value_;
    if (rest != 0) bytes_.insert(bytes_.end(), {value_, static_cast<uint8_t>(rest)});
    pending_ = 0;
  }

  std::vector<uint8_t> bytes_;
  uint64_t begin_, end_;  // begin_: the first voxel that is not appended yet
  uint64_t pending_ = 0;
  uint8_t value_ = 0;
};

// Visits one plane x of the DAG row by row in ascending z, and each row in ascending y. A row of nodes is
// split into its two rows of children, lower z first, down to the leaves. Empty nodes never enter a row.
class PlaneWalk {
 public:
  // `region` is one voxel thick in x.
  template <class Fill>
  PlaneWalk(const dag::FrozenDag& dag, const VoxelBox& region, Fill fill)
      : dag_(dag), region_(region), rows_(dag.levels.size()) {
    if (dag.empty()) return;
    rows_[0] = {Segment{0, dag.levels[0].words.data(), 0, 0}};
    visit(0, 0, fill);
  }

 private:
  struct Segment {
    int32_t y;
    const uint32_t* node;  // a node of the row's level; null in a solid segment
    int32_t length;        // a solid segment's length, in voxels
    uint8_t value;
  };

  int32_t side(uint32_t level) const { return static_cast<int32_t>(dag_.level_side(level)); }

  template <class Fill>
  void visit(uint32_t level, int32_t z, Fill& fill) {
    if (rows_[level].empty() || z >= region_.max.z || z + side(level) <= region_.min.z) return;
    if (level == dag_.depth()) return visit_leaves(z, fill);
    for (uint32_t upper = 0; upper < 2; ++upper) {
      split(level, upper);
      visit(level + 1, z + static_cast<int32_t>(upper) * side(level + 1), fill);
    }
  }

  // Splits the row at `level` into the children in its lower or upper half along z.
  void split(uint32_t level, uint32_t upper) {
    int32_t half = side(level + 1);
    uint32_t x = (region_.min.x & half) != 0;
    std::vector<Segment>& children = rows_[level + 1];
    children.clear();
    for (const Segment& segment : rows_[level]) {
      if (segment.node == nullptr) {
        children.push_back(segment);
      } else if (dag::is_homogeneous(*segment.node)) {
        children.push_back(
            {segment.y, nullptr, side(level), dag::solid_value(dag::homogeneous_material(*segment.node))});
      } else {
        for (uint32_t y = 0; y < 2; ++y) add_child(children, level, segment, octant_of(x, y, upper));
      }
    }
  }

  void add_child(std::vector<Segment>& children, uint32_t level, const Segment& parent,
                 uint32_t child) const {
    uint32_t header = *parent.node;
    if ((dag::child_mask(header) >> child & 1) == 0) return;
    int32_t y = parent.y + octant_corner(child, side(level + 1)).y;
    if (y >= region_.max.y || y + side(level + 1) <= region_.min.y) return;
    const uint32_t number = parent.node[dag::child_word(header, child)];
    children.push_back({y, dag_.levels[level + 1].node(number), 0, 0});
  }

  template <class Fill>
  void visit_leaves(int32_t z, Fill& fill) const {
    for (int32_t dz = 0; dz < int32_t{dag::kLeafSide}; ++dz) {
      if (z + dz < region_.min.z || z + dz >= region_.max.z) continue;
      for (const Segment& segment : rows_.back()) {
        if (segment.node == nullptr) {
          int32_t begin = std::max(segment.y, region_.min.y);
          int32_t end = std::min(segment.y + segment.length, region_.max.y);
          if (begin < end) fill(z + dz, begin, end - begin, segment.value);
        } else {
          visit_leaf_row(segment, z + dz, fill);
        }
      }
    }
  }

  template <class Fill>
  void visit_leaf_row(const Segment& leaf, int32_t z, Fill& fill) const {
    const uint64_t mask = dag::leaf_mask(leaf.node);
    for (int32_t y = leaf.y; y < leaf.y + int32_t{dag::kLeafSide}; ++y) {
      // The place in the grid serves, because a leaf's corner is a multiple of its side.
      const uint32_t bit = cube_bit({region_.min.x, y, z});
      if ((mask >> bit & 1) != 0 && y >= region_.min.y && y < region_.max.y)
        fill(z, y, 1, dag::leaf_value(dag_, leaf.node, bit));
    }
  }

  const dag::FrozenDag& dag_;
  VoxelBox region_;
  std::vector<std::vector<Segment>> rows_;  // the current row of each level
};

// The cube of the file: planes of constant x, divided into bands of rows if a plane is large.
struct Layout {
  VoxelBox region;
  BinvoxValues values;
  uint64_t side, rows, bands;

  Layout(const VoxelBox& r, BinvoxValues v) : region(r), values(v) {
    Int3 size = r.size();
    side = static_cast<uint64_t>(std::max({size.x, size.y, size.z}));
    rows = std::clamp<uint64_t>(kPieceVoxels / side, 1, side);
    bands = (side + rows - 1) / rows;
  }

  std::vector<uint8_t> piece(const dag::FrozenDag& dag, uint64_t index) const {
    uint64_t x = index / bands, z = index % bands * rows, z_end = std::min(side, z + rows);
    Runs runs((x * side + z) * side, (x * side + z_end) * side);
    Int3 corner = region.min + Int3{int32_t(x), 0, int32_t(z)};
    VoxelBox band = {corner, {corner.x + 1, region.max.y, region.min.z + int32_t(z_end)}};
    band = intersection(band, region);
    if (!band.empty()) {
      PlaneWalk(dag, band, [&](int32_t at_z, int32_t y, int32_t length, uint8_t value) {
        uint64_t row = x * side + static_cast<uint64_t>(at_z - region.min.z);
        runs.fill(row * side + static_cast<uint64_t>(y - region.min.y), static_cast<uint64_t>(length),
                  values == BinvoxValues::Filled ? uint8_t{1} : value);
      });
    }
    return runs.finish();
  }
};

}  // namespace

void write_binvox(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, BinvoxValues values, ranks::Ranks& ranks) {
  if (values == BinvoxValues::Materials && !scene.dag.materials)
    throw Error("cannot hold materials: the scene has none").at(path.string());
  Layout layout(export_region(scene, clip, path), values);
  Vec3d corner = world_corner(scene, layout.region.min);
  uint64_t side = layout.side;
  ExportFile file(path, side * side * side / kMaxRun * 2, Writers::Several, ranks);
  file.write(fmt::format("#binvox {0}\ndim {1} {1} {1}\ntranslate {2} {3} {4}\nscale {5}\ndata\n",
                         values == BinvoxValues::Materials ? 2 : 1, side, corner.x, corner.y, corner.z,
                         static_cast<double>(side) * scene.voxel_size.shortest()));
  file.write_pieces(side * layout.bands, [&](uint64_t i) { return layout.piece(scene.dag, i); });
  file.commit();
}

}  // namespace vox
