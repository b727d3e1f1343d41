#include "formats/voxels/voxel_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "formats/volume/places.h"
#include "libvox/base/error.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/from_cubes.h"
#include "libvox/dag/walk.h"

namespace vox {
namespace {

constexpr scene::Rgb8 kGray = {200, 200, 200};
constexpr int32_t kCubeSide = dag::VoxelCube::kSide;
constexpr uint64_t kMostCubes =
    1 << 26;  // 8 B each; a scene of larger voxels reaches this only on a grid that is far too fine

// Maps a scene's voxels to voxels of the grid, axis by axis.
class PlacedGrid {
 public:
  PlacedGrid(const dag::VoxelScene& scene, const voxelize::Grid& grid)
      : scale_(scene.voxel_size.sides() / grid.voxel_size),
        start_(product(scene.origin - grid.origin, Vec3d{1, 1, 1} / grid.voxel_size)),
        last_(static_cast<double>(grid.resolution)) {}

  // Returns the grid's voxels that belong to the voxels of a box of the scene.
  VoxelBox of(const VoxelBox& box) const {
    VoxelBox result = {};
    for (uint32_t axis = 0; axis < 3; ++axis) {
      result.min[axis] = first(box.min[axis], axis);
      result.max[axis] = scale_[axis] > 1 ? first(box.max[axis], axis) : first(box.max[axis] - 1, axis) + 1;
      result.min[axis] = std::max(result.min[axis], 0);
      result.max[axis] = std::min(result.max[axis], static_cast<int32_t>(last_));
    }
    return result;
  }

  // Returns a box of the scene that contains all voxels that are mapped into this box of the grid.
  VoxelBox back(const VoxelBox& box) const {
    VoxelBox result = {};
    for (uint32_t axis = 0; axis < 3; ++axis) {
      const auto at = [&](double v) { return whole((v - start_[axis]) / scale_[axis], 0x1p30); };
      result.min[axis] = at(box.min[axis]) - 2;
      result.max[axis] = at(box.max[axis]) + 3;
    }
    return result;
  }

 private:
  // Places far away may not be finite numbers; they count as before the grid.
  static int32_t whole(double at, double most) {
    return at > -4 ? static_cast<int32_t>(std::min(at, most)) : -4;
  }

  // If the scene's voxels are larger, returns the first grid voxel whose center is not before the lower face
  // of the scene's voxel. If they are smaller, returns the grid voxel that contains the center of the scene's
  // voxel.
  int32_t first(int32_t voxel, uint32_t axis) const {
    const double scale = scale_[axis];
    const double at = scale > 1 ? std::ceil(start_[axis] + voxel * scale - 0.5)
                                : std::floor(start_[axis] + (voxel + 0.5) * scale);
    return whole(at, last_ + 2);
  }

  Vec3d scale_;  // the sides of a scene's voxel in voxels of the grid
  Vec3d start_;  // the scene's corner, in voxels of the grid
  double last_;
};

using ScenePointers = std::vector<std::shared_ptr<const dag::VoxelScene>>;

bool has_palette(const dag::VoxelScene& scene) {
  return scene.dag.materials && scene.palette.count > 0;
}

class Composition {
 public:
  Composition(ScenePointers scenes, const voxelize::Grid& grid, VoxelValues values)
      : scenes_(std::move(scenes)), values_(values), colors_(scenes_.size()) {
    for (size_t i = 0; i < scenes_.size(); ++i) {
      const dag::VoxelScene& scene = *scenes_[i];
      placements_.emplace_back(scene, grid);
      find_cubes(scene, placements_.back());
      if (scene.colors && values == VoxelValues::Rgb) colors_[i].emplace(scene);
    }
    std::ranges::sort(cubes_);
    cubes_.erase(std::unique(cubes_.begin(), cubes_.end()), cubes_.end());
  }

  const std::vector<uint64_t>& cubes() const { return cubes_; }

  // Calls body(box in the cube, value) for the filled boxes of a cube, in the order of the scenes.
  template <class Body>
  void for_each_in(size_t cube, Body body) const {
    const Int3 corner = dag::cube_corner(cubes_[cube]);
    const VoxelBox region = cube_at(corner, kCubeSide);
    for (size_t i = 0; i < scenes_.size(); ++i) {
      const dag::FrozenDag& dag = scenes_[i]->dag;
      const auto put = [&](const VoxelBox& voxels, uint32_t value) {
        const VoxelBox box = intersection(placements_[i].of(voxels), region);
        if (!box.empty()) body(VoxelBox{box.min - corner, box.max - corner}, value);
      };
      const auto put_leaf = [&](Int3 at, uint64_t mask, auto value_of) {
        for (; mask != 0; mask &= mask - 1) {
          const auto bit = static_cast<uint32_t>(lowest_bit(mask));
          put(cube_at(at + cube_place(bit), 1), value_of(bit));
        }
      };
      const VoxelBox part = placements_[i].back(region);
      if (colors_[i]) {
        dag::for_each_leaf(dag, part, [&](Int3 at, uint64_t mask, const uint32_t*) {
          const std::array<uint32_t, 64> colors = (*colors_[i])(at);
          put_leaf(at, mask, [&](uint32_t bit) { return rgb_value(scene::unpacked_color(colors[bit])); });
        });
      } else {
        const auto put_materials = [&](Int3 at, uint64_t mask, const uint32_t* leaf) {
          put_leaf(at, mask,
                   [&](uint32_t bit) { return value(i, dag.materials ? dag::leaf_material(leaf, bit) : 0); });
        };
        dag::for_each_leaf(dag, part, put_materials,
                           [&](const VoxelBox& box, uint32_t material) { put(box, value(i, material)); });
      }
    }
  }

