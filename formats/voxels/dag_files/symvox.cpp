// Reads and writes the files of SymVox.
#include "formats/voxels/dag_files/dag_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "formats/io/read_file.h"
#include "formats/io/scan.h"
#include "formats/voxels/dag_files/file_nodes.h"
#include "formats/voxels/export.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/progress.h"
#include "libvox/dag/derived.h"
#include "libvox/dag/walk.h"

namespace vox {
namespace {

// Reads the nodes of a file. A node's id states the word at which it begins and how it is mirrored: id = 8 ·
// word + mirrors.
class SymVoxFile {
 public:
  SymVoxFile(const std::filesystem::path& path, SymVoxKind kind)
      : file_(path), order_(dag::UpAxis::Y), kind_(kind) {
    const uint64_t size = file_.bytes().size();
    if (size < sizeof(head_))
      throw Error(fmt::format("has {} bytes, fewer than its header", size)).hint("is the file truncated?");
    head_ = value_at<SymVoxHeader>(file_.bytes().data());
    if (head_.levels < 1 || head_.levels > kMostFileLevels)
      throw Error(fmt::format("states {} levels, expected 1 to {}", head_.levels, kMostFileLevels));
    if (size - sizeof(head_) != uint64_t{head_.words} * 4 || head_.words == 0)
      throw Error(fmt::format("has {} bytes after its header, but states {} words of 4 bytes",
                              size - sizeof(head_), head_.words))
          .hint("is the file truncated?");
    for (uint32_t i = 0; i < 3; ++i)
      if (!std::isfinite(head_.min[i]) || !std::isfinite(head_.max[i]))
        throw Error("its bounding box is not finite");
    if (!std::isfinite(head_.root_side) || head_.root_side <= 0)
      throw Error(fmt::format("the side of its root is {}", head_.root_side));
  }

  double voxel_size() const {
    return double{head_.root_side} / static_cast<double>(uint64_t{1} << head_.levels);
  }
  Vec3d origin() const {
    const auto corner = [&](uint32_t axis) {
      return (double{head_.min[axis]} + double{head_.max[axis]} - double{head_.root_side}) / 2;
    };
    return {corner(0), corner(1), corner(2)};
  }

  // The last two levels together are leaves of 4³ voxels. A file of one level is a part of one leaf.
  uint32_t depth() const { return head_.levels < 2 ? 0 : head_.levels - 2; }
  uint64_t root() const { return 0; }
  uint64_t bound() const { return uint64_t{head_.words} * kSymVoxMirrors; }
  // A node of a sound file is on one level and is mirrored in at most eight ways. Other programs share nodes
  // between levels, so twice that number is allowed.
  uint64_t most_nodes() const { return 2 * (kind_ == SymVoxKind::Plain ? uint64_t{head_.words} : bound()); }

  FileChildren children(uint32_t, uint64_t id) const {
    FileChildren children;
    for (uint32_t octant = 0; octant < 8; ++octant) {
      const uint64_t child = child_at(id, order_.slot(octant));
      if (child != kNoChild) children.add(octant, child);
    }
    return children;
  }

  uint64_t leaf(uint64_t id) const {
    if (head_.levels < 2) return order_.mask_of_slots(word(id / kSymVoxMirrors, id) & 0xff);
    uint64_t slots = 0;
    for (uint32_t slot = 0; slot < 8; ++slot) {
      const uint64_t child = child_at(id, slot);
      if (child == kNoChild) continue;
      const uint32_t voxels = word(child / kSymVoxMirrors, child) & 0xff;
      for (uint32_t voxel = 0; voxel < 8; ++voxel)
        slots |= uint64_t{voxels >> (voxel ^ child % kSymVoxMirrors) & 1} << (8 * slot + voxel);
    }
    return order_.leaf_mask(slots);
  }

 private:
  static constexpr uint64_t kNoChild = UINT64_MAX;

  uint32_t word(uint64_t at, uint64_t id) const {
    if (at >= head_.words)
      throw Error(fmt::format("the node at word {} reaches beyond the last of {} words", id / kSymVoxMirrors,
                              head_.words));
    return value_at<uint32_t>(file_.bytes().data() + sizeof(head_) + at * 4);
  }

