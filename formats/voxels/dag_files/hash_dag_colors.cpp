#include "formats/voxels/dag_files/hash_dag_colors.h"

#include <cstring>

namespace vox {
namespace {

constexpr uint64_t kColorPieceVoxels = 1 << 16;

uint32_t color_word(scene::Rgb8 color) {
  return 0xff000000 | uint32_t{color.b} << 16 | uint32_t{color.g} << 8 | color.r;
}

}  // namespace

HashDagColors::HashDagColors(const dag::VoxelScene& scene, const SlotOrder& order)
    : dag_(scene.dag), order_(order), nodes_(check_structure(scene.dag)), voxels_(scene.dag, nodes_) {
  for (uint32_t i = 0; i < colors_.size(); ++i) colors_[i] = color_word(scene.palette.colors[i]);
  cut({0, 0});
}

template <class Body>
void HashDagColors::for_each_child(Piece node, Body body) const {
  const uint32_t* words = &dag_.levels[node.level].words[node.offset];
  for (uint32_t slots = order_.mask_of_slots(dag::child_mask(*words)); slots != 0; slots &= slots - 1) {
    const uint32_t octant = order_.octant(static_cast<uint32_t>(lowest_bit(slots)));
    body(Piece{node.level + 1, words[dag::child_word(*words, octant)]});
  }
}

void HashDagColors::cut(Piece node) {
  if (node.level == dag_.depth() || voxels_.at(node.level, node.offset) <= kColorPieceVoxels)
    return pieces_.push_back(node);
  for_each_child(node, [&](Piece child) { cut(child); });
}

std::vector<uint8_t> HashDagColors::piece(uint64_t i) const {
  const Piece node = pieces_[i];
  std::vector<uint8_t> bytes(voxels_.at(node.level, node.offset) * sizeof(uint32_t));
  put_node(node, bytes.data());
  return bytes;
}

uint8_t* HashDagColors::put_node(Piece node, uint8_t* to) const {
  const uint32_t* words = &dag_.levels[node.level].words[node.offset];
  if (node.level == dag_.depth()) return put_leaf(words, to);
  for_each_child(node, [&](Piece child) { to = put_node(child, to); });
  return to;
}

uint8_t* HashDagColors::put_leaf(const uint32_t* leaf, uint8_t* to) const {
  for (uint64_t bits = order_.leaf_mask(dag::leaf_mask(leaf)); bits != 0;
       bits &= bits - 1, to += sizeof(uint32_t)) {
    const uint32_t voxel = order_.voxel(static_cast<uint32_t>(lowest_bit(bits)));
    std::memcpy(to, &colors_[dag::leaf_material(leaf, voxel)], sizeof(uint32_t));
  }
  return to;
}

}  // namespace vox
