#include "formats/voxels/voxel_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <vector>

#include "formats/volume/places.h"
#include "formats/voxels/export.h"
#include "formats/voxels/vtk/vtkhdf_file.h"
#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/morton.h"
#include "libvox/base/progress.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/walk.h"
#include "libvox/scene/oklab.h"

namespace vox {
namespace {

constexpr int32_t kVtkChunkSide = 64;

std::vector<uint8_t> color_bytes(const std::vector<uint32_t>& colors) {
  std::vector<uint8_t> bytes;
  bytes.reserve(3 * colors.size());
  for (const uint32_t packed : colors) {
    const scene::Rgb8 color = scene::unpacked_color(packed);
    bytes.insert(bytes.end(), {color.r, color.g, color.b});
  }
  return bytes;
}

// The grid of chunks of a region. Arrays are indexed by z, y, x.
class VtkChunks {
 public:
  explicit VtkChunks(const VoxelBox& region) : region_(region) {
    const Int3 size = region.size();
    side_ = {std::min(size.x, kVtkChunkSide), std::min(size.y, kVtkChunkSide),
             std::min(size.z, kVtkChunkSide)};
  }

  static std::vector<hsize_t> dims_of(const Int3& size) {
    const auto [x, y, z] = vec_of<hsize_t>(size);
    return {z, y, x};
  }
  std::vector<hsize_t> dims() const { return dims_of(region_.size()); }
  std::vector<hsize_t> chunk() const { return dims_of(side_); }

  // Returns the lower corners of the chunks that touch a cube with a node, in the order of the array.
  std::vector<Int3> corners(const dag::FrozenDag& dag) const {
    return corners_of_chunks(dag, region_, side_);
  }

  // Returns the values of a chunk, padded with 0 beyond the region.
  DatasetChunk read(const dag::FrozenDag& dag, const Int3& corner) const {
    const VoxelBox box = box_at(corner);
    std::vector<uint8_t> values(box.voxels());
    dag::write_dense(dag, box, values.data());
    if (std::ranges::all_of(values, [](uint8_t value) { return value == 0; })) return {};
    return {dims_of(corner - region_.min), filled_up(std::move(values), box.size())};
  }

  DatasetChunk read_colors(const dag::FrozenDag& dag, const dag::LeafColors& of_leaves,
                           const Int3& corner) const {
    const VoxelBox box = box_at(corner);
    if (!dag::has_filled(dag, box)) return {};
    std::vector<uint32_t> colors(box.voxels());
    dag::write_dense_colors(dag, of_leaves, box, colors.data());
    return {dims_of(corner - region_.min), color_bytes(filled_up(std::move(colors), box.size()))};
  }

 private:
  VoxelBox box_at(const Int3& corner) const { return intersection({corner, corner + side_}, region_); }

  template <class T>
  std::vector<T> filled_up(std::vector<T> values, const Int3& size) const {
    if (size == side_) return values;
    std::vector<T> all(VoxelBox{{0, 0, 0}, side_}.voxels());
    auto from = values.begin();
    for (int32_t z = 0; z < size.z; ++z)
      for (int32_t y = 0; y < size.y; ++y, from += size.x)
        std::copy_n(from, size.x, all.begin() + (ptrdiff_t{z} * side_.y + y) * side_.x);
    return all;
  }