  // Returns the child that is in a slot after the node has been mirrored.
  uint64_t child_at(uint64_t id, uint64_t slot) const {
    const uint64_t node = id / kSymVoxMirrors, mirrors = id % kSymVoxMirrors;
    const uint32_t header = word(node, id);
    const auto stored = static_cast<uint32_t>(slot ^ mirrors);
    if ((header >> stored & 1) == 0) return kNoChild;
    // Pointers of higher slots come before this one.
    const auto place = static_cast<uint64_t>(popcount(uint32_t{header & 0xff} >> stored));
    const uint32_t child = word(node + place, id);
    if (child >= head_.words)
      throw Error(
          fmt::format("the node at word {} points to word {}, but there are {}", node, child, head_.words));
    const uint32_t turned = kind_ == SymVoxKind::Plain ? 0 : mirrors_of(header, stored);
    return child * uint64_t{kSymVoxMirrors} + (turned ^ mirrors);
  }

  MappedFile file_;
  SlotOrder order_;
  SymVoxKind kind_;
  SymVoxHeader head_ = {};
};
static_assert(NodeFile<SymVoxFile>);

}  // namespace

ScenePlusError read_symvox(const std::filesystem::path& path, SymVoxKind kind,
                           const VoxelFileOptions& options) {
  const SymVoxFile file(path, kind);
  ScenePlusError result;
  result.scene.dag = FileNodes<SymVoxFile>(file).dag(options.memory_limit);
  result.scene.origin = file.origin();
  result.scene.voxel_size = file.voxel_size();
  return result;
}

namespace {

constexpr size_t kMostNodes = (size_t{1} << 29) - 1;  // in a level, because the numbers in slots have 29 bits

// The place of one of our nodes in the file: a node of the file, and how it is mirrored.
struct Image {
  uint32_t node = 0;
  uint32_t mirrors = 0;
};

struct SlotsHash {
  size_t operator()(const SymVoxSlots& slots) const {
    uint64_t hash = 0;
    for (const uint32_t slot : slots) hash = mix64(hash ^ slot);
    return hash;
  }
};

uint32_t slot_value(const Image& image) {
  return (image.node + 1) * kSymVoxMirrors + image.mirrors;
}

// The nodes of one level of the file, and for each of them the mirrors that leave it unchanged.
class MirroredLevel {
 public:
  explicit MirroredLevel(SymVoxKind kind) : mirrors_(kind == SymVoxKind::Plain ? 1 : kSymVoxMirrors) {}

  // Finds the node, whose children are in `below`, or adds it.
  Image put(const SymVoxSlots& slots, const MirroredLevel* below) {
    std::array<SymVoxSlots, kSymVoxMirrors> images = {};
    uint32_t least = 0;
    for (uint32_t mirrors = 0; mirrors < mirrors_; ++mirrors) {
      images[mirrors] = mirrored(slots, mirrors, below);
      if (images[mirrors] < images[least]) least = mirrors;
    }
    const auto [place, is_new] = known_.try_emplace(images[least], static_cast<uint32_t>(nodes_.size()));
    if (is_new) {
      add(images[least]);
      uint32_t same = 0;
      for (uint32_t mirrors = 0; mirrors < mirrors_; ++mirrors)
        if (images[mirrors ^ least] == images[least]) same |= 1u << mirrors;
      unchanged_.push_back(static_cast<uint8_t>(same));
    }
    return {place->second, least_mirrors(place->second, least)};
  }

  // Adds a node unchanged. It must not exist yet.
  Image add(const SymVoxSlots& slots) {
    if (nodes_.size() == kMostNodes) throw Error("a level of the file would have 2^29 nodes or more");
    nodes_.push_back(slots);
    return {static_cast<uint32_t>(nodes_.size() - 1), 0};
  }

  const std::vector<SymVoxSlots>& nodes() const { return nodes_; }
  // Moves the nodes out of a level that is complete, so that its lookup table is no longer needed.
  std::vector<SymVoxSlots> take_nodes() {
    known_.clear();
    return std::move(nodes_);
  }

 private:
  // Returns the least of those mirrors that give the same image of a node.
  uint32_t least_mirrors(uint32_t node, uint32_t mirrors) const {
    uint32_t least = mirrors;
    for (uint32_t same = 0; same < mirrors_; ++same)
      if ((unchanged_[node] >> same & 1) != 0) least = std::min(least, mirrors ^ same);
    return least;
  }

  SymVoxSlots mirrored(const SymVoxSlots& slots, uint32_t mirrors, const MirroredLevel* below) const {
    SymVoxSlots image = {};
    for (uint32_t slot = 0; slot < 8; ++slot) {
      const uint32_t value = slots[slot ^ mirrors];
      if (value == 0) continue;
      const uint32_t node = value / kSymVoxMirrors - 1, turned = (value % kSymVoxMirrors) ^ mirrors;
      image[slot] = slot_value({node, below != nullptr ? below->least_mirrors(node, turned) : 0});
    }
    return image;
  }