 private:
  uint32_t value(size_t scene, uint32_t material) const {
    if (values_ == VoxelValues::Table) return static_cast<uint32_t>(scene) * scene::kPaletteSize + material;
    if (values_ != VoxelValues::Rgb) return material;
    return rgb_value(has_palette(*scenes_[scene]) ? scenes_[scene]->palette.colors[material] : kGray);
  }

  void find_cubes(const dag::VoxelScene& scene, const PlacedGrid& placement) {
    dag::for_each_node(scene.dag, cube_at({0, 0, 0}, scene.dag.side()),
                       [&](uint32_t level, Int3 corner, const uint32_t*) {
                         const VoxelBox box = placement.of(cube_at(corner, scene.dag.level_side(level)));
                         if (box.empty()) return false;
                         const Int3 size = box.size();
                         if (level < scene.dag.depth() && std::max({size.x, size.y, size.z}) > kCubeSide)
                           return true;
                         add_cubes(box);
                         return false;
                       });
  }

  void add_cubes(const VoxelBox& box) {
    if (cubes_.size() + box.voxels() / (uint64_t{kCubeSide} * kCubeSide * kCubeSide) > kMostCubes)
      throw Error(fmt::format("voxels of the inputs would become more than {} cubes of {}³ voxels",
                              kMostCubes, kCubeSide))
          .hint("a lower resolution makes a coarser scene")
          .about("resolution");
    const auto cube_of = [](const Int3& v) {
      return Int3{v.x / kCubeSide, v.y / kCubeSide, v.z / kCubeSide};
    };
    const Int3 one = {1, 1, 1};
    for_each_place_in({cube_of(box.min), cube_of(box.max - one) + one},
                      [&](const Int3& cube) { cubes_.push_back(dag::cube_key(cube * kCubeSide)); });
  }

  ScenePointers scenes_;
  VoxelValues values_;
  std::vector<std::optional<dag::LeafColors>> colors_;  // of scenes that have colors apart from the DAG
  std::vector<PlacedGrid> placements_;
  std::vector<uint64_t> cubes_;
};

bool same_palette(const scene::Palette& a, const scene::Palette& b) {
  return a.count == b.count && std::equal(a.colors.begin(), a.colors.begin() + a.count, b.colors.begin());
}

// If all scenes have the same palette, it stays as it is. Otherwise color m of scene i becomes entry 16 i +
// m of a table. If one has colors apart from its DAG, the values are colors.
void set_table(VoxelFile& file, const ScenePointers& scenes) {
  const auto has_colors = [](const auto& scene) { return has_palette(*scene); };
  if (std::ranges::any_of(scenes, [](const auto& scene) { return scene->colors.has_value(); })) {
    file.values = VoxelValues::Rgb;
    return;
  }
  if (std::ranges::none_of(scenes, has_colors)) return;
  const scene::Palette& palette = scenes[0]->palette;
  if (std::ranges::all_of(scenes, [&](const auto& scene) {
        return has_colors(scene) && same_palette(scene->palette, palette);
      })) {
    file.values = VoxelValues::Entries;
    file.palette = palette;
    return;
  }
  file.values = VoxelValues::Table;
  for (const auto& scene : scenes)
    for (uint32_t i = 0; i < scene::kPaletteSize; ++i)
      file.table.push_back(has_colors(scene) ? scene->palette.colors[i] : kGray);
}

}  // namespace

voxelize::Box filled_box(const dag::VoxelScene& scene) {
  VoxelBox filled = {{INT32_MAX, INT32_MAX, INT32_MAX}, {0, 0, 0}};
  const auto holds = [&](const VoxelBox& box) { return intersection(box, filled) == box; };
  // Nodes inside the box that has been found so far are skipped.
  dag::for_each_node(scene.dag, cube_at({0, 0, 0}, scene.dag.side()),
                     [&](uint32_t level, Int3 corner, const uint32_t* node) {
                       VoxelBox box = cube_at(corner, scene.dag.level_side(level));
                       if (holds(box)) return false;
                       const bool is_leaf = level == scene.dag.depth();
                       if (!is_leaf && !dag::is_homogeneous(*node)) return true;
                       if (is_leaf) {
                         const VoxelBox bounds = dag::leaf_bounds(dag::leaf_mask(node));
                         box = {corner + bounds.min, corner + bounds.max};
                       }
                       filled = hull(filled, box);
                       return false;
                     });
  const auto world = [&](Int3 voxel) { return scene.origin + vec_of<double>(voxel) * scene.voxel_size; };
  return {world(filled.min), world(filled.max)};
}

VoxelFile composed_voxels(ScenePointers scenes, const voxelize::Grid& grid) {
  VoxelFile file;
  file.resolution = grid.resolution;
  file.origin = grid.origin;
  file.voxel_size = grid.voxel_size;
  set_table(file, scenes);
  const auto composition = std::make_shared<const Composition>(std::move(scenes), grid, file.values);
  file.cubes = composition->cubes();
  file.read = [composition](size_t cube, VoxelSink& to) {
    composition->for_each_in(cube, [&](const VoxelBox& box, uint32_t value) {
      for_each_place_in(box, [&](const Int3& place) { to.put(place, value); });
    });
  };
  return file;
}

}  // namespace vox