  VoxelBox region_;
  Int3 side_ = {};
};

void write_image(const dag::VoxelScene& scene, const std::filesystem::path& path, const VoxelBox& region) {
  check_vtk_cells(region.voxels(), scene, path);
  VtkFile file(path, "ImageData");
  const Int3 size = region.size();
  const VoxelSize step = scene.voxel_size;
  const Vec3d first = world_corner(scene, region.min) + Vec3d{0.5, 0.5, 0.5} * step;
  h5::write_attribute<int64_t>(file.root(), "WholeExtent",
                               std::array<int64_t, 6>{0, size.x - 1, 0, size.y - 1, 0, size.z - 1});
  h5::write_attribute<double>(file.root(), "Origin", std::array{first.x, first.y, first.z});
  h5::write_attribute<double>(file.root(), "Spacing", std::array{step.x, step.y, step.z});
  h5::write_attribute<double>(file.root(), "Direction", std::array<double, 9>{1, 0, 0, 0, 1, 0, 0, 0, 1});
  file.write_materials(scene);
  const VtkChunks chunks(region);
  const std::vector<Int3> corners = chunks.corners(scene.dag);
  {
    const h5::Object point_data = h5::create_group(file.root(), "PointData");
    const VtkCells cells(point_data, VtkArray::Material, chunks.dims(), chunks.chunk());
    cells.write(corners.size(), [&](size_t i) { return chunks.read(scene.dag, corners[i]); });
    if (scene.colors) {
      const dag::LeafColors of_leaves(scene);
      const VtkCells colors(point_data, VtkArray::Color, chunks.dims(), chunks.chunk());
      colors.write(corners.size(),
                   [&](size_t i) { return chunks.read_colors(scene.dag, of_leaves, corners[i]); });
    }
  }
  file.commit();
}

}  // namespace

void write_vtkhdf(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, VtkKind kind) {
  const VoxelBox region = export_region(scene, clip, path);
  kind == VtkKind::Image ? write_image(scene, path, region) : write_vtk_amr(scene, path, region);
}

namespace {

constexpr uint32_t kBoxLog2 = 5, kBoxSide = 1 << kBoxLog2;
constexpr uint64_t kBoxCells = uint64_t{kBoxSide} * kBoxSide * kBoxSide;

// The number of voxels of each value except 0.
using ValueCounts = std::array<uint64_t, 17>;

struct AmrBox {
  uint64_t key = 0;  // the Morton code of its place among the boxes of its level
  ValueCounts counts = {};
  Vec3d light = {0, 0, 0};  // the sum of the voxels' colors, if these are apart from the DAG
};
using AmrLevel = std::vector<AmrBox>;  // in the order of keys

// Returns the most frequent value, the lowest if several are equally frequent.
uint8_t most_frequent(const ValueCounts& counts) {
  return static_cast<uint8_t>(std::ranges::max_element(counts) - counts.begin());
}

Int3 first_cell(uint64_t key) {
  return morton_decode(key) * static_cast<int32_t>(kBoxSide);
}

size_t place_in_box(const Int3& cell) {
  return index_in({kBoxSide, kBoxSide, kBoxSide}, cell);
}

// Returns the values of a box of the finest level: those that read(box, to) writes, x fastest, and 0 outside the region.
template <class T, class Read>
std::vector<T> values_of_box(const VoxelBox& region, uint64_t key, Read read) {
  const VoxelBox whole = cube_at(first_cell(key), kBoxSide), box = intersection(whole, region);
  std::vector<T> values(kBoxCells);
  if (box == whole) {
    read(whole, values.data());
    return values;
  }
  std::vector<T> part(box.voxels());
  read(box, part.data());
  const Int3 size = box.size(), at = box.min - whole.min;
  auto from = part.begin();
  for (int32_t z = 0; z < size.z; ++z)
    for (int32_t y = 0; y < size.y; ++y, from += size.x)
      std::copy_n(from, size.x, values.begin() + static_cast<ptrdiff_t>(place_in_box(at + Int3{0, y, z})));
  return values;
}

std::vector<uint8_t> box_voxels(const dag::FrozenDag& dag, const VoxelBox& region, uint64_t key) {
  return values_of_box<uint8_t>(region, key,
                                [&](const VoxelBox& box, uint8_t* to) { dag::write_dense(dag, box, to); });
}

std::vector<uint32_t> box_colors(const dag::FrozenDag& dag, const dag::LeafColors& of_leaves,
                                 const VoxelBox& region, uint64_t key) {
  return values_of_box<uint32_t>(region, key, [&](const VoxelBox& box, uint32_t* to) {
    dag::write_dense_colors(dag, of_leaves, box, to);
  });
}

// Returns the boxes of the finest level, whose cells are voxels.
AmrLevel finest_level(const dag::VoxelScene& scene, const VoxelBox& region,
                      const std::optional<dag::LeafColors>& of_leaves, const std::filesystem::path& path) {
  const std::vector<Int3> corners = corners_of_cubes(scene.dag, region, kBoxSide);
  check_vtk_cells(corners.size() * kBoxCells, scene, path);
  AmrLevel level(corners.size());
  parallel_for(size_t{0}, corners.size(), [&](size_t i) {
    throw_if_cancelled();
    const auto place = [&](int32_t voxel) { return static_cast<uint32_t>(voxel) >> kBoxLog2; };
    level[i].key = morton_encode(place(corners[i].x), place(corners[i].y), place(corners[i].z));
    const std::vector<uint8_t> values = box_voxels(scene.dag, region, level[i].key);
    for (const uint8_t value : values)
      if (value != 0) ++level[i].counts[value];
    if (!of_leaves) return;
    const std::vector<uint32_t> colors = box_colors(scene.dag, *of_leaves, region, level[i].key);
    for (size_t cell = 0; cell < values.size(); ++cell)
      if (values[cell] != 0)
        level[i].light = level[i].light + scene::srgb_to_linear(scene::unpacked_color(colors[cell]));
  });
  std::erase_if(level, [](const AmrBox& box) { return box.counts == ValueCounts{}; });
  return level;
}

AmrLevel coarser_level(const AmrLevel& fine) {
  AmrLevel coarse;
  for (const AmrBox& box : fine) {
    const uint64_t key = box.key >> 3 * kBoxLog2;
    if (coarse.empty() || coarse.back().key != key) coarse.push_back({.key = key});
    for (size_t value = 0; value < box.counts.size(); ++value)
      coarse.back().counts[value] += box.counts[value];
    coarse.back().light = coarse.back().light + box.light;
  }
  return coarse;
}

// Returns all levels from the coarsest, which has one box, to the finest.
std::vector<AmrLevel> amr_levels(AmrLevel finest, uint32_t side) {
  std::vector<AmrLevel> levels = {std::move(finest)};
  for (uint64_t cells = side; cells > kBoxSide; cells /= kBoxSide)
    levels.insert(levels.begin(), coarser_level(levels.front()));
  return levels;
}

// Returns value_of(box) for each cell of a box that has a box on the next level, and 0 for the others.
template <class T, class Value>
std::vector<T> coarse_cells(uint64_t key, const AmrLevel& finer, Value value_of) {
  std::vector<T> values(kBoxCells);
  const auto parent = [](const AmrBox& box) { return box.key >> 3 * kBoxLog2; };
  for (auto box = std::ranges::lower_bound(finer, key, {}, parent); box != finer.end() && parent(*box) == key;
       ++box) {
    const Int3 at = morton_decode(box->key) - first_cell(key);
    values[place_in_box(at)] = value_of(*box);
  }
  return values;
}

// Returns the mean color of the voxels in a box, packed.
uint32_t mean_color(const AmrBox& box) {
  const uint64_t voxels = std::accumulate(box.counts.begin(), box.counts.end(), uint64_t{0});
  return scene::packed_color(scene::linear_to_srgb(box.light * (1. / static_cast<double>(voxels))));
}

// Returns the cells inside `part` of a box at 0, 0, 0.
template <class T>
std::vector<T> cut_out(const std::vector<T>& values, const VoxelBox& part) {
  std::vector<T> cells;
  for (int32_t z = part.min.z; z < part.max.z; ++z)
    for (int32_t y = part.min.y; y < part.max.y; ++y) {
      const auto row = values.begin() + static_cast<ptrdiff_t>(place_in_box({part.min.x, y, z}));
      cells.insert(cells.end(), row, row + part.size().x);
    }
  return cells;
}

// Returns the part of the coarsest level that the region touches.
VoxelBox coarsest_cells(const VoxelBox& region, int32_t cell_side) {
  const auto up = [&](int32_t voxel) { return (voxel - 1) / cell_side + 1; };
  return {{region.min.x / cell_side, region.min.y / cell_side, region.min.z / cell_side},
          {up(region.max.x), up(region.max.y), up(region.max.z)}};
}

std::array<int32_t, 6> vtk_box(const VoxelBox& cells) {  // VTK's boxes include their last cells
  return {cells.min.x, cells.max.x - 1, cells.min.y, cells.max.y - 1, cells.min.z, cells.max.z - 1};
}

struct AmrWriter {
  const dag::VoxelScene& scene;
  VoxelBox region;
  std::vector<AmrLevel> levels;
  std::optional<dag::LeafColors> of_leaves;