  uint32_t mirrors_;  // the number of ways to mirror
  std::vector<SymVoxSlots> nodes_;
  std::vector<uint8_t> unchanged_;  // for each node, bit m is set if mirroring by m leaves it unchanged
  std::unordered_map<SymVoxSlots, uint32_t, SlotsHash> known_;
};

// Returns a block of 2³ voxels as a node whose children are full or absent.
SymVoxSlots slots_of_block(uint32_t voxels) {
  SymVoxSlots slots = {};
  for (uint32_t slot = 0; slot < 8; ++slot)
    if ((voxels >> slot & 1) != 0) slots[slot] = kSymVoxMirrors;
  return slots;
}

uint8_t block_of_slots(const SymVoxSlots& slots) {
  uint32_t voxels = 0;
  for (uint32_t slot = 0; slot < 8; ++slot) voxels |= uint32_t{slots[slot] != 0} << slot;
  return static_cast<uint8_t>(voxels);
}

class Reduction {
 public:
  Reduction(const dag::FrozenDag& dag, const SlotOrder& order, SymVoxKind kind)
      : dag_(dag), order_(order), kind_(kind), blocks_(kind) {}

  SymVoxNodes run() {
    SymVoxNodes result;
    result.inner.resize(dag_.levels.size());
    MirroredLevel below = std::move(blocks_);
    std::vector<Image> images;
    for (uint32_t level = dag_.depth() + 1; level-- > 0;) {
      throw_if_cancelled();
      MirroredLevel here(kind_);
      std::vector<Image> images_here;
      const dag::DagLevel& from = dag_.levels[level];
      dag::for_each_in(from, dag::node_numbers(from), [&](uint64_t, const uint32_t* node) {
        const SymVoxSlots slots =
            level == dag_.depth() ? slots_of_leaf(node, below) : slots_of_node(node, images);
        // Nodes of a DAG are unique already, and nothing points to the root, which therefore cannot be
        // mirrored.
        const bool as_it_is = level == 0 || kind_ == SymVoxKind::Plain;
        images_here.push_back(as_it_is ? here.add(slots) : here.put(slots, &below));
      });
      if (level == dag_.depth())
        for (const SymVoxSlots& block : below.nodes()) result.blocks.push_back(block_of_slots(block));
      images = std::move(images_here);
      result.inner[level] = here.take_nodes();
      below = std::move(here);
    }
    return result;
  }

 private:
  SymVoxSlots slots_of_leaf(const uint32_t* leaf, MirroredLevel& blocks) const {
    const uint64_t mask = order_.leaf_mask(dag::leaf_mask(leaf));
    SymVoxSlots slots = {};
    for (uint32_t slot = 0; slot < 8; ++slot) {
      const auto voxels = static_cast<uint32_t>(mask >> 8 * slot & 0xff);
      if (voxels != 0) slots[slot] = slot_value(blocks.put(slots_of_block(voxels), nullptr));
    }
    return slots;
  }

  SymVoxSlots slots_of_node(const uint32_t* node, const std::vector<Image>& images) const {
    SymVoxSlots slots = {};
    const uint32_t* pointer = node + 1;
    for (uint32_t mask = dag::child_mask(*node); mask != 0; mask &= mask - 1, ++pointer)
      slots[order_.slot(static_cast<uint32_t>(lowest_bit(mask)))] = slot_value(images[*pointer]);
    return slots;
  }

