#include "formats/voxels/dag_files/dag_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>

#include "formats/voxels/export.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/dag/derived.h"
#include "libvox/dag/walk.h"

namespace vox {
namespace {

constexpr uint64_t kMostBelow = (1 << 24) - 1;         // the most voxels that a node's header can state
constexpr uint64_t kMostTopNodes = uint64_t{1} << 24;  // the most numbers of top nodes that a header can hold
constexpr uint64_t kMostWords = uint64_t{1} << 32;
constexpr uint64_t kPieceNodes = 1 << 16;
constexpr uint32_t kLoneColor = 0xffffffff;

template <class T>
std::span<const uint8_t> bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)};
}

template <class T>
void append(std::vector<uint8_t>& bytes, const T& value) {
  const auto* begin = reinterpret_cast<const uint8_t*>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof(T));
}

// The nodes of a DAG without materials, one level after another. A node has as many words as in the file.
class HashDagNodes {
 public:
  HashDagNodes(const dag::FrozenDag& dag, const SlotOrder& order, const std::filesystem::path& path)
      : dag_(dag), order_(order), voxels_(dag) {
    for (const dag::DagLevel& level : dag.levels) {
      first_words_.push_back(words_);
      words_ += level.words.size();
    }
    top_levels_ = count_top_levels();
    uint64_t top_nodes = 0;
    for (uint32_t level = 0; level < top_levels_; ++level) {
      first_top_nodes_.push_back(top_nodes);
      top_nodes += dag.levels[level].places.nodes();
    }
    if (words_ > kMostWords || top_nodes > kMostTopNodes)
      throw Error(
          words_ > kMostWords
              ? fmt::format("has {} words of nodes, but a file of HashDAG has at most 2^32", words_)
              : fmt::format("has {} nodes with 2^24 voxels or more, or above such nodes, but a file of "
                            "HashDAG has at most 2^24",
                            top_nodes))
          .at(path.string())
          .hint(lower_resolution_hint())
          .about("resolution");
    enclosed_.resize(top_nodes);
    for (uint32_t level = 0; level < top_levels_; ++level)
      dag::parallel_for_each(dag.levels[level], [&](uint64_t number, const uint32_t*) {
        enclosed_[first_top_nodes_[level] + number] = voxels_.voxels(level, number);
      });
  }

  uint64_t words() const { return words_; }
  uint32_t top_levels() const { return top_levels_; }
  const std::vector<uint64_t>& enclosed() const { return enclosed_; }

  void write(ExportFile& file) {
    for (uint32_t level = 0; level < dag_.levels.size(); ++level) {
      const uint64_t nodes = dag_.levels[level].places.nodes();
      file.write_pieces((nodes + kPieceNodes - 1) / kPieceNodes, [&](uint64_t piece) {
        const uint64_t begin = piece * kPieceNodes;
        std::vector<uint8_t> bytes = make_piece(level, {begin, std::min(begin + kPieceNodes, nodes)});
        const uint64_t first = first_words_[level] + dag_.levels[level].places[begin];
        sum_.fetch_add(sum_of_words(std::as_bytes(std::span(bytes)), first), std::memory_order_relaxed);
        return bytes;
      });
    }
  }
  uint64_t sum() const { return sum_; }  // sum_of_words() of all words that write() has written

 private:
  // Returns the number of top levels: down to the last level with a node whose header cannot state its number
  // of voxels, and at least the root's, because HashDAG does not open a file without top levels. A leaf has
  // no header.
  uint32_t count_top_levels() const {
    for (uint32_t level = dag_.depth(); level-- > 1;) {
      std::atomic<bool> fits = true;
      dag::parallel_for_each(dag_.levels[level], [&](uint64_t number, const uint32_t*) {
        if (voxels_.voxels(level, number) > kMostBelow) fits.store(false, std::memory_order_relaxed);
      });
      if (!fits) return level + 1;
    }
    return std::min(dag_.depth(), 1u);
  }

