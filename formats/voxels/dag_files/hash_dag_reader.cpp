#include "formats/voxels/dag_files/dag_files.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "formats/io/read_file.h"
#include "formats/io/scan.h"
#include "formats/voxels/dag_files/file_nodes.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/log.h"
#include "libvox/base/loops.h"
#include "libvox/dag/from_cubes.h"

namespace vox {
namespace {

template <class T>
T file_value(const MappedFile& file, uint64_t at) {
  return value_at<T>(file.bytes().data() + at);
}

class HashDagFile {
 public:
  explicit HashDagFile(const std::filesystem::path& path) : file_(path), order_(dag::UpAxis::Y) {
    const uint64_t size = file_.bytes().size();
    if (size < kHashDagHeaderBytes)
      throw Error(fmt::format("has {} bytes, fewer than its header", size)).hint("is the file truncated?");
    levels_ = file_value<uint32_t>(file_, 48);
    words_ = file_value<uint64_t>(file_, 52);
    if (levels_ < kHashDagLeafLevels || levels_ > kMostFileLevels)
      throw Error(
          fmt::format("states {} levels, expected {} to {}", levels_, kHashDagLeafLevels, kMostFileLevels));
    if ((size - kHashDagHeaderBytes) / 4 != words_ || size % 4 != 0)
      throw Error(fmt::format("has {} bytes after its header, but states {} words of 4 bytes",
                              size - kHashDagHeaderBytes, words_))
          .hint("is the file truncated?");
    for (uint32_t i = 0; i < 6; ++i)
      if (!std::isfinite(bound_value(i))) throw Error("its bounding box is not finite");
    const Vec3d size_of_box = max() - min();
    if (size_of_box.x <= 0 || size_of_box.y <= 0 || size_of_box.z <= 0)
      throw Error("its bounding box is empty");
  }

  uint64_t sum() const {
    const std::span<const std::byte> words = file_.bytes().subspan(kHashDagHeaderBytes);
    const auto add = [&](const tbb::blocked_range<uint64_t>& range, uint64_t partial) {
      throw_if_cancelled();
      return partial + sum_of_words(words.subspan(range.begin() * 4, range.size() * 4), range.begin());
    };
    return tbb::parallel_reduce(tbb::blocked_range<uint64_t>(0, words_, 1 << 18), uint64_t{0}, add,
                                std::plus<>());
  }

  Vec3d min() const { return {bound_value(0), bound_value(1), bound_value(2)}; }
  Vec3d max() const { return {bound_value(3), bound_value(4), bound_value(5)}; }
  const SlotOrder& order() const { return order_; }

  uint32_t depth() const { return levels_ - kHashDagLeafLevels; }
  uint64_t root() const { return 0; }
  uint64_t bound() const { return words_; }
  // A node of a sound file has at least two words and lies on one level.
  uint64_t most_nodes() const { return words_; }

  // Calls body(octant, child) for the children of a node in the order of slots.
  template <class Body>
  void for_each_child(uint64_t id, Body body) const {
    uint64_t at = id;
    for (uint32_t slots = word(id, id) & 0xff; slots != 0; slots &= slots - 1)
      body(order_.octant(static_cast<uint32_t>(lowest_bit(slots))), child_at(++at, id));
  }
  FileChildren children(uint32_t, uint64_t id) const {
    const uint32_t slots = word(id, id) & 0xff;
    FileChildren children;
    for (uint32_t octants = order_.mask_of_slots(slots); octants != 0; octants &= octants - 1) {
      const auto octant = static_cast<uint32_t>(lowest_bit(octants));
      const uint32_t lower = slots & ((1u << order_.slot(octant)) - 1);
      children.add(octant, child_at(id + 1 + static_cast<uint64_t>(popcount(lower)), id));
    }
    return children;
  }
  uint64_t leaf(uint64_t id) const {
    return order_.leaf_mask(word(id, id) | uint64_t{word(id + 1, id)} << 32);
  }

 private:
  double bound_value(uint32_t i) const { return file_value<double>(file_, i * 8); }

  uint32_t word(uint64_t at, uint64_t node) const {
    if (at >= words_) throw_beyond(node);
    return file_value<uint32_t>(file_, kHashDagHeaderBytes + at * 4);
  }
  uint64_t child_at(uint64_t at, uint64_t node) const {
    const uint64_t child = word(at, node);
    if (child >= words_)
      throw Error(
          fmt::format("the node at word {} points to word {}, but there are {}", node, child, words_));
    return child;
  }
  [[noreturn]] void throw_beyond(uint64_t node) const {
    throw Error(fmt::format("the node at word {} reaches beyond the last of {} words", node, words_));
  }