  const dag::FrozenDag& dag_;
  const SlotOrder& order_;
  const SymVoxKind kind_;
  MirroredLevel blocks_;
};

}  // namespace

uint64_t SymVoxNodes::nodes() const {
  uint64_t sum = blocks.size();
  for (const auto& level : inner) sum += level.size();
  return sum;
}

uint64_t SymVoxNodes::inner_words() const {
  uint64_t words = 0;
  for (const auto& level : inner)
    for (const SymVoxSlots& slots : level) words += 9 - static_cast<uint64_t>(std::ranges::count(slots, 0u));
  return words;
}

SymVoxNodes symvox_nodes(const dag::FrozenDag& dag, const SlotOrder& order, SymVoxKind kind) {
  return Reduction(dag, order, kind).run();
}

namespace {

constexpr size_t kNodesInPiece = 1 << 16;

SymVoxHeader header_of(const dag::VoxelScene& scene, const std::filesystem::path& path) {
  SymVoxHeader head = {};
  const double side = scene.voxel_size.shortest() * scene.dag.side();
  const Vec3d min = turned_y_up(scene.origin, scene.up), max = min + Vec3d{side, side, side};
  for (uint32_t axis = 0; axis < 3; ++axis) {
    head.min[axis] = static_cast<float>(min[axis]);
    head.max[axis] = static_cast<float>(max[axis]);
    if (!std::isfinite(head.min[axis]) || !std::isfinite(head.max[axis]))
      throw Error("its place in the world needs more than the single precision of a SymVox file")
          .at(path.string());
  }
  head.root_side = static_cast<float>(side);
  head.levels = scene.dag.depth() + 2;
  return head;
}

// Returns the words at which the nodes of the file begin.
std::vector<std::vector<uint32_t>> places_of(const SymVoxNodes& nodes) {
  std::vector<std::vector<uint32_t>> places(nodes.inner.size() + 1);
  uint32_t word = 0;
  for (size_t level = 0; level < nodes.inner.size(); ++level)
    for (const SymVoxSlots& slots : nodes.inner[level]) {
      places[level].push_back(word++);
      for (const uint32_t slot : slots) word += slot != 0 ? 1 : 0;
    }
  for (size_t i = 0; i < nodes.blocks.size(); ++i) places.back().push_back(word++);
  return places;
}

void append_node(std::vector<uint32_t>& words, const SymVoxSlots& slots, const std::vector<uint32_t>& below) {
  uint32_t header = 0;
  for (uint32_t slot = 0; slot < 8; ++slot)
    if (slots[slot] != 0) header |= 1u << slot | mirror_bits(slots[slot] % 8, slot);
  words.push_back(header);
  for (uint32_t slot = 8; slot-- > 0;)
    if (slots[slot] != 0) words.push_back(below[slots[slot] / 8 - 1]);
}

std::vector<uint8_t> symvox_bytes(const std::vector<uint32_t>& words) {
  std::vector<uint8_t> bytes(words.size() * sizeof(uint32_t));
  if (!words.empty()) std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

void write_nodes(ExportFile& file, const SymVoxNodes& nodes) {
  const std::vector<std::vector<uint32_t>> places = places_of(nodes);
  for (size_t level = 0; level < nodes.inner.size(); ++level) {
    const std::vector<SymVoxSlots>& inner = nodes.inner[level];
    file.write_pieces((inner.size() + kNodesInPiece - 1) / kNodesInPiece, [&](uint64_t piece) {
      std::vector<uint32_t> words;
      for (size_t i = piece * kNodesInPiece; i < std::min(inner.size(), (piece + 1) * kNodesInPiece); ++i)
        append_node(words, inner[i], places[level + 1]);
      return symvox_bytes(words);
    });
  }
  file.write(symvox_bytes({nodes.blocks.begin(), nodes.blocks.end()}));
}

void write_symvox_file(const dag::VoxelScene& scene, const std::filesystem::path& path, SymVoxKind kind,
                       uint64_t memory_limit) {
  SymVoxHeader head = header_of(scene, path);
  SymVoxNodes nodes;
  if (scene.dag.empty()) {
    nodes.inner = {{SymVoxSlots{}}};  // a root without children
  } else if (scene.dag.materials) {
    // Nodes that differ only in materials become one node when the materials are removed.
    nodes = symvox_nodes(dag::without_materials(scene.dag, memory_limit), SlotOrder(scene.up), kind);
  } else {
    nodes = symvox_nodes(scene.dag, SlotOrder(scene.up), kind);
  }
  const uint64_t inner_words = nodes.inner_words(), words = inner_words + nodes.blocks.size();
  if (words > UINT32_MAX)
    throw Error(fmt::format("has {} words of nodes, but a file of SymVox has less than 2^32", words))
        .at(path.string())
        .hint(lower_resolution_hint())
        .about("resolution");
  head.nodes = static_cast<uint32_t>(nodes.nodes());
  head.first_leaf = static_cast<uint32_t>(inner_words);
  head.words = static_cast<uint32_t>(words);
  ExportFile file(path, sizeof(head) + words * sizeof(uint32_t));
  file.write(std::span(reinterpret_cast<const uint8_t*>(&head), sizeof(head)));
  write_nodes(file, nodes);
  file.commit();
  if (scene.dag.materials)
    log_warning("{}: materials are left out: SymVox stores only which voxels are filled", path.string());
}

}  // namespace

void write_symvox(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, SymVoxKind kind, uint64_t memory_limit) {
  const VoxelBox region = export_region(scene, clip, path);
  if (region == cube_at({0, 0, 0}, scene.dag.resolution))
    return write_symvox_file(scene, path, kind, memory_limit);
  write_symvox_file(dag::clipped_scene(scene, region), path, kind, memory_limit);
}

}  // namespace vox
