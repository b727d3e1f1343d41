#include "libvox/dag/derived_dag.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/concurrent_vector.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <numeric>
#include <utility>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/dag/node.h"
#include "libvox/dag/paged_level.h"
#include "libvox/dag/verify.h"

namespace vox::dag {
namespace {

constexpr uint64_t kPart = 4096;  // items that one thread lists
constexpr uint64_t kItemBytes =
    hash::kMaxItemWords * sizeof(uint32_t) + sizeof(uint8_t) + sizeof(uint64_t) + 2 * sizeof(uint32_t);

// Slots stand in the order of the hashes' upper halves, so that those of a larger table do, too.
uint64_t first_slot(uint64_t upper_hash, uint64_t slots) {
  return upper_hash * (slots / 4) >>
         30;  // tables of all nodes of a level have up to 2^33 slots, a multiple of 4
}

// Returns how many values n nodes will have made if `done` nodes have made `used`.
uint64_t expected(uint64_t used, uint64_t done, uint64_t n) {
  const double all = static_cast<double>(used) * static_cast<double>(n) / static_cast<double>(done);
  return std::max(used, static_cast<uint64_t>(all) + used / 16);
}

// The children to which the nodes of a range lead: the greatest one to which no child in the range leads up, and the end of all.
struct Visited {
  uint64_t first_node, jump = 0, end = 0;

