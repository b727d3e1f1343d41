#include "libvox/ranks/piece_plan.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>

#include "libvox/ranks/shared_store.h"

namespace vox::ranks {
namespace {

// Small enough that ranks finish together, and large enough to keep a device busy.
constexpr uint32_t kPiecesPerRank = 16;
// For builds that are kept. There are more pieces because those under way when a build is ended are lost, and
// because a later build may have more ranks.
constexpr uint32_t kKeptPiecesPerRank = 64, kLeastKeptPieces = 256;

// Writes a KeptBuild as words: the number of pieces, then for each round its number of pieces and these.
std::vector<uint64_t> flat(const KeptBuild& build) {
  std::vector<uint64_t> words = {build.pieces};
  for (const Pieces& round : build.rounds) {
    words.push_back(round.size());
    words.insert(words.end(), round.begin(), round.end());
  }
  return words;
}

KeptBuild unflat(const std::vector<uint64_t>& words) {
  KeptBuild build = {.pieces = static_cast<uint32_t>(words[0]), .rounds = {}};
  for (size_t at = 1; at < words.size();) {
    Pieces& round = build.rounds.emplace_back();
    const size_t end = at + 1 + words[at];
    for (++at; at < end; ++at) round.push_back(static_cast<uint32_t>(words[at]));
  }
  return build;
}

// Collective. Returns on all ranks what rank 0's keeper has found.
KeptBuild agreed(Ranks& ranks, RoundKeeper& keeper, uint32_t pieces) {
  std::vector<uint64_t> words;
  if (ranks.rank() == 0) words = flat(keeper.begin(pieces));
  uint64_t size = words.size();
  ranks.broadcast(&size, sizeof size);
  words.resize(size);
  ranks.broadcast(words.data(), size * sizeof(uint64_t));
  return unflat(words);
}

}  // namespace

void PiecePlan::begin() {
  const uint32_t ranks = ranks_.count();
  KeptBuild build = {.pieces = kPiecesPerRank * ranks, .rounds = {}};
  if (keeper_ != nullptr)
    build = agreed(ranks_, *keeper_, std::max(kLeastKeptPieces, kKeptPiecesPerRank * ranks));
  pieces_ = build.pieces;
  goes_on_ = !build.rounds.empty();
  std::vector<bool> is_kept(pieces_);
  for (size_t i = 0; i < build.rounds.size(); ++i) {
    for (const uint32_t piece : build.rounds[i]) is_kept[piece] = true;
    if (i % ranks_.count() == ranks_.rank()) kept_.push_back(std::move(build.rounds[i]));
  }
  for (uint32_t piece = 0; piece < pieces_; ++piece)
    if (!is_kept[piece]) open_.push_back(piece);
}

rounds::Round PiecePlan::load_next(const rounds::RoundForm& form) {
  return keeper_->load(kept_[next_kept_++], form);
}

void PiecePlan::start_round() {
  taken_.clear();
  watch_ = Stopwatch();
}

std::optional<voxelize::Piece> PiecePlan::next(std::span<const uint32_t> pair_starts) {
  const uint64_t number = ranks_.take();
  if (number >= open_.size()) return std::nullopt;
  const uint32_t piece = open_[number];
  taken_.push_back(piece);
  const auto at = [&](uint64_t i) {
    const auto found = std::ranges::lower_bound(pair_starts, uint64_t{pair_starts.back()} * i / pieces_);
    return static_cast<size_t>(found - pair_starts.begin());
  };
  return voxelize::Piece{at(piece), at(piece + 1)};
}

void PiecePlan::keep(const rounds::Round& round) {
  std::ranges::sort(taken_);
  keeper_->keep(round, taken_);
  taken_.clear();
}

TopLevel parents_of(const std::vector<TopNode>& children) {
  dag::NodesAbove above = dag::nodes_above(children);
  TopLevel level;
  level.offsets = {0};
  for (const uint32_t header : above.headers)
    level.offsets.push_back(level.offsets.back() + spread_words(header));
  level.words.resize(level.offsets.back());
  tbb::parallel_for(size_t{0}, above.nodes.size(), [&](size_t i) {
    const TopNode* first = children.data() + above.starts[i];
    write_spread_node(&level.words[level.offsets[i]], above.headers[i],
                      [first](uint32_t c) { return first[c].id; });
  });
  level.nodes = std::move(above.nodes);
  return level;
}

}  // namespace vox::ranks