  MappedFile file_;
  SlotOrder order_;
  uint32_t levels_ = 0;
  uint64_t words_ = 0;
};
static_assert(NodeFile<HashDagFile>);

class HashDagColorsFile {
 public:
  explicit HashDagColorsFile(const std::filesystem::path& path) : file_(path) {
    const uint64_t size = file_.bytes().size();
    const auto fail = [&] {
      throw Error(fmt::format("has {} bytes, which do not match the counts that it states", size))
          .at(path.string())
          .hint("is the file truncated?");
    };
    constexpr uint64_t kHead = 4 + 8;
    if (size < kHead) fail();
    const auto enclosed = file_value<uint64_t>(file_, 4);
    if (enclosed > (size - kHead) / 8 || size - kHead - enclosed * 8 < 8) fail();
    first_ = kHead + enclosed * 8 + 8;
    count_ = file_value<uint64_t>(file_, first_ - 8);
    if (enclosed >= 2 && file_value<uint64_t>(file_, first_ - 24) == kHashDagPair)
      sum_of_nodes_ = file_value<uint64_t>(file_, first_ - 16);
    if ((size - first_) / 4 != count_ || (size - first_) % 4 != 0) fail();
  }

  uint64_t count() const { return count_; }
  const std::optional<uint64_t>& sum_of_nodes() const { return sum_of_nodes_; }  // in files of vox
  scene::Rgb8 color(uint64_t i) const {
    const auto bgr = file_value<uint32_t>(file_, first_ + i * 4);
    return {static_cast<uint8_t>(bgr), static_cast<uint8_t>(bgr >> 8), static_cast<uint8_t>(bgr >> 16)};
  }

  // Returns the number of voxels of each color.
  scene::ColorTally tally() const {
    tbb::enumerable_thread_specific<scene::ColorTally> parts;
    parallel_for(tbb::blocked_range<uint64_t>(0, count_, 1 << 18),
                 [&](const tbb::blocked_range<uint64_t>& range) {
                   throw_if_cancelled();
                   scene::ColorTally& part = parts.local();
                   // Neighboring voxels often have the same color.
                   for (uint64_t i = range.begin(), first = i; i < range.end(); first = i) {
                     const scene::Rgb8 shared = color(first);
                     while (i < range.end() && color(i) == shared) ++i;
                     part.add(shared, i - first);
                   }
                 });
    scene::ColorTally all;
    for (const scene::ColorTally& part : parts) all.merge(part);
    return all;
  }

 private:
  MappedFile file_;
  uint64_t first_ = 0, count_ = 0;
  std::optional<uint64_t> sum_of_nodes_;
};

// A cube of 64³ voxels: its node, and the number of its first voxel in the order of colors.
struct ColoredCube {
  uint64_t key, node, first;
};

// If every node has a voxel, a walk through all nodes takes no longer than the number of voxels.
void require_voxels(const std::vector<std::vector<uint64_t>>& voxels) {
  for (size_t level = 1; level < voxels.size(); ++level)
    if (std::ranges::find(voxels[level], uint64_t{0}) != voxels[level].end())
      throw Error(fmt::format("a node of level {} has no voxels", level));
}

// The nodes and the colors of a file, which VoxelFile::read() needs.
class ColoredNodes {
 public:
  ColoredNodes(std::shared_ptr<const HashDagFile> file, std::shared_ptr<const HashDagColorsFile> colors,
               const FileNodes<HashDagFile>& nodes, const std::vector<std::vector<uint64_t>>& voxels)
      : file_(std::move(file)), colors_(std::move(colors)) {
    uint64_t first = 0;
    find_cubes(nodes, voxels, {0, file_->root(), {0, 0, 0}}, first);
    std::ranges::sort(cubes_, {}, &ColoredCube::key);
  }

  std::vector<uint64_t> keys() const {
    std::vector<uint64_t> keys;
    for (const ColoredCube& cube : cubes_) keys.push_back(cube.key);
    return keys;
  }

  void read(size_t cube, VoxelSink& to) const {
    put_node({cube_level(), cubes_[cube].node, {0, 0, 0}}, cubes_[cube].first, to);
  }

 private:
  struct Node {
    uint32_t level;
    uint64_t id;
    Int3 corner;
  };

  // Returns the level of nodes of 64³ voxels, or level 0 if the scene is smaller.
  uint32_t cube_level() const {
    constexpr uint32_t kLevelsBelow = dag::VoxelCube::kLog2 - dag::kLeafLog2;
    return file_->depth() - std::min(file_->depth(), kLevelsBelow);
  }

