#include "formats/voxels/dag_files/dag_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/voxels/export.h"
#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/json.h"
#include "libvox/base/morton.h"
#include "libvox/base/progress.h"
#include "libvox/dag/node.h"
#include "libvox/dag/walk.h"

namespace vox {
namespace {

constexpr std::string_view kOctreeGenerator = "vox";
constexpr uint32_t kSolidLeaf = 0xff000000;
constexpr uint64_t kMostOctreeNodes = uint64_t{1} << 24;

// The bits of a leaf in the order x + 4y + 16z.
uint64_t mask_by_rows(uint64_t mask) {
  uint64_t rows = 0;
  for (; mask != 0; mask &= mask - 1) {
    const Int3 at = cube_place(static_cast<uint32_t>(lowest_bit(mask)));
    rows |= uint64_t{1} << (at.x + 4 * at.y + 16 * at.z);
  }
  return rows;
}

// The words of the file, level by level. A node of the octree stands there once for each of its places.
class VoxelOctree {
 public:
  explicit VoxelOctree(const dag::FrozenDag& dag) : dag_(dag) {
    find_solid();
    if (dag.empty()) return;
    std::vector<uint32_t> places = {0};     // the numbers of the DAG's nodes, in the order of the file
    if (dag.depth() == 0) add_interior(1);  // the format has a level above the leaves
    for (uint32_t level = 0; level <= dag.depth(); ++level) {
      throw_if_cancelled();
      places = add_level(level, places);
    }
  }

  uint32_t depth() const { return std::max(dag_.depth(), 1u); }

  std::vector<uint32_t> nodes, leaf_data;
  uint64_t interiors = 0;

 private:
  // Finds the nodes of which all voxels are filled.
  void find_solid() {
    solid_.resize(dag_.levels.size());
    for (uint32_t level = dag_.depth() + 1; level-- > 0;) {
      const dag::DagLevel& nodes_of_level = dag_.levels[level];
      solid_[level].resize(nodes_of_level.nodes);
      dag::parallel_for_each(nodes_of_level, [&](uint64_t number, const uint32_t* node) {
        solid_[level][number] =
            level == dag_.depth() ? dag::leaf_mask(node) == UINT64_MAX : has_solid_children(level, node);
      });
    }
  }
  bool has_solid_children(uint32_t level, const uint32_t* node) const {
    return dag::child_mask(node[0]) == 0xff &&
           std::all_of(node + 1, node + 9, [&](uint32_t child) { return solid_[level + 1][child] != 0; });
  }

  // Adds a node whose children follow all nodes that are known.
  void add_interior(uint32_t mask) {
    nodes.push_back(mask << 24 | static_cast<uint32_t>(next_child_));
    next_child_ += static_cast<uint32_t>(popcount(mask));
    if (next_child_ > kMostOctreeNodes)
      throw Error(
          fmt::format("the octree has more than {} nodes, which the format cannot count", kMostOctreeNodes))
          .hint("lower the resolution, or write a part of the scene");
    ++interiors;
  }

  // Adds the nodes of a level, and returns those of the next one.
  std::vector<uint32_t> add_level(uint32_t level, const std::vector<uint32_t>& places) {
    std::vector<uint32_t> children;
    next_child_ = nodes.size() + places.size();
    for (const uint32_t number : places) {
      const uint32_t* const node = dag_.levels[level].node(number);
      if (solid_[level][number] != 0) {
        nodes.push_back(kSolidLeaf);
      } else if (level == dag_.depth()) {
        const uint64_t mask = mask_by_rows(dag::leaf_mask(node));
        nodes.push_back(static_cast<uint32_t>(leaf_data.size() / 2));
        leaf_data.push_back(static_cast<uint32_t>(mask));
        leaf_data.push_back(static_cast<uint32_t>(mask >> 32));
      } else {
        const uint32_t mask = dag::child_mask(node[0]);
        add_interior(mask);
        children.insert(children.end(), node + 1, node + 1 + popcount(mask));
      }
    }
    return children;
  }

  const dag::FrozenDag& dag_;
  std::vector<std::vector<uint8_t>> solid_;
  uint64_t next_child_ = 1;
};

void set_box(Json& bounds, const Vec3d& low, const Vec3d& high) {
  for (const auto& [name, corner] : {std::pair("min", low), std::pair("max", high)}) {
    Json& numbers = bounds.array(name);
    for (uint32_t axis = 0; axis < 3; ++axis) numbers.append(corner[axis]);
  }
}

std::string octree_header(const dag::VoxelScene& scene, const VoxelOctree& octree) {
  const auto side = static_cast<int32_t>((scene.dag.resolution + 3) / 4 * 4);
  const VoxelBox filled = dag::filled_box(scene.dag);
  Json json;
  json.set("version", "1.1").object("asset").set("generator", kOctreeGenerator);
  set_box(json.object("gridBounds"), world_corner(scene, {0, 0, 0}), world_corner(scene, {side, side, side}));
  set_box(json.object("sceneBounds"), world_corner(scene, filled.min), world_corner(scene, filled.max));
  json.set("voxelResolution", scene.voxel_size.x)
      .set("leafSize", 4)
      .set("treeDepth", octree.depth())
      .set("numInteriorNodes", octree.interiors)
      .set("numMixedLeaves", octree.leaf_data.size() / 2)
      .set("nodeCount", octree.nodes.size())
      .set("leafDataCount", octree.leaf_data.size());
  return json.text() + "\n";
}

}  // namespace

std::filesystem::path voxel_octree_bin_path(std::filesystem::path path) {
  return path.replace_extension(".bin");
}

void write_voxel_octree(const dag::VoxelScene& scene, const std::filesystem::path& path,
                        const std::optional<VoxelBox>& clip) {
  if (clip) return write_voxel_octree(dag::clipped_scene(scene, export_region(scene, clip, path)), path, {});
  if (!scene.voxel_size.is_cube())
    throw Error("the format has one size of voxels, but those of the scene are no cubes").at(path.string());
  const VoxelOctree octree(scene.dag);
  ExportFile header(path, 0, Writers::One), file(voxel_octree_bin_path(path), 0, Writers::One);
  header.write(octree_header(scene, octree));
  for (const std::vector<uint32_t>* words : {&octree.nodes, &octree.leaf_data})
    file.write(std::span(reinterpret_cast<const uint8_t*>(words->data()), words->size() * sizeof(uint32_t)));
  header.commit_behind(file);
}

bool is_voxel_octree_of_vox(std::string_view file) {
  return file.find("\"asset\": {\n    \"generator\": \"vox\"\n") < 64;
}

}  // namespace vox
