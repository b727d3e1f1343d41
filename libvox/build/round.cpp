#include "libvox/build/round.h"

#include <algorithm>
#include <utility>

#include "libvox/dag/node.h"
#include "libvox/dag/paged_level.h"
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

OrderedLevel::OrderedLevel(const ResultPlace& place, const dag::LevelForm& form, uint64_t nodes,
                           uint64_t words)
    : place_(place), form_(form), nodes_(nodes), all_words_(words) {
  if (place.budget) {
    file_ = {place.place, words};
  } else {
    words_.resize(words);
    blocks_.resize(dag::NodePlaces::blocks_for(nodes));
  }
}

std::span<uint32_t> OrderedLevel::append_words(uint64_t n) {
  const uint64_t first = std::exchange(used_, used_ + n);
  if (!place_.budget) return std::span(words_).subspan(first, n);
  file_.rest();
  return file_.append(n);
}

void OrderedLevel::add_places(std::span<const dag::PlacesBlock> blocks) {
  constexpr uint64_t kBlocksBetween = dag::kStartEvery / dag::PlacesBlock::kNodes;
  static_assert(dag::kStartEvery % dag::PlacesBlock::kNodes == 0);
  const uint64_t first = std::exchange(blocks_used_, blocks_used_ + blocks.size());
  if (!place_.budget) {
    std::ranges::copy(blocks, blocks_.begin() + static_cast<ptrdiff_t>(first));
    return;
  }
  for (uint64_t i = 0; i < blocks.size(); ++i)
    if ((first + i) % kBlocksBetween == 0 && (first + i) * dag::PlacesBlock::kNodes < nodes_)
      starts_.push_back(blocks[i].first);
}

dag::DagLevel OrderedLevel::finish(uint64_t nodes_below) {
  if (!place_.budget)
    return {.words = std::move(words_), .nodes = nodes_, .places = {std::move(blocks_), nodes_}};
  file_.rest();
  const auto file = std::make_shared<const SpilledArray<uint32_t>>(std::move(file_));
  return dag::paged_level({.where = "the scene in " + place_.place.folder()->string(),
                           .form = form_,
                           .words = all_words_,
                           .nodes = nodes_,
                           .nodes_below = nodes_below,
                           .starts = std::move(starts_),
                           .piece_words = uint64_t{1} << 18,
                           .read = [file](uint64_t first, std::span<uint32_t> to) { file->read(first, to); }},
                          place_.budget);
}

}  // namespace vox::build
