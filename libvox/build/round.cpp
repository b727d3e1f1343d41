#include "libvox/build/round.h"

#include "libvox/dag/node.h"
#include "libvox/scene/palette.h"

namespace vox::build {
namespace {

template <class T>
SpilledArray<T> copied(const SpilledArray<T>& from, const SpillPlace& place) {
  SpilledArray<T> to(place, from.size());
  std::ranges::copy(from.values(), to.append(from.size()).begin());
  to.rest();
  return to;
}

}  // namespace

void move_levels(Round& round, const SpillPlace& place) {
  for (RoundLevel& level : round.levels) level = {copied(level.words, place), copied(level.sizes, place)};
}

namespace {

// True if the nodes of a level are what their words say. `below` is the number of nodes of the next level, 0
// for leaves.
bool is_sound(const RoundLevel& level, dag::NodeKind kind, bool materials, uint64_t below) {
  const std::span<const uint32_t> words = level.words.values();
  uint64_t at = 0;
  for (const uint8_t size : level.sizes.values()) {
    if (size < hash::kMinItemWords || size > words.size() - at) return false;
    const uint32_t* node = &words[at];
    if (dag::words_of(node, kind, materials) != size) return false;
    if (kind == dag::NodeKind::Leaf) {
      if (dag::leaf_mask(node) == 0) return false;
    } else {
      if ((node[0] & ~dag::kHeaderBits) != 0) return false;
      for (uint32_t word = 1; word < size; ++word)
        if (node[word] >= below) return false;
    }
    at += size;
  }
  return at == words.size();
}

// True if each place has at most one node and each root's material exists.
bool are_sound(std::span<const RoundRoot> roots, uint64_t nodes, uint32_t level) {
  std::vector<uint64_t> codes;
  for (const RoundRoot& root : roots) {
    if (root.number >= nodes || root.code >> 3 * level != 0) return false;
    if (root.material < -1 || root.material >= static_cast<int32_t>(scene::kPaletteSize)) return false;
    codes.push_back(root.code);
  }
  std::ranges::sort(codes);
  return std::ranges::adjacent_find(codes) == codes.end();
}

}  // namespace

bool holds_together(const Round& round, const RoundForm& form) {
  const size_t levels = round.levels.size();
  if (round.result.dag.levels.size() != form.dag_levels) return false;
  if (levels == 0 || round.level + levels != form.dag_levels) return false;
  for (size_t l = 0; l < levels; ++l) {
    const bool is_leaf = l + 1 == levels;
    if (!is_sound(round.levels[l], is_leaf ? dag::NodeKind::Leaf : dag::NodeKind::Inner, form.materials,
                  is_leaf ? 0 : round.levels[l + 1].nodes()))
      return false;
  }
  return are_sound(round.roots, round.levels[0].nodes(), round.level);
}

}  // namespace vox::build
