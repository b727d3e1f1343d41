// Brings merged levels into canonical order, level by level from the root down:
//
//   for each run of a level, in canonical order, as long as memory allows:
//     all nodes of the level that are left, piece by piece → those of the run go to their places
//                                                            those of later runs → back to the host (node_numbers.h)
//     the run's edges number the nodes of the next level, which they are the first to lead to
//     words with new numbers → the frozen DAG
//
// Nodes that nothing leads to get no number and are left out, such as nodes with which --solid might have
// filled space. The device needs 4 bytes for each node of the next level and 5 for each node of this one,
// besides the run and the piece.
#pragma once

#include "libvox/base/error.h"
#include "libvox/build/node_numbers.h"
#include "libvox/build/round.h"
#include "libvox/dag/freeze.h"
#include "libvox/dag/verify.h"
#include "libvox/device/device.h"

namespace vox::build {

struct OrderSizes {
  const uint8_t* sizes;
  const uint32_t* order;  // places in canonical order; UINT32_MAX if nothing leads to the node
  uint8_t* ordered;
  VOX_HD void operator()(uint64_t i) const {
    if (order[i] != UINT32_MAX) ordered[order[i]] = sizes[i];
  }
};

// Copies those nodes that belong to a run to their places in it.
struct PlaceInRun {
  const uint32_t* words;
  const uint32_t* offsets;
  const uint32_t* order;
  uint32_t first, count;  // the run's first node and number of nodes
  const uint32_t* run_offsets;
  uint32_t* run_words;
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t at = order[i] - first;
    // This also rejects a node before the run, because the difference wraps around. A level has fewer than
    // UINT32_MAX nodes, so a node without a place lies behind all runs.
    if (at >= count) return;
    const uint32_t* from = words + offsets[i];
    uint32_t* to = run_words + run_offsets[at];
    const uint32_t size = offsets[i + 1] - offsets[i];
    for (uint32_t w = 0; w < size; ++w) to[w] = from[w];
  }
};

// True for nodes of later runs.
struct LiesBehind {
  const uint32_t* order;
  uint64_t end;  // the end of the run
  VOX_HD bool operator()(uint64_t i) const { return order[i] >= end && order[i] != UINT32_MAX; }
};

// Some nodes of a run, and the marks of the nodes of the next level. A mark below `numbered` is the final
// number of its node. If an edge of these nodes is the first to lead to a node, the node's mark is
// `numbered` + the least such edge. All other marks are UINT32_MAX.
struct RunEdges {
  uint32_t* words;
  const uint32_t* offsets;  // where these nodes begin among the run's words
  uint32_t* marks;
  uint32_t numbered;

  // The number of edges of the nodes before this one: all their words except the headers.
  VOX_HD uint32_t first_edge(uint64_t i) const { return offsets[i] - offsets[0] - static_cast<uint32_t>(i); }
  VOX_HD uint32_t children(uint64_t i) const { return offsets[i + 1] - offsets[i] - 1; }
  VOX_HD uint32_t* child(uint64_t i) const { return words + offsets[i] + 1; }
};

struct VisitTargets {
  RunEdges edges;
  uint32_t* targets;  // the number of the child to which each edge leads
  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 0) return prefetch_line(edges.child(i));
    for (uint32_t c = 0; c < edges.children(i); ++c) prefetch_line(edges.marks + edges.child(i)[c]);
  }
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t first = edges.first_edge(i);
    for (uint32_t c = 0; c < edges.children(i); ++c) {
      const uint32_t target = edges.child(i)[c];
      targets[first + c] = target;
      device::atomic_min(edges.marks + target, edges.numbered + first + c);
    }
  }
};
static_assert(device::PrefetchingBody<VisitTargets>);

struct IsFirstTarget {
  const uint32_t* targets;
  const uint32_t* marks;
  uint32_t numbered;
  VOX_HD bool operator()(uint64_t edge) const {
    return marks[targets[edge]] == numbered + static_cast<uint32_t>(edge);
  }
};

struct NumberTargets {
  const uint32_t* chosen;  // the edges that are the first to lead to a node
  const uint32_t* targets;
  uint32_t* marks;
  uint32_t numbered;
  VOX_HD void operator()(uint64_t i) const {
    marks[targets[chosen[i]]] = numbered + static_cast<uint32_t>(i);
  }
};

struct WriteTargets {
  RunEdges edges;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 0) return prefetch_line(edges.child(i));
    for (uint32_t c = 0; c < edges.children(i); ++c) prefetch_line(edges.marks + edges.child(i)[c]);
  }
  VOX_HD void operator()(uint64_t i) const {
    for (uint32_t c = 0; c < edges.children(i); ++c) edges.child(i)[c] = edges.marks[edges.child(i)[c]];
  }
};
static_assert(device::PrefetchingBody<WriteTargets>);

