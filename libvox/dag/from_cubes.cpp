#include "libvox/dag/from_cubes.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/paged_memory.h"
#include "libvox/base/progress.h"
#include "libvox/dag/freeze.h"
#include "libvox/dag/levels.h"
#include "libvox/dag/walk.h"
#include "libvox/device/cpu_device.h"

namespace vox::dag {
namespace {

// The number of cubes that are read in parallel, and of leaves that are interned at once: enough to find most
// of the equal leaves among themselves, few enough to stay in the caches. If there is little memory, they
// take an eighth of it.
struct BatchSize {
  size_t cubes, leaves;
};

BatchSize batch_size(uint64_t room) {
  constexpr uint64_t kLeafBytes = 128;  // words, key and pointer, and the memory for interning
  const uint64_t leaves = std::clamp<uint64_t>(room / (8 * kLeafBytes), 1 << 14, 1 << 20);
  return {.cubes = std::clamp<uint64_t>(leaves / VoxelCube::kLeaves, 16, 256), .leaves = leaves};
}

// The leaves of a cube: their words one behind the other, and their keys in Morton order.
struct CubeLeaves {
  std::vector<uint64_t> keys;
  std::vector<uint32_t> words;
  std::vector<uint32_t> ends;  // where the words of each leaf end
  int filling = -1;            // the material that fills the cube, which then has no leaves, or -1
};

using MaterialCounts = std::array<uint64_t, 16>;

// Writes a leaf of a cube and counts its voxels.
void write_leaf(const VoxelCube& cube, uint32_t leaf, bool materials, uint32_t* words,
                MaterialCounts& voxels_of) {
  const uint64_t mask = cube.mask(leaf);
  if (const int material = materials ? cube.only_material(leaf) : 0; material >= 0) {
    write_leaf_of_one_material(words, mask, materials, static_cast<uint32_t>(material));
    voxels_of[static_cast<size_t>(material)] += static_cast<uint64_t>(popcount(mask));
    return;
  }
  LeafWriter writer(words, materials);
  visit_bits(mask, [&](uint32_t bit) {
    const uint32_t material = cube.material(leaf << 6 | bit);
    writer.put(bit, material);
    ++voxels_of[material];
  });
  writer.finish();
}

CubeLeaves leaves_of(const VoxelCube& cube, uint64_t key, bool materials, MaterialCounts& voxels_of) {
  CubeLeaves leaves;
  std::array<uint32_t, hash::kMaxItemWords> words = {};
  cube.for_each_leaf([&](uint32_t leaf) {
    write_leaf(cube, leaf, materials, words.data(), voxels_of);
    const uint32_t count = leaf_words(cube.mask(leaf), materials);
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

// The data that is interned at once: the leaves of many cubes in Morton order, and cubes that are completely
// filled.
struct CubeBatch {
  struct Filled {
    uint64_t key;
    uint32_t material;
  };

  void append(const std::vector<CubeLeaves>& parts) {
    std::vector<size_t> first_leaves = {level.keys.size()}, first_words = {words.size()};
    for (const CubeLeaves& part : parts) {
      const bool is_filled = part.filling >= 0;
      if (is_filled) filled.push_back({part.keys[0], static_cast<uint32_t>(part.filling)});
      first_leaves.push_back(first_leaves.back() + (is_filled ? 0 : part.keys.size()));
      first_words.push_back(first_words.back() + part.words.size());
    }
    level.keys.resize(first_leaves.back());
    offsets.resize(first_leaves.back() + 1);
    words.resize(first_words.back());
    parallel_for(size_t{0}, parts.size(), [&](size_t i) {
      if (parts[i].filling >= 0) return;
      std::ranges::copy(parts[i].keys, level.keys.data() + first_leaves[i]);
      std::ranges::copy(parts[i].words, words.data() + first_words[i]);
      const auto before = static_cast<uint32_t>(first_words[i]);
      std::ranges::transform(parts[i].ends, offsets.data() + first_leaves[i] + 1,
                             [before](uint32_t end) { return before + end; });
    });
  }

  HostStore::Level level;
  Words words;
  std::vector<uint32_t> offsets = {0};
  std::vector<Filled> filled;
};

class Gathering {
 public:
  Gathering(const CubeSource& source, uint64_t memory_limit)
      : source_(source), depth_(depth_for(source.resolution)), store_(source.materials, memory_limit) {}

  GatheredDag run() {
    const BatchSize size = batch_size(store_.room());
    CubeBatch batch;
    for (size_t begin = 0, end = 0; begin < source_.cubes.size(); begin = end) {
      throw_if_cancelled();
      end = std::min(begin + size.cubes, source_.cubes.size());
      if (source_.load) end = source_.load(begin, end);
      batch.append(read(begin, end));
      if (batch.level.keys.size() < size.leaves && end < source_.cubes.size()) continue;
      add(std::exchange(batch, {}), end);
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
  // Returns the number of levels above the leaves, up to the nodes of the size of a cube. A small scene
  // has fewer.
  uint32_t levels_below_cubes() const { return std::min(depth_, VoxelCube::kLog2 - kLeafLog2); }

  // Builds the levels above `from` levels of nodes, until there are `to` levels.
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

  // Returns the pointer to the node of a cube that is filled with one material.
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
  void append(const HostStore::Level& level, const std::vector<CubeBatch::Filled>& filled) {
    size_t next = 0;
    const auto take = [&](uint64_t before) {
      for (; next < level.keys.size() && level.keys[next] < before; ++next) {
        cubes_.keys.push_back(level.keys[next]);
        cubes_.pointers.push_back(level.pointers[next]);
      }
    };
    for (const CubeBatch::Filled& cube : filled) {
      take(cube.key);
      cubes_.keys.push_back(cube.key);
      cubes_.pointers.push_back(filled_cube(cube.material));
    }
    take(UINT64_MAX);
  }

  std::vector<CubeLeaves> read(size_t begin, size_t end) {
    std::vector<CubeLeaves> parts(end - begin);
    parallel_for(tbb::blocked_range<size_t>(begin, end, 1), [&](const tbb::blocked_range<size_t>& range) {
      for (size_t i = range.begin(); i < range.end(); ++i) parts[i - begin] = read(i);
    });
    return parts;
  }

  // Adds a batch of cubes. So far, the cubes before `end` have been read.
  void add(CubeBatch batch, size_t end) {
    if (batch.level.keys.empty()) return append(batch.level, batch.filled);
    // Half of the items of the remaining cubes are expected to be new.
    store_.expect_growth(1 +
                         0.5 * static_cast<double>(source_.cubes.size() - end) / static_cast<double>(end));
    batch.level.pointers = store_.put_leaves(batch.words, batch.offsets);
    batch.words = {};
    batch.offsets = {};
    raise(batch.level, 0, levels_below_cubes());
    append(batch.level, batch.filled);
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

namespace {

// Writes nodes from lists of child pointers.
struct WriteNodes {
  hash::SlabMemoryRef store;
  const uint8_t* masks;
  const uint32_t* children;
  const uint32_t* offsets;
  NodeKind kind;
  bool materials;
  uint32_t* words;
  void operator()(uint64_t i) const {
    uint32_t* node = words + offsets[i];
    const uint32_t* child = children + (offsets[i] - i);
    const uint32_t count = offsets[i + 1] - offsets[i] - 1;
    bool all_equal = count == 8;
    for (uint32_t c = 0; c < count; ++c) {
      node[1 + c] = child[c];
      all_equal = all_equal && child[c] == child[0];
    }
    const int material = all_equal ? homogeneous_content(store.item(child[0]), kind, materials) : -1;
    node[0] = material >= 0 ? homogeneous_header(static_cast<uint32_t>(material)) : masks[i];
  }
};

}  // namespace

struct HostStore::Impl {
  Impl(bool with_materials, uint64_t memory_limit)
      : materials(with_materials), device(memory_limit, false), store(device) {}

  const bool materials;
  device::CpuDevice device;
  DagStore<device::CpuDevice> store;
};

HostStore::HostStore(bool materials, uint64_t memory_limit)
    : impl_(std::make_unique<Impl>(materials, memory_limit)) {}
HostStore::~HostStore() = default;

uint64_t HostStore::room() const {
  return impl_->device.pool().available();
}

void HostStore::expect_growth(double growth) {
  impl_->store.tables().expect_growth(growth);
}

std::vector<uint32_t> HostStore::put_leaves(std::span<const uint32_t> words,
                                            std::span<const uint32_t> offsets) {
  std::vector<uint32_t> pointers(offsets.empty() ? 0 : offsets.size() - 1);
  if (!pointers.empty()) impl_->store.intern(words.data(), offsets.data(), pointers.size(), pointers.data());
  return pointers;
}

std::vector<uint32_t> HostStore::put_nodes(std::span<const uint8_t> masks, std::span<const uint32_t> children,
                                           NodeKind kind_of_children) {
  std::vector<uint32_t> offsets(masks.size() + 1), pointers(masks.size());
  if (masks.empty()) return pointers;
  if (masks.size() + children.size() > UINT32_MAX) throw Error("a level has more than 2^32 words of nodes");
  for (size_t i = 0; i < masks.size(); ++i) offsets[i + 1] = offsets[i] + node_words(masks[i]);
  std::vector<uint32_t> words(offsets.back());
  impl_->device.for_each("write nodes", masks.size(),
                         WriteNodes{impl_->store.ref(), masks.data(), children.data(), offsets.data(),
                                    kind_of_children, impl_->materials, words.data()});
  impl_->store.intern(words.data(), offsets.data(), masks.size(), pointers.data());
  return pointers;
}

HostStore::Level HostStore::put_parents(const Level& children, NodeKind kind_of_children) {
  Level parents;
  std::vector<uint8_t> masks;
  for (const uint64_t key : children.keys) {
    if (parents.keys.empty() || parents.keys.back() != key >> 3) {
      parents.keys.push_back(key >> 3);
      masks.push_back(0);
    }
    masks.back() = static_cast<uint8_t>(masks.back() | 1u << (key & 7));
  }
  parents.pointers = put_nodes(masks, children.pointers, kind_of_children);
  return parents;
}

FrozenDag HostStore::freeze(uint32_t root, uint32_t resolution) {
  impl_->device.pool().trim();  // otherwise the kept memory would add to that of the words
  FrozenDag dag = empty_dag(resolution, impl_->materials);
  Freezer(impl_->device, impl_->store, dag).run(root);
  count_octree(dag);
  return dag;
}

}  // namespace vox::dag
