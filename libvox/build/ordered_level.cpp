#include "libvox/build/ordered_level.h"

#include <algorithm>
#include <utility>

#include "libvox/dag/paged_level.h"

namespace vox::build {

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