struct AddToFirst {
  dag::PlacesBlock* blocks;
  uint64_t words;
  VOX_HD void operator()(uint64_t i) const { blocks[i].first += words; }
};

// The meaning of nodes in merged levels to which nothing leads.
enum class Unused { AreABug, AreLeftOut };

template <class Device>
class CanonicalLevels {
 public:
  // A run and a piece have at most `most_nodes` nodes; 0 means as many as memory allows.
  CanonicalLevels(Device& device, uint64_t most_nodes, Unused unused, ResultPlace place = {})
      : device_(device), most_nodes_(most_nodes), unused_(unused), place_(std::move(place)) {}

  // Fills the levels of a DAG that is not empty: words, nodes and places. Each merged level is freed after
  // use.
  void run(std::vector<RoundLevel>& merged, dag::FrozenDag& dag) {
    device::Buffer<uint32_t> order = device_.template make<uint32_t>(1);
    device_.fill(order.data(), 1, 0u);  // the root's place
    uint64_t nodes = 1;
    for (size_t l = 0; l < merged.size(); ++l) {
      const uint64_t next = l + 1 < merged.size() ? merged[l + 1].nodes() : 0;
      marks_ = device_.template make<uint32_t>(next);
      device_.fill(marks_.data(), next, UINT32_MAX);
      numbered_ = 0;
      const uint64_t svo_nodes = dag.levels[l].svo_nodes;
      dag.levels[l] = written(merged[l], order, nodes, dag::form_of(dag, static_cast<uint32_t>(l)));
      dag.levels[l].svo_nodes = svo_nodes;
      if (numbered_ != next && unused_ == Unused::AreABug)
        throw Error("merged levels do not fit together: this is a bug in vox");
      order = std::move(marks_);
      nodes = numbered_;
    }
    dag.paged = place_.budget != nullptr;
  }

 private:
  static constexpr uint64_t kBlock = dag::PlacesBlock::kNodes;

  struct NodeRun {
    device::Buffer<uint32_t> offsets;
    uint64_t first = 0, count = 0, words = 0;
  };

  // The first `nodes` places of `order` are in use.
  dag::DagLevel written(RoundLevel& level, device::Buffer<uint32_t>& order, uint64_t nodes,
                        const dag::LevelForm& form) {
    const auto sizes = ordered_sizes(level, order, nodes);
    OrderedLevel to(place_, form, nodes,
                    device_.sum({"rounds: count words", 1}, nodes, SizeOfNode{sizes.data()}));
    for (uint64_t first = 0; first < nodes;) {
      const NodeRun run = next_run(sizes, first, nodes);
      auto words = device_.template make<uint32_t>(run.words);
      const bool is_last = run.first + run.count == nodes;
      take_out(level, order, run, is_last, words.data());
      if (is_last) level = {};
      if (marks_.size() > 0) number_targets(run, words.data());
      place(run, is_last, to);
      device_.download(to.append_words(run.words).data(), words.data(), run.words);
      first += run.count;
    }
    return to.finish(numbered_);
  }

  device::Buffer<uint8_t> ordered_sizes(const RoundLevel& level, const device::Buffer<uint32_t>& order,
                                        uint64_t nodes) {
    auto ordered = device_.template make<uint8_t>(nodes);
    const uint64_t at_once = limited(nodes_at_once(device_, 1));
    for (uint64_t first = 0; first < level.nodes(); first += at_once) {
      const uint64_t n = std::min(at_once, level.nodes() - first);
      auto sizes = device_.template make<uint8_t>(n);
      device_.upload(sizes.data(), level.sizes.data() + first, n);
      device_.for_each({"rounds: order sizes", 6}, n,
                       OrderSizes{sizes.data(), order.data() + first, ordered.data()});
    }
    return ordered;
  }

  // Returns the next run: as many nodes as fit in two thirds of the free memory, with their places. All runs
  // except the last consist of whole blocks.
  NodeRun next_run(const device::Buffer<uint8_t>& sizes, uint64_t first, uint64_t nodes) {
    const uint64_t room = device_.pool().available() / 3 * 2;
    uint64_t count = limited(nodes - first);
    for (;;) {
      const uint64_t words = device_.sum({"rounds: count words", 1}, count, SizeOfNode{sizes.data() + first});
      const uint64_t bytes = 4 * (words + count);
      if (count <= kBlock || (bytes <= room && words <= kMostWords)) break;
      const double fits = std::min(static_cast<double>(room) / static_cast<double>(bytes),
                                   static_cast<double>(kMostWords) / static_cast<double>(words));
      count = std::max<uint64_t>(static_cast<uint64_t>(0.97 * fits * static_cast<double>(count)), 1);
      count = (count + kBlock - 1) / kBlock * kBlock;
    }
    NodeRun run = {.offsets = device_.template make<uint32_t>(count + 1), .first = first, .count = count};
    run.words = device_.exclusive_scan({"rounds: places", 5}, count, SizeOfNode{sizes.data() + first},
                                       run.offsets.data());
    return run;
  }

