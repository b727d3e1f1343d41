#include "libvox/build/build_scene.h"

#include <algorithm>
#include <utility>

#include "libvox/base/log.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/build/piece_plan.h"
#include "libvox/build/shared_store.h"
#include "libvox/dag/verify.h"

namespace vox::build {
namespace {

// A free rank takes this part of the pieces at most, so that all ranks finish together.
constexpr uint32_t kPortionsPerRank = 16;
// For builds that are kept. Portions are smaller because those under way when a build is ended are lost, and because a
// later build may have more ranks.
constexpr uint32_t kKeptPortionsPerRank = 64, kLeastKeptPortions = 256;
// The memory of a spilled build decides how many pieces are taken at once, so they are small.
constexpr uint32_t kSpilledPieces = 1 << 14;

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
KeptBuild agreed(ranks::Ranks& ranks, RoundKeeper& keeper, uint32_t pieces) {
  std::vector<uint64_t> words;
  if (ranks.rank() == 0) words = flat(keeper.begin(pieces));
  uint64_t size = words.size();
  ranks.broadcast(&size, sizeof size);
  words.resize(size);
  ranks.broadcast(words.data(), size * sizeof(uint64_t));
  return unflat(words);
}

}  // namespace

PiecePlan::PiecePlan(ranks::Ranks& ranks, const BuildManner& manner) : ranks_(ranks), keeper_(manner.keeper) {
  const uint32_t count = ranks.count();
  if (keeper_ != nullptr) {
    portions_ = std::max(kLeastKeptPortions, kKeptPortionsPerRank * count);
  } else if (count > 1 || !manner.spill) {
    portions_ = kPortionsPerRank * count;
  } else {
    portions_ = 1;
  }
  pieces_ = portions_;
  if (manner.spill)
    pieces_ = manner.spill->pieces > 0 ? manner.spill->pieces : std::max(kSpilledPieces, portions_);
}

void PiecePlan::begin() {
  KeptBuild build = {.pieces = pieces_, .rounds = {}};
  if (keeper_ != nullptr) build = agreed(ranks_, *keeper_, pieces_);
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

Round PiecePlan::load_next(const RoundForm& form) {
  return keeper_->load(kept_[next_kept_++], form);
}

void PiecePlan::start_round() {
  taken_.clear();
  watch_ = Stopwatch();
}

void PiecePlan::take(uint64_t count) {
  const uint64_t all = open_.size(), begin = std::min(ranks_.take(count), all),
                 end = std::min(begin + count, all);
  own_.assign(open_.begin() + static_cast<ptrdiff_t>(begin), open_.begin() + static_cast<ptrdiff_t>(end));
  all_taken_ = end == all;
}

std::optional<voxelize::Piece> PiecePlan::next(std::span<const uint32_t> pair_starts, uint64_t pairs) {
  const uint64_t all = std::max(pair_starts.back(), 1u);
  const uint64_t most =
      std::clamp<uint64_t>(std::min(pairs, all) * pieces_ / all, 1, std::max(pieces_ / portions_, 1u));
  if (own_.empty()) take(most);
  if (own_.empty()) return std::nullopt;
  size_t count = 1;  // of pieces that follow each other
  while (count < std::min<size_t>(most, own_.size()) && own_[count] == own_[0] + count) ++count;
  const auto end = own_.begin() + static_cast<ptrdiff_t>(count);
  const auto at = [&](uint64_t i) {
    const auto found = std::ranges::lower_bound(pair_starts, uint64_t{pair_starts.back()} * i / pieces_);
    return static_cast<size_t>(found - pair_starts.begin());
  };
  const voxelize::Piece run = {at(own_[0]), at(own_[0] + count)};
  taken_.insert(taken_.end(), own_.begin(), end);
  own_.erase(own_.begin(), end);
  return run;
}

void PiecePlan::keep(const Round& round) {
  std::ranges::sort(taken_);
  keeper_->keep(round, taken_);
  taken_.clear();
}

TopLevel parents_of(const std::vector<dag::TopNode>& children, ChildNames names) {
  dag::NodesAbove above = dag::nodes_above(children);
  TopLevel level;
  std::vector<uint64_t> offsets = {0};
  for (const uint32_t header : above.headers) {
    level.sizes.push_back(
        static_cast<uint8_t>(names == ChildNames::Owners ? spread_words(header) : dag::node_words(header)));
    offsets.push_back(offsets.back() + level.sizes.back());
  }
  level.words.resize(offsets.back());
  parallel_for(size_t{0}, above.nodes.size(), [&](size_t i) {
    const dag::TopNode* first = children.data() + above.starts[i];
    uint32_t* words = &level.words[offsets[i]];
    if (names == ChildNames::Owners)
      return write_spread_node(words, above.headers[i], [first](uint32_t c) { return first[c].id; });
    words[0] = above.headers[i];
    for (uint32_t w = 1; w < level.sizes[i]; ++w) words[w] = static_cast<uint32_t>(first[w - 1].id);
  });
  level.nodes = std::move(above.nodes);
  return level;
}

BuildFigures& BuildFigures::operator+=(const BuildFigures& more) {
  for (const auto seconds :
       {&BuildFigures::voxelize_seconds, &BuildFigures::build_seconds, &BuildFigures::spill_seconds,
        &BuildFigures::keep_seconds, &BuildFigures::merge_seconds, &BuildFigures::order_seconds})
    this->*seconds += more.*seconds;
  for (const auto count : {&BuildFigures::rounds, &BuildFigures::nodes, &BuildFigures::bytes,
                           &BuildFigures::items_kept, &BuildFigures::items_given})
    this->*count += more.*count;
  return *this;
}

void log_share(const SceneShare& share, const ranks::Ranks& ranks, const std::string& device) {
  const BuildFigures& figures = share.figures;
  const ranks::Traffic traffic = ranks.traffic();
  log_debug(
      "rank {} on {}: voxelize {:.2f} s, build {:.2f} s, spill {:.2f} s, keep {:.2f} s, merge {:.2f} s, "
      "order {:.2f} s, of these waiting {:.2f} s; {} items kept, {} given away; {} sent, {} received",
      ranks.rank(), device, figures.voxelize_seconds, figures.build_seconds, figures.spill_seconds,
      figures.keep_seconds, figures.merge_seconds, figures.order_seconds, traffic.waited,
      format_count(figures.items_kept), format_count(figures.items_given), format_bytes(traffic.sent),
      format_bytes(traffic.received));
}

voxelize::BuildResult joined(ranks::Ranks& ranks, SceneShare share) {
  if (!share.part) return std::move(share.whole);
  const Stopwatch watch;
  dag::FrozenDag& dag = share.whole.dag;
  for (size_t level = 0; level < dag.levels.size(); ++level) {
    throw_if_cancelled();
    dag.levels[level].words = brought_to_first(ranks, share.part->levels[level].words);
    share.part->levels[level].words = {};
  }
  if (ranks.rank() == 0) dag::place_nodes(dag);
  share.whole.build_seconds += watch.seconds();
  share.whole.freeze_seconds += watch.seconds();
  return std::move(share.whole);
}

dag::DagPart take_part(SceneShare& share, const ranks::Ranks& ranks) {
  if (share.part) return std::move(*share.part);
  dag::DagPart part;
  for (dag::DagLevel& level : share.whole.dag.levels) {
    const uint64_t first = ranks.rank() == 0 ? 0 : level.nodes;
    part.levels.push_back({std::move(level.words), first, level.nodes - first});
    level.words = {};
    level.places = {};
  }
  return part;
}

}  // namespace vox::build
