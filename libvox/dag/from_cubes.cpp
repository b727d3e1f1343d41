#include "libvox/dag/from_cubes.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "libvox/base/cancel.h"
#include "libvox/base/error.h"
#include "libvox/dag/host_store.h"
#include "libvox/dag/walk.h"

namespace vox::dag {
namespace {

constexpr size_t kCubesAtOnce = 1024;  // at most 160 MiB of leaves

// The leaves of a cube: words one behind the other, keys in Morton order.
struct CubeLeaves {
  std::vector<uint64_t> keys;
  std::vector<uint32_t> words;
  std::vector<uint32_t> ends;  // where the words of each leaf end
  int filling = -1;            // without leaves: the material that fills the cube
};

using MaterialCounts = std::array<uint64_t, 16>;

CubeLeaves leaves_of(const VoxelCube& cube, uint64_t key, bool materials, MaterialCounts& voxels_of) {
  CubeLeaves leaves;
  std::array<uint32_t, hash::kMaxItemWords> words = {};
  cube.for_each_leaf([&](uint32_t leaf) {
    LeafWriter writer(words.data(), materials);
    for (uint64_t mask = cube.mask(leaf); mask != 0; mask &= mask - 1) {
      const auto bit = static_cast<uint32_t>(lowest_bit(mask));
      const uint32_t material = materials ? cube.material(leaf << 6 | bit) : 0;
      writer.put(bit, material);
      ++voxels_of[material];
    }
    const uint32_t count = writer.finish();
    leaves.words.insert(leaves.words.end(), words.begin(), words.begin() + count);
    leaves.ends.push_back(static_cast<uint32_t>(leaves.words.size()));
    leaves.keys.push_back(key << 12 | leaf);
  });
  return leaves;
}

void check_inside(const VoxelCube& cube, Int3 corner, uint32_t resolution) {
  const VoxelBox region = cube_at({0, 0, 0}, resolution);
  if (intersection(cube_at(corner, VoxelCube::kSide), region) == cube_at(corner, VoxelCube::kSide)) return;
  const auto fail = [&] {
    throw Error(fmt::format("a voxel lies outside of the grid of {}³ voxels", resolution));
  };
  if (cube.filling() >= 0) fail();
  cube.for_each_leaf([&](uint32_t leaf) {
    const Int3 at = corner + morton_decode(leaf) * int32_t{kLeafSide};
    if ((cube.mask(leaf) & ~leaf_mask_inside(at, region)) != 0) fail();
  });
}

class Gathering {
 public:
  Gathering(const CubeSource& source, uint64_t memory_limit)
      : source_(source), depth_(depth_for(source.resolution)), store_(source.materials, memory_limit) {}

  GatheredDag run() {
    for (size_t begin = 0, end = 0; begin < source_.cubes.size(); begin = end) {
      throw_if_cancelled();
      end = std::min(begin + kCubesAtOnce, source_.cubes.size());
      if (source_.load) end = source_.load(begin, end);
      add(begin, end);
    }
    GatheredDag result;
    if (cubes_.keys.empty()) {
      result.dag = empty_dag(source_.resolution, source_.materials);
      result.dag.digest = compute_digest(result.dag);
      return result;
    }
    raise(cubes_, levels_below_cubes(), depth_);
    result.dag = store_.freeze(cubes_.pointers[0], source_.resolution);
    for (const MaterialCounts& counts : counts_)
      for (size_t i = 0; i < counts.size(); ++i) result.voxels_of[i] += counts[i];
    return result;
  }

 private:
  // Levels above the leaves up to the nodes that are as large as a cube; a small scene has fewer.
  uint32_t levels_below_cubes() const { return std::min(depth_, VoxelCube::kLog2 - kLeafLog2); }

  // Makes the levels of nodes above `from` levels of them, up to `to`.
  void raise(HostStore::Level& level, uint32_t from, uint32_t to) {
    for (uint32_t above = from; above < to; ++above)
      level = store_.put_parents(level, above == 0 ? NodeKind::Leaf : NodeKind::Inner);
  }

