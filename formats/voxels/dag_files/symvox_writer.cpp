#include "formats/voxels/dag_files/symvox_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "formats/voxels/dag_files/symvox_nodes.h"
#include "formats/voxels/export_file.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/dag/clip.h"
#include "libvox/dag/without_materials.h"
#include "libvox/device/cpu_device.h"

namespace vox {
namespace {

constexpr size_t kNodesInPiece = 1 << 16;

SymVoxHeader header_of(const dag::VoxelScene& scene, const std::filesystem::path& path) {
  SymVoxHeader head = {};
  const double side = scene.voxel_size * scene.dag.side();
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
    device::CpuDevice device(memory_limit, false);
    nodes = symvox_nodes(dag::without_materials(device, scene.dag), SlotOrder(scene.up), kind);
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