  std::vector<uint8_t> make_piece(uint32_t level, const dag::NodeNumbers& numbers) const {
    std::vector<uint8_t> bytes;
    dag::for_each_in(dag_.levels[level], numbers, [&](uint64_t number, const uint32_t* node) {
      if (level == dag_.depth()) return append(bytes, order_.leaf_mask(dag::leaf_mask(node)));
      const uint64_t in_header =
          level < top_levels_ ? first_top_nodes_[level] + number : voxels_.voxels(level, number);
      uint32_t slots = order_.mask_of_slots(dag::child_mask(*node));
      append(bytes, slots | static_cast<uint32_t>(in_header) << 8);
      for (; slots != 0; slots &= slots - 1) {
        const uint32_t octant = order_.octant(static_cast<uint32_t>(lowest_bit(slots)));
        const uint64_t child = dag_.levels[level + 1].places[node[dag::child_word(*node, octant)]];
        append(bytes, static_cast<uint32_t>(first_words_[level + 1] + child));
      }
    });
    return bytes;
  }

  const dag::FrozenDag& dag_;
  const SlotOrder& order_;
  const dag::VoxelNumbers voxels_;
  std::vector<uint64_t> first_words_, first_top_nodes_;  // for each level
  uint64_t words_ = 0;
  uint32_t top_levels_ = 0;
  std::atomic<uint64_t> sum_ = 0;
  std::vector<uint64_t> enclosed_;  // the number of voxels below each node of the top levels
};

std::vector<uint8_t> nodes_header(const dag::VoxelScene& scene, uint64_t words) {
  std::vector<uint8_t> bytes;
  const double side = scene.voxel_size.shortest() * scene.dag.side();
  const Vec3d min = turned_y_up(scene.origin, scene.up), max = min + Vec3d{side, side, side};
  for (const double value : {min.x, min.y, min.z, max.x, max.y, max.z}) append(bytes, value);
  append(bytes, scene.dag.depth() + kHashDagLeafLevels);
  append(bytes, words);
  return bytes;
}

void write_colors_file(ExportFile& file, const dag::VoxelScene& scene, const SlotOrder& order,
                       uint32_t top_levels, const std::vector<uint64_t>& enclosed) {
  std::optional<HashDagColors> colors;
  if ((scene.dag.materials || scene.colors) && !scene.dag.empty()) colors.emplace(scene, order);
  std::vector<uint8_t> head;
  append(head, top_levels);
  append(head, uint64_t{enclosed.size()});
  file.write(head);
  file.write(bytes_of(enclosed));
  head.clear();
  append(head, colors ? colors->voxels() : uint64_t{1});
  if (!colors) append(head, kLoneColor);
  file.write(head);
  if (colors) file.write_pieces(colors->pieces(), [&](uint64_t i) { return colors->piece(i); });
}

void write_files(const dag::VoxelScene& scene, const std::filesystem::path& path, uint64_t memory_limit) {
  const SlotOrder order(scene.up);
  const std::filesystem::path colors_path = hash_dag_colors_path(path);
  // If the scene has no materials, its own DAG is used and not copied.
  std::optional<dag::FrozenDag> made;
  if (scene.dag.materials) made = dag::without_materials(scene.dag, memory_limit);
  const dag::FrozenDag& geometry = made ? *made : scene.dag;
  // A scene without voxels is written as a root without children, or as an empty leaf.
  const std::vector<uint32_t> empty_root(geometry.depth() == 0 ? 2 : 1);
  std::optional<HashDagNodes> nodes;
  if (!geometry.empty()) nodes.emplace(geometry, order, path);
  const uint64_t words = nodes ? nodes->words() : empty_root.size();

  ExportFile file(path, kHashDagHeaderBytes + words * sizeof(uint32_t), Writers::One);
  ExportFile colors(colors_path,
                    scene.dag.materials || scene.colors ? scene.dag.voxels * sizeof(uint32_t) : 0,
                    Writers::One);
  file.write(nodes_header(scene, words));
  if (nodes) {
    nodes->write(file);
  } else {
    file.write(bytes_of(empty_root));
  }
  std::vector<uint64_t> enclosed =
      nodes && !nodes->enclosed().empty() ? nodes->enclosed() : std::vector<uint64_t>{0};
  enclosed.push_back(kHashDagPair);
  enclosed.push_back(nodes ? nodes->sum() : sum_of_words(std::as_bytes(std::span(empty_root)), 0));
  write_colors_file(colors, scene, order, nodes ? nodes->top_levels() : 1, enclosed);
  // The nodes are committed last, so that nodes in place have their colors.
  file.commit_behind(colors);
  log_info("{}: {} levels, the colors in {}", path.string(), geometry.depth() + kHashDagLeafLevels,
           colors_path.filename().string());
}

}  // namespace