  std::vector<uint8_t> box_cells(size_t level, uint64_t key) const {
    return level + 1 == levels.size() ? box_voxels(scene.dag, region, key)
                                      : coarse_cells<uint8_t>(key, levels[level + 1], [](const AmrBox& box) {
                                          return most_frequent(box.counts);
                                        });
  }
  std::vector<uint32_t> cell_colors(size_t level, uint64_t key) const {
    return level + 1 == levels.size() ? box_colors(scene.dag, *of_leaves, region, key)
                                      : coarse_cells<uint32_t>(key, levels[level + 1], mean_color);
  }
  int32_t cell_side(size_t level) const {  // in voxels
    return static_cast<int32_t>(1u << kBoxLog2 * (levels.size() - 1 - level));
  }

  void write(const VtkFile& file, size_t level) const {
    const VoxelSize spacing = scene.voxel_size * cell_side(level);
    const h5::Object group = h5::create_group(file.root(), fmt::format("Level{}", level));
    h5::write_attribute<double>(group, "Spacing", std::array{spacing.x, spacing.y, spacing.z});
    for (const char* empty : {"PointData", "FieldData"})
      h5::create_group(group, empty);  // VTK 9.2 requires them
    level == 0 ? write_coarsest(group) : write_boxes(group, level);
  }