  CubeLeaves read(size_t i) {
    VoxelCube& cube = rooms_.local();
    cube.clear();
    source_.read(i, cube);
    cube.settle();
    check_inside(cube, cube_corner(source_.cubes[i]), source_.resolution);
    if (cube.filling() >= 0) {
      const int material = source_.materials ? cube.filling() : 0;
      counts_.local()[static_cast<size_t>(material)] += cube_at({0, 0, 0}, VoxelCube::kSide).voxels();
      return {.keys = {source_.cubes[i]}, .words = {}, .ends = {}, .filling = material};
    }
    return leaves_of(cube, source_.cubes[i], source_.materials, counts_.local());
  }

  // The node of a cube that is filled with a material.
  uint32_t filled_cube(uint32_t material) {
    std::optional<uint32_t>& pointer = filled_[material];
    if (pointer) return *pointer;
    std::array<uint32_t, hash::kMaxItemWords> words = {};
    write_leaf_of_one_material(words.data(), UINT64_MAX, source_.materials, material);
    const std::array<uint32_t, 2> offsets = {0, leaf_words(UINT64_MAX, source_.materials)};
    const uint32_t leaf = store_.put_leaves(std::span(words).first(offsets[1]), offsets)[0];
    HostStore::Level level = {.keys = std::vector<uint64_t>(VoxelCube::kLeaves),
                              .pointers = std::vector<uint32_t>(VoxelCube::kLeaves, leaf)};
    std::iota(level.keys.begin(), level.keys.end(), 0);
    raise(level, 0, levels_below_cubes());
    pointer = level.pointers[0];
    return *pointer;
  }

  // Appends the nodes of cubes that have leaves, and of those that are filled, in the order of their keys.
  void append(const HostStore::Level& level, const std::vector<CubeLeaves>& parts) {
    size_t next = 0;
    const auto take = [&](uint64_t before) {
      for (; next < level.keys.size() && level.keys[next] < before; ++next) {
        cubes_.keys.push_back(level.keys[next]);
        cubes_.pointers.push_back(level.pointers[next]);
      }
    };
    for (const CubeLeaves& part : parts) {
      if (part.filling < 0) continue;
      take(part.keys[0]);
      cubes_.keys.push_back(part.keys[0]);
      cubes_.pointers.push_back(filled_cube(static_cast<uint32_t>(part.filling)));
    }
    take(UINT64_MAX);
  }

  void add(size_t begin, size_t end) {
    std::vector<CubeLeaves> parts(end - begin);
    tbb::parallel_for(tbb::blocked_range<size_t>(begin, end, 1),
                      [&](const tbb::blocked_range<size_t>& range) {
                        for (size_t i = range.begin(); i < range.end(); ++i) parts[i - begin] = read(i);
                      });
    HostStore::Level level;
    std::vector<uint32_t> words, offsets = {0};
    for (const CubeLeaves& part : parts) {
      if (part.filling >= 0) continue;
      const auto before = static_cast<uint32_t>(words.size());
      level.keys.insert(level.keys.end(), part.keys.begin(), part.keys.end());
      words.insert(words.end(), part.words.begin(), part.words.end());
      for (const uint32_t place : part.ends) offsets.push_back(before + place);
    }
    if (level.keys.empty()) return append(level, parts);
    // Half of what is to come, by the cubes that are left, is new.
    store_.expect_growth(1 +
                         0.5 * static_cast<double>(source_.cubes.size() - end) / static_cast<double>(end));
    level.pointers = store_.put_leaves(words, offsets);
    raise(level, 0, levels_below_cubes());
    append(level, parts);
  }

  const CubeSource& source_;
  const uint32_t depth_;
  HostStore store_;
  HostStore::Level cubes_;
  std::array<std::optional<uint32_t>, 16> filled_;
  tbb::enumerable_thread_specific<VoxelCube> rooms_;
  tbb::enumerable_thread_specific<MaterialCounts> counts_{MaterialCounts{}};
};

}  // namespace

GatheredDag dag_of_cubes(const CubeSource& source, uint64_t memory_limit) {
  return Gathering(source, memory_limit).run();
}

}  // namespace vox::dag