  void visit(uint64_t child) {
    if (child > end) jump = std::max(jump, child);
    end = std::max(end, child + 1);
  }
};

// In canonical order, each pointer leads to a node that was visited before, or to the next one.
void check_order(std::vector<Visited> ranges, uint32_t level, uint64_t nodes_below) {
  std::ranges::sort(ranges, {}, &Visited::first_node);
  uint64_t end = 0;
  bool in_order = true;
  for (const Visited& range : ranges) {
    in_order = in_order && range.jump <= end;
    end = std::max(end, range.end);
  }
  if (!in_order || end != nodes_below)
    throw Error("the nodes of the next level are not in canonical order")
        .at(fmt::format("level {}", level))
        .hint("a verification of the scene says more");
}

}  // namespace

DerivedDag::DerivedDag(FrozenDag& result, uint64_t memory_limit)
    : result_(result), memory_limit_(memory_limit), level_(static_cast<uint32_t>(result.levels.size())) {}

void DerivedDag::add_levels_above(const FrozenDag& other) {
  while (level_ > 0) {
    const uint32_t level = level_ - 1;
    const DagLevel& from = other.levels[level];
    tbb::concurrent_vector<Visited> visited;
    add_level(from.places.nodes(), nodes_at_once(from), [&](const NodeNumbers& range, const auto& put) {
      Visited here = {range.begin()};
      for_each_in_order(
          from, range, [&](const uint32_t* node) { prefetch_children(node, numbers_.data()); },
          [&](uint64_t number, const uint32_t* node) {
            put(number, [&](uint32_t* words) {
              const uint32_t size = node_words(node[0]);
              for (uint32_t i = 1; i < size; ++i) {
                here.visit(node[i]);
                words[i] = numbers_[node[i]];
              }
              words[0] = header_above(child_mask(node[0]), words + 1);
              return size;
            });
          });
      visited.push_back(here);
    });
    check_order({visited.begin(), visited.end()}, level, other.levels[level + 1].places.nodes());
  }
}

uint32_t DerivedDag::header_above(uint32_t octants, const uint32_t* children) const {
  if (octants != 0xff || !std::all_of(children, children + 8, [&](uint32_t c) { return c == children[0]; }))
    return octants;
  const NodeKind kind = form_of(result_, level_).kind;
  const int material = homogeneous_content(result_.levels[level_].node(children[0]), kind, result_.materials);
  return material < 0 ? octants : homogeneous_header(static_cast<uint32_t>(material));
}

uint64_t DerivedDag::batch_nodes(uint64_t at_once) const {
  constexpr uint64_t kUsual = 1 << 19, kLeast = 1 << 12;
  const auto cores = static_cast<uint64_t>(tbb::this_task_arena::max_concurrency());
  const uint64_t most = std::max(kUsual, 2 * cores * at_once);
  return memory_limit_ == 0 ? most : std::clamp(memory_limit_ / 16 / kItemBytes, kLeast, most);
}

void DerivedDag::check_memory(uint64_t more) const {
  if (memory_limit_ == 0) return;
  uint64_t held = held_by_caller_ + table_.size() * sizeof(uint64_t) +
                  items_.size() / hash::kMaxItemWords * kItemBytes +
                  (numbers_.size() + made_.size() + used_words_) * sizeof(uint32_t) +
                  blocks_.size() * sizeof(PlacesBlock);
  for (const DagLevel& level : result_.levels)
    held += level.words.size() * sizeof(uint32_t) + level.places.blocks().size() * sizeof(PlacesBlock);
  if (held + more > memory_limit_) throw OutOfMemory(more, memory_limit_ - std::min(held, memory_limit_));
}

void DerivedDag::start_level(uint64_t n) {
  count_ = used_words_ = 0;
  check_memory(n * sizeof(uint32_t));
  made_.resize(n);
}

void DerivedDag::start_batch(uint64_t done, uint64_t n) {
  if (sizes_.size() < n) {
    check_memory(n * kItemBytes);
    items_.resize(n * hash::kMaxItemWords);
    sizes_.resize(n);
    slots_.resize(n);
    first_.resize(n);
    word_.resize(n);
  }
  const uint64_t most = count_ + n;
  if (most > table_.size() / 8 * 7)
    grow_table((std::max(most, done == 0 ? 0 : expected(count_, done, made_.size())) / 3 + n / 4 + 1) * 4);
}

void DerivedDag::grow_table(uint64_t slots) {
  check_memory(slots * sizeof(uint64_t));
  SpilledArray<uint64_t> grown({}, slots);
  uint64_t* const to = grown.append(slots).data();
  const tbb::blocked_range<uint64_t> all(0, slots, 1 << 16), old(0, table_.size(), 1 << 16);
  parallel_for(all, [&](const auto& range) { std::fill(to + range.begin(), to + range.end(), 0); });
  parallel_for(old, [&](const auto& range) {
    for (uint64_t i = range.begin(); i < range.end(); ++i) {
      const uint64_t value = table_.data()[i];
      if (value == 0) continue;
      uint64_t free = 0;
      for (uint64_t slot = first_slot(value >> 32, slots);
           !std::atomic_ref(to[slot]).compare_exchange_strong(free, value, std::memory_order_relaxed);
           slot = slot + 1 == slots ? 0 : slot + 1)
        free = 0;
    }
  });
  table_ = std::move(grown);
}

// The first words tell how many there are, so nothing is read behind a node that has fewer.
bool DerivedDag::equals(uint32_t value, const uint32_t* words, uint32_t size) const {
  const uint64_t number = uint64_t{value} - 1;
  const uint32_t* const other = number < count_ ? words_.data() + NodePlacesRef{blocks_.data()}[number]
                                                : items_.data() + (number - count_) * hash::kMaxItemWords;
  return hash::same_words(other, words, size);
}

// Any thread may call these for an item of the batch that has been written.
void DerivedDag::find_slot(uint64_t i) {
  slots_[i] = hash::hash_words(item(i), sizes_[i]) >> 32;
  prefetch_line(table_.data() + first_slot(slots_[i], table_.size()));
}

// Returns the number of the node to which the item's first slot leads, or count_ if that is none of an earlier batch, or
// one that is not equal.
uint64_t DerivedDag::number_in_slot(uint64_t i) const {
  const uint64_t value = std::atomic_ref(table_.data()[first_slot(slots_[i], table_.size())]).load();
  const uint64_t number = (value & UINT32_MAX) - 1;
  return value >> 32 == slots_[i] && number < count_ ? number : count_;
}

void DerivedDag::prefetch_place(uint64_t i) const {
  if (const uint64_t number = number_in_slot(i); number < count_)
    NodePlacesRef{blocks_.data()}.prefetch(number);
}

void DerivedDag::prefetch_words(uint64_t i) const {
  if (const uint64_t number = number_in_slot(i); number < count_)
    prefetch_line(words_.data() + NodePlacesRef{blocks_.data()}[number]);
}

void DerivedDag::claim_slot(uint64_t i) {
  const uint32_t* const words = item(i);
  const uint64_t upper_hash = slots_[i], slots = table_.size();
  const uint64_t own = upper_hash << 32 | (count_ + i + 1);
  for (uint64_t slot = first_slot(upper_hash, slots);; slot = slot + 1 == slots ? 0 : slot + 1) {
    slots_[i] = slot;
    const std::atomic_ref at(table_.data()[slot]);
    uint64_t seen = at.load(std::memory_order_acquire);
    if (seen == 0 && at.compare_exchange_strong(seen, own, std::memory_order_acq_rel)) return;
    if (seen >> 32 != upper_hash || !equals(static_cast<uint32_t>(seen), words, sizes_[i])) continue;
    while (own < seen && !at.compare_exchange_weak(seen, own, std::memory_order_acq_rel)) {
    }
    return;
  }
}

// Appends the items of the batch that are the first of equal ones, in order, and finds the numbers of all.
void DerivedDag::finish_batch(uint64_t begin, uint64_t n) {
  struct Sum {
    uint64_t items = 0, words = 0;
  };
  std::vector<Sum> before((n + kPart - 1) / kPart + 1);
  const auto for_each_first = [&](uint64_t part, const auto& body) {
    for (uint64_t i = part * kPart; i < std::min(n, (part + 1) * kPart); ++i)
      if (is_first(i)) body(i);
  };
  parallel_for(uint64_t{0}, before.size() - 1, [&](uint64_t part) {
    for_each_first(part, [&](uint64_t i) {
      ++before[part + 1].items;
      before[part + 1].words += sizes_[i];
    });
  });
  std::partial_sum(before.begin(), before.end(), before.begin(), [](const Sum& a, const Sum& b) {
    return Sum{a.items + b.items, a.words + b.words};
  });
  parallel_for(uint64_t{0}, before.size() - 1, [&](uint64_t part) {
    Sum at = before[part];
    for_each_first(part, [&](uint64_t i) {
      first_[at.items] = static_cast<uint32_t>(i);
      word_[at.items++] = static_cast<uint32_t>(at.words);
      at.words += sizes_[i];
    });
  });
  const uint64_t end = count_ + before.back().items;
  make_room(end, used_words_ + before.back().words, begin + n);
  constexpr uint64_t kNodes = PlacesBlock::kNodes;  // the places of a block are put in order
  parallel_for(count_ / kNodes, (end + kNodes - 1) / kNodes, [&](uint64_t block) {
    for (uint64_t number = std::max(count_, block * kNodes); number < std::min(end, (block + 1) * kNodes);
         ++number) {
      const uint64_t i = first_[number - count_], at = used_words_ + word_[number - count_];
      put_place(blocks_, number, at);
      std::copy_n(item(i), sizes_[i], words_.data() + at);
      uint64_t& slot = table_.data()[slots_[i]];
      slot = slot >> 32 << 32 | (number + 1);
    }
  });
  count_ = end;
  used_words_ += before.back().words;
  parallel_for(tbb::blocked_range<uint64_t>(0, n, kPart), [&](const auto& range) {
    for (uint64_t i = range.begin(); i < range.end(); ++i)
      made_[begin + i] = static_cast<uint32_t>(table_.data()[slots_[i]]) - 1;
  });
}

void DerivedDag::make_room(uint64_t items, uint64_t words, uint64_t done) {
  check_memory((words - used_words_) * sizeof(uint32_t));
  const uint64_t n = made_.size();
  if (words > words_.capacity()) words_.reserve(expected(words, done, n));
  if (const uint64_t blocks = NodePlaces::blocks_for(items); blocks > blocks_.capacity())
    blocks_.reserve(expected(blocks, done, n));
  words_.resize(words);
  blocks_.resize(NodePlaces::blocks_for(items));
}

void DerivedDag::finish_level() {
  put_place(blocks_, count_, used_words_);
  result_.levels[--level_] = {
      .words = std::move(words_), .nodes = count_, .places = {std::move(blocks_), count_}};
  words_ = {};
  blocks_ = {};
  table_ = {};
  numbers_ = std::move(made_);
}

}  // namespace vox::dag
