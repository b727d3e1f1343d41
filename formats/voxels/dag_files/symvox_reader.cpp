#include "formats/voxels/dag_files/symvox.h"

#include <fmt/format.h>

#include <cmath>

#include "formats/io/read_file.h"
#include "formats/io/values.h"
#include "formats/voxels/dag_files/file_nodes.h"
#include "formats/voxels/voxel_file.h"

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

}  // namespace vox