  void write_coarsest(const h5::Object& group) const {
    const VoxelBox part = coarsest_cells(region, cell_side(0));
    write_vtk_boxes(group, std::vector{vtk_box(part)});
    write_arrays(
        group, 1, part.voxels(), [&](size_t) { return cut_out(box_cells(0, 0), part); },
        [&](size_t) { return cut_out(cell_colors(0, 0), part); });
  }

  void write_boxes(const h5::Object& group, size_t level) const {
    const AmrLevel& boxes = levels[level];
    std::vector<std::array<int32_t, 6>> corners;
    for (const AmrBox& box : boxes) corners.push_back(vtk_box(cube_at(first_cell(box.key), kBoxSide)));
    write_vtk_boxes(group, corners);
    write_arrays(
        group, boxes.size(), kBoxCells, [&](size_t i) { return box_cells(level, boxes[i].key); },
        [&](size_t i) { return cell_colors(level, boxes[i].key); });
  }

  // Writes `count` chunks of so many cells: values(i), and colors(i) if the scene has colors.
  template <class Values, class Colors>
  void write_arrays(const h5::Object& group, size_t count, uint64_t cells, Values values,
                    Colors colors) const {
    const h5::Object cell_data = h5::create_group(group, "CellData");
    VtkCells(cell_data, VtkArray::Material, {count * cells}, {cells})
        .write(count, [&](size_t i) -> DatasetChunk {
          return {{i * cells}, values(i)};
        });
    if (!of_leaves) return;
    VtkCells(cell_data, VtkArray::Color, {count * cells}, {cells})
        .write(count, [&](size_t i) -> DatasetChunk {
          return {{i * cells}, color_bytes(colors(i))};
        });
  }
};

}  // namespace

void write_vtk_amr(const dag::VoxelScene& scene, const std::filesystem::path& path, const VoxelBox& region) {
  std::optional<dag::LeafColors> of_leaves;
  if (scene.colors) of_leaves.emplace(scene);
  AmrLevel finest = finest_level(scene, region, of_leaves, path);
  if (finest.empty())
    throw Error("no voxel is filled, and an AMR needs at least one box of filled voxels").at(path.string());
  const AmrWriter writer = {scene, region, amr_levels(std::move(finest), scene.dag.side()),
                            std::move(of_leaves)};
  VtkFile file(path, "OverlappingAMR");
  h5::write_attribute<double>(file.root(), "Origin",
                              std::array{scene.origin.x, scene.origin.y, scene.origin.z});
  write_vtk_text(file.root(), "GridDescription", "XYZ");
  file.write_materials(scene);
  for (size_t level = 0; level < writer.levels.size(); ++level) writer.write(file, level);
  file.commit();
}

}  // namespace vox