  // Copies the nodes of a run to their places, and takes them and their places out of the level and of the order.
  void take_out(RoundLevel& level, device::Buffer<uint32_t>& order, const NodeRun& run, bool is_last,
                uint32_t* words) {
    NodeSieve<Device> sieve(device_, level);
    const uint64_t at_once = limited(nodes_at_once(device_, NodeSieve<Device>::kBytesPerNode + 8));
    while (!sieve.done()) {
      const NodePiece piece = sieve.next(at_once);
      const uint32_t* const places = order.data() + piece.first;
      device_.for_each(
          {"rounds: place nodes", 60}, piece.count,
          PlaceInRun{piece.words.data(), piece.offsets.data(), places, static_cast<uint32_t>(run.first),
                     static_cast<uint32_t>(run.count), run.offsets.data(), words});
      if (is_last) continue;
      auto behind = device_.template make<uint32_t>(piece.count);
      const uint64_t count = device_.select({"rounds: choose later nodes", 8}, piece.count,
                                            LiesBehind{places, run.first + run.count}, behind.data());
      auto left = device_.template make<uint32_t>(count);
      device_.for_each({"rounds: take places", 12}, count,
                       device::TakeChosen<uint32_t>{places, behind.data(), left.data()});
      device_.copy(order.data() + sieve.nodes_left(), left.data(), count);
      sieve.put_back(piece, behind.data(), count);
    }
    sieve.finish();
  }

  void number_targets(const NodeRun& run, uint32_t* words) {
    constexpr uint64_t kMostChildren = 8, kBytesPerNode = 2 * 4 * kMostChildren;
    const uint64_t at_once = limited(nodes_at_once(device_, kBytesPerNode));
    for (uint64_t first = 0; first < run.count;) {
      const uint64_t left = (UINT32_MAX - 1 - numbered_) / kMostChildren;  // numbers of edges stay below 2^32
      const uint64_t n = std::min({at_once, run.count - first, std::max<uint64_t>(left, 1)});
      const RunEdges edges = {words, run.offsets.data() + first, marks_.data(),
                              static_cast<uint32_t>(numbered_)};
      const uint64_t count = edges_of(run, first, n);
      auto targets = device_.template make<uint32_t>(count);
      auto chosen = device_.template make<uint32_t>(count);
      device_.for_each({"freeze: visit", 60}, n, VisitTargets{edges, targets.data()});
      const uint64_t found =
          device_.select({"freeze: first visits", 12}, count,
                         IsFirstTarget{targets.data(), marks_.data(), edges.numbered}, chosen.data());
      device_.for_each({"freeze: rank nodes", 16}, found,
                       NumberTargets{chosen.data(), targets.data(), marks_.data(), edges.numbered});
      device_.for_each({"freeze: rank edges", 60}, n, WriteTargets{edges});
      numbered_ += found;
      first += n;
    }
  }

  uint64_t edges_of(const NodeRun& run, uint64_t first, uint64_t n) {
    uint32_t begin = 0, end = 0;
    device_.download(&begin, run.offsets.data() + first, 1);
    device_.download(&end, run.offsets.data() + first + n, 1);
    return end - begin - n;
  }

  // Writes the places of a run's nodes.
  void place(const NodeRun& run, bool is_last, OrderedLevel& to) {
    auto placed = device_.template make<dag::PlacesBlock>(dag::NodePlaces::blocks_for(run.count));
    device_.for_each({"freeze: steps", 6}, placed.size() * dag::PlacesBlock::kNodes,
                     dag::StepPlaces{run.offsets.data(), run.count, placed.data()});
    device_.for_each({"rounds: first words", 16}, placed.size(), AddToFirst{placed.data(), to.words()});
    std::vector<dag::PlacesBlock> blocks(is_last ? placed.size() : run.count / kBlock);
    device_.download(blocks.data(), placed.data(), blocks.size());
    to.add_places(blocks);
  }

  uint64_t limited(uint64_t nodes) const {
    return most_nodes_ > 0 ? std::min((most_nodes_ + kBlock - 1) / kBlock * kBlock, nodes) : nodes;
  }

  Device& device_;
  uint64_t most_nodes_, numbered_ = 0;
  Unused unused_;
  ResultPlace place_;
  device::Buffer<uint32_t> marks_;
};

}  // namespace vox::build