void write_hash_dag(const dag::VoxelScene& scene, const std::filesystem::path& path,
                    const std::optional<VoxelBox>& clip, uint64_t memory_limit) {
  const VoxelBox region = export_region(scene, clip, path);
  if (region == cube_at({0, 0, 0}, scene.dag.resolution)) return write_files(scene, path, memory_limit);
  write_files(dag::clipped_scene(scene, region), path, memory_limit);
}

namespace {

constexpr uint64_t kColorPieceVoxels = 1 << 16;

uint32_t color_word(scene::Rgb8 color) {
  return 0xff000000 | uint32_t{color.b} << 16 | uint32_t{color.g} << 8 | color.r;
}

}  // namespace

HashDagColors::HashDagColors(const dag::VoxelScene& scene, const SlotOrder& order)
    : dag_(scene.dag), order_(order), voxels_(scene.dag), apart_(scene.colors ? &*scene.colors : nullptr) {
  for (uint32_t i = 0; i < colors_.size(); ++i) colors_[i] = color_word(scene.palette.colors[i]);
  cut({0, 0, 0});
}

template <class Body>
void HashDagColors::for_each_child(Piece node, Body body) const {
  const uint32_t* words = dag_.levels[node.level].node(node.number);
  for (uint32_t slots = order_.mask_of_slots(dag::child_mask(*words)); slots != 0; slots &= slots - 1) {
    const uint32_t octant = order_.octant(static_cast<uint32_t>(lowest_bit(slots)));
    const uint32_t word = dag::child_word(*words, octant);
    body(Piece{node.level + 1, words[word], node.first + voxels_.before(node.level, node.number, word)});
  }
}

void HashDagColors::cut(Piece node) {
  if (node.level == dag_.depth() || voxels_.voxels(node.level, node.number) <= kColorPieceVoxels)
    return pieces_.push_back(node);
  for_each_child(node, [&](Piece child) { cut(child); });
}

std::vector<uint8_t> HashDagColors::piece(uint64_t i) const {
  const Piece node = pieces_[i];
  std::vector<uint8_t> bytes(voxels_.voxels(node.level, node.number) * sizeof(uint32_t));
  put_node(node, bytes.data());
  return bytes;
}

uint8_t* HashDagColors::put_node(Piece node, uint8_t* to) const {
  const uint32_t* words = dag_.levels[node.level].node(node.number);
  if (node.level == dag_.depth()) return put_leaf(words, node.first, to);
  for_each_child(node, [&](Piece child) { to = put_node(child, to); });
  return to;
}

uint8_t* HashDagColors::put_leaf(const uint32_t* leaf, uint64_t first, uint8_t* to) const {
  const uint64_t mask = dag::leaf_mask(leaf);
  for (uint64_t bits = order_.leaf_mask(mask); bits != 0; bits &= bits - 1, to += sizeof(uint32_t)) {
    const uint32_t voxel = order_.voxel(static_cast<uint32_t>(lowest_bit(bits)));
    uint32_t color = 0;
    if (apart_ != nullptr) {
      const auto rank = static_cast<uint64_t>(popcount(mask & ((uint64_t{1} << voxel) - 1)));
      color = color_word(scene::unpacked_color((*apart_)[first + rank]));
    } else {
      color = colors_[dag::leaf_material(leaf, voxel)];
    }
    std::memcpy(to, &color, sizeof(uint32_t));
  }
  return to;
}

}  // namespace vox