  // Calls body(node) for the children of a node in the order of slots.
  template <class Body>
  void for_each_child(const Node& node, Body body) const {
    const auto half = static_cast<int32_t>(dag::kLeafSide << (file_->depth() - node.level - 1));
    file_->for_each_child(node.id, [&](uint32_t octant, uint64_t child) {
      body(Node{node.level + 1, child, node.corner + octant_corner(octant, half)});
    });
  }

  void find_cubes(const FileNodes<HashDagFile>& nodes, const std::vector<std::vector<uint64_t>>& voxels,
                  const Node& node, uint64_t& first) {
    const uint64_t count = voxels[node.level][nodes.index_of(node.level, node.id)];
    if (count == 0) return;
    if (node.level < cube_level())
      return for_each_child(node, [&](const Node& child) { find_cubes(nodes, voxels, child, first); });
    cubes_.push_back({dag::cube_key(node.corner), node.id, first});
    first += count;
  }

  // Returns the number of the first voxel after the node.
  uint64_t put_node(const Node& node, uint64_t first, VoxelSink& to) const {
    if (node.level < file_->depth()) {
      for_each_child(node, [&](const Node& child) { first = put_node(child, first, to); });
      return first;
    }
    const SlotOrder& order = file_->order();
    const uint32_t leaf = dag::VoxelCube::code(node.corner);
    for (uint64_t bits = order.leaf_mask(file_->leaf(node.id)); bits != 0; bits &= bits - 1)
      to.put(leaf | order.voxel(static_cast<uint32_t>(lowest_bit(bits))), rgb_value(colors_->color(first++)));
    return first;
  }

  std::shared_ptr<const HashDagFile> file_;
  std::shared_ptr<const HashDagColorsFile> colors_;
  std::vector<ColoredCube> cubes_;
};

double voxel_size_of(const HashDagFile& file, const std::filesystem::path& path) {
  const Vec3d size = file.max() - file.min();
  const double side = std::max({size.x, size.y, size.z}), least = std::min({size.x, size.y, size.z});
  if (least < side * (1 - 1e-6))
    log_warning("{}: its bounding box of {} x {} x {} is not a cube and is read as one of side {}",
                path.string(), size.x, size.y, size.z, side);
  return side / (dag::kLeafSide << file.depth());
}

// Returns the colors beside the nodes, or null if there are none.
std::shared_ptr<const HashDagColorsFile> open_colors(const std::filesystem::path& path,
                                                     const HashDagFile& nodes, uint64_t voxels) {
  const std::filesystem::path colors_path = hash_dag_colors_path(path);
  if (!std::filesystem::exists(colors_path)) {
    log_info("{}: there is no {} beside it: the scene has no materials", path.string(),
             colors_path.filename().string());
    return nullptr;
  }
  auto colors = std::make_shared<const HashDagColorsFile>(colors_path);
  if (colors->sum_of_nodes() && colors->sum_of_nodes() != nodes.sum())
    throw Error(fmt::format("holds the colors of other nodes than those in {}", path.filename().string()))
        .at(colors_path.string())
        .hint("write both files again");
  if (colors->count() == voxels) return colors;
  // Programs without support for colors write a single one.
  if (colors->count() <= 1) return nullptr;
  throw Error(
      fmt::format("has {} colors, but {} has {} voxels", colors->count(), path.filename().string(), voxels))
      .at(colors_path.string());
}

}  // namespace

ScenePlusError read_hash_dag(const std::filesystem::path& path, const VoxelFileOptions& options) {
  const auto file = std::make_shared<const HashDagFile>(path);
  const FileNodes<HashDagFile> nodes(*file);
  const Vec3d origin = file->min();
  const double voxel_size = voxel_size_of(*file, path);
  if (options.materials) {
    const std::vector<std::vector<uint64_t>> voxels = nodes.voxels();
    if (const auto colors = open_colors(path, *file, voxels[0][0])) {
      require_voxels(voxels);
      const auto colored = std::make_shared<const ColoredNodes>(file, colors, nodes, voxels);
      VoxelFile voxel_file;
      voxel_file.resolution = dag::kLeafSide << file->depth();
      voxel_file.origin = origin;
      voxel_file.voxel_size = voxel_size;
      voxel_file.values = VoxelValues::Rgb;
      voxel_file.cubes = colored->keys();
      voxel_file.read = [colored](size_t cube, VoxelSink& to) { colored->read(cube, to); };
      voxel_file.count_colors = [colors] { return colors->tally(); };
      return scene_of_voxels(voxel_file, options, path);
    }
  }
  ScenePlusError result;
  result.scene.dag = nodes.dag(options.memory_limit);
  result.scene.origin = origin;
  result.scene.voxel_size = voxel_size;
  return result;
}

}  // namespace vox
