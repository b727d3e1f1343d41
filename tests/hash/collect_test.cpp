// Tests collection: the items that the roots reach stay, and no others.
#include "libvox/dag/store.h"

#include <map>
#include <set>

#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"
#include "tests/hash/any_device.h"

namespace vox {
namespace {

using Roots = AnyTables::Roots;

class Collect : public TablesTest {};
VOX_FOR_ALL_TABLES(Collect);

// Returns the items of a scene in the tables, each as the tables' words with its pointer.
std::map<Item, uint32_t> items_of(AnyTables& tables, const dag::FrozenDag& dag) {
  std::map<Item, uint32_t> all;
  Pointers below;  // the pointers of the nodes of the level below
  for (size_t level = dag.levels.size(); level-- > 0;) {
    const bool leaves = level == dag.depth();
    const Words& words = dag.levels[level].words;
    Batch batch;
    for (size_t at = 0; at < words.size();) {
      const uint32_t* node = words.data() + at;
      const uint32_t size =
          leaves ? dag::leaf_words(dag::leaf_mask(node), dag.materials) : dag::node_words(*node);
      Item item(node, node + size);
      for (uint32_t i = 1; i < size && !leaves; ++i) item[i] = below.at(item[i]);
      batch.add(item);
      at += size;
    }
    below = tables.find_all(batch);
    for (uint64_t i = 0; i < batch.size(); ++i) {
      EXPECT_NE(below[i], hash::kNullPointer);
      all.emplace(batch.item(i), below[i]);
    }
  }
  return all;
}

TEST_P(Collect, WithoutRootsEverythingGoes) {
  const auto tables = make();
  tables->load(dense_dag(64, true, shell));
  const uint64_t items = tables->items();
  const dag::CollectWork work = tables->collect({dag::DagRoot{}});
  EXPECT_EQ(work.items_before, items);
  EXPECT_EQ(work.items_after, 0u);
  EXPECT_GT(work.bytes_returned, 0u);
  EXPECT_EQ(tables->items(), 0u);
  EXPECT_TRUE(tables->memory().empty());
  EXPECT_EQ(tables->collect({}).items_before, 0u);
}

// One store holds scenes of several sizes. In each round some of them are dropped and loaded again later.
TEST_P(Collect, ScenesThatAreKeptStayWhatTheyAreAndNothingElseDoes) {
  for (const bool materials : {false, true}) {
    std::vector<dag::FrozenDag> dags;
    for (const uint32_t resolution : {4u, 37u, 64u})
      for (const DenseGrid& grid : all_grids()) dags.push_back(dense_dag(resolution, materials, grid));
    const auto tables = make({.load_factor = 16});
    Random random(1);
    std::map<size_t, dag::DagRoot> loaded;
    for (int round = 0; round < (test_on_gpu() ? 3 : 12); ++round) {
      for (size_t i = 0; i < dags.size(); ++i)
        if (!loaded.contains(i) && random.below(2) == 0) loaded.emplace(i, tables->load(dags[i]));
      const uint64_t before = tables->items();
      std::map<Item, uint32_t> live, dead;
      Roots roots;
      for (auto at = loaded.begin(); at != loaded.end();) {
        const bool keeps = random.below(3) != 0;
        (keeps ? live : dead).merge(items_of(*tables, dags[at->first]));
        if (keeps) roots.push_back(at->second);
        at = keeps ? std::next(at) : loaded.erase(at);
      }
      const dag::CollectWork work = tables->collect(roots);
      EXPECT_EQ(work.items_before, before);
      EXPECT_EQ(work.items_after, live.size());
      ASSERT_EQ(tables->items(), live.size());
      for (const auto& [i, root] : loaded)
        ASSERT_EQ(dag::to_string(tables->freeze(root, dags[i]).digest), dag::to_string(dags[i].digest));
      Batch batch;
      Pointers expected;
      for (const auto& [item, pointer] : live) batch.add(item), expected.push_back(pointer);
      for (const auto& [item, pointer] : dead)
        if (!live.contains(item)) batch.add(item), expected.push_back(hash::kNullPointer);
      ASSERT_TRUE(tables->find_all(batch) == expected);
    }
  }
}

// Knows the items of a store and their connections, and finds the reachable items by plain recursion.
class Soup {
 public:
  explicit Soup(AnyTables& tables) : tables_(tables) {}

  uint32_t add(const Item& item, uint32_t depth) {
    const uint32_t pointer = tables_.intern(Batch({item})).at(0);
    // An item may be a leaf in one place and a node in another.
    auto& known = items_.try_emplace(pointer, Known{item, depth}).first->second;
    known.depth = std::max(known.depth, depth);
    interned_.insert(pointer);
    return pointer;
  }
  uint32_t add_leaf(Random& random) { return add({1 + random.below(255), random.below(1 << 20)}, 0); }
  // Adds a node over existing items. Nodes with one child might be leaves as well.
  uint32_t add_node(Random& random, const Pointers& children) {
    Item item = {0};
    uint32_t depth = UINT32_MAX;
    for (uint32_t child = 0, most = 1 + random.below(4); child < most; ++child) {
      item[0] |= 1u << child;
      item.push_back(children[random.below(static_cast<uint32_t>(children.size()))]);
      depth = std::min(depth, items_.at(item.back()).depth + 1);
    }
    return add(item, depth);
  }
  // Interns an item that may have been removed, after everything that it leads to.
  uint32_t add_again(const Soup& old, uint32_t pointer, uint32_t height) {
    Item item = old.items_.at(pointer).item;
    for (uint32_t i = 1; i < item.size() && height > 0; ++i) item[i] = add_again(old, item[i], height - 1);
    return add(item, height);
  }

  dag::DagRoot root(Random& random, uint32_t pointer) const {
    return {pointer, random.below(items_.at(pointer).depth + 1)};
  }
  uint32_t depth(uint32_t pointer) const { return items_.at(pointer).depth; }
  Pointers pointers() const {
    Pointers result;
    for (const auto& [pointer, known] : items_) result.push_back(pointer);
    return result;
  }

  std::set<uint32_t> reachable(const Roots& roots) const {
    std::set<std::pair<uint32_t, uint32_t>> seen;  // pointer and height
    for (const dag::DagRoot& root : roots) reach(root.pointer, root.depth, seen);
    std::set<uint32_t> result;
    for (const auto& [pointer, height] : seen) result.insert(pointer);
    return result;
  }

  std::set<uint32_t> take_interned() { return std::exchange(interned_, {}); }

  // Expects that the tables hold these items and no others.
  void expect_left(const std::set<uint32_t>& live) {
    ASSERT_EQ(tables_.items(), live.size());
    Batch batch;
    Pointers expected;
    for (const auto& [pointer, known] : items_) {
      batch.add(known.item);
      expected.push_back(live.contains(pointer) ? pointer : hash::kNullPointer);
    }
    ASSERT_TRUE(tables_.find_all(batch) == expected);
    std::erase_if(items_, [&](const auto& entry) { return !live.contains(entry.first); });
    while (lower_depths()) {
    }
  }

 private:
  struct Known {
    Item item;
    uint32_t depth;  // the greatest height at which everything below it is known to exist
  };
  uint32_t depth_of_children(const Known& known) const {
    uint32_t depth = UINT32_MAX - 1;
    for (uint32_t i = 1; i < known.item.size(); ++i) {
      const auto child = items_.find(known.item[i]);
      if (child == items_.end()) return UINT32_MAX;
      depth = std::min(depth, child->second.depth);
    }
    return depth;
  }
  // Lowers the depth of items that have lost children because they were kept as leaves. Returns true if there
  // were any.
  bool lower_depths() {
    bool any = false;
    for (auto& [pointer, known] : items_)
      if (known.depth > 0 && depth_of_children(known) + 1 < known.depth) {
        known.depth = depth_of_children(known) + 1;
        any = true;
      }
    return any;
  }
  void reach(uint32_t pointer, uint32_t height, std::set<std::pair<uint32_t, uint32_t>>& seen) const {
    if (!seen.emplace(pointer, height).second || height == 0) return;
    const Item& item = items_.at(pointer).item;
    for (uint32_t i = 1; i < item.size(); ++i) reach(item[i], height - 1, seen);
  }

  AnyTables& tables_;
  std::map<uint32_t, Known> items_;
  std::set<uint32_t> interned_;
};

// c = {1, a} is a leaf in one place and a node over `a` in others; n = {1, c} is above it at two heights.
TEST_P(Collect, AnItemThatIsALeafAndANodeKeepsItsChildren) {
  for (const bool leaf_first : {false, true}) {
    const auto tables = make();
    Soup soup(*tables);
    const uint32_t other = soup.add({77, 0}, 0);
    const uint32_t a = soup.add({5, 5}, 0);
    const uint32_t c = soup.add({1, a}, 1);
    const uint32_t n = soup.add({1, c}, 2);
    const uint32_t far = soup.add({3, n, n}, 3);
    Roots roots = {{c, 0}, {c, 1}};
    if (!leaf_first) std::swap(roots[0], roots[1]);
    EXPECT_EQ(soup.reachable(roots), (std::set<uint32_t>{a, c}));
    roots.push_back({n, 1});
    roots.push_back({far, 2});  // its leaves are c
    EXPECT_EQ(soup.reachable(roots), (std::set<uint32_t>{a, c, n, far}));
    tables->collect(roots);
    soup.expect_left({a, c, n, far});
    tables->collect({{n, 1}, {n, 2}});
    soup.expect_left({a, c, n});
    tables->collect({{n, 1}});
    soup.expect_left({c, n});
    EXPECT_NE(other, a);
  }
}

TEST_P(Collect, WhatIsReachableAtAnyHeightStays) {
  Random random(2);
  for (uint32_t round = 0; round < cases_on_device(10); ++round) {
    const auto tables = make({.load_factor = 16});
    Soup soup(*tables);
    for (int generation = 0; generation < 4; ++generation) {
      for (int i = 0; i < 40; ++i) soup.add_leaf(random);
      for (int i = 0; i < 150; ++i) {
        const Pointers pointers = soup.pointers();
        const uint32_t node = soup.add_node(random, pointers);
        if (random.below(4) == 0) soup.add({1, node}, soup.depth(node) + 1);
      }
      Roots roots = {dag::DagRoot{}};
      const Pointers pointers = soup.pointers();
      for (uint32_t i = 0; i < 1 + random.below(6); ++i)
        roots.push_back(soup.root(random, pointers[random.below(static_cast<uint32_t>(pointers.size()))]));
      Roots named(roots.begin() + 1, roots.end());
      const std::set<uint32_t> live = soup.reachable(named);
      EXPECT_EQ(tables->collect(roots).items_after, live.size());
      ASSERT_NO_FATAL_FAILURE(soup.expect_left(live)) << "round " << round;
    }
  }
}

// Between the steps of a collection, new nodes are made over items that are kept, and items that were no
// longer reachable are interned again.
TEST_P(Collect, WhatIsInternedMeanwhileStaysWithAllThatItReaches) {
  Random random(3);
  for (uint32_t round = 0; round < cases_on_device(10); ++round) {
    const auto tables = make({.load_factor = 16});
    Soup soup(*tables);
    for (int i = 0; i < 100; ++i) soup.add_leaf(random);
    for (int i = 0; i < 300; ++i) soup.add_node(random, soup.pointers());
    Roots roots;
    const Pointers old = soup.pointers();
    for (uint32_t i = 0; i < 1 + random.below(5); ++i)
      roots.push_back(soup.root(random, old[random.below(static_cast<uint32_t>(old.size()))]));
    std::set<uint32_t> live = soup.reachable(roots);
    soup.take_interned();
    tables->start_collecting(roots);
    Roots made;
    bool done = false;
    const uint32_t step = 1 << (5 + random.below(17));
    for (int edit = 0; edit < 20; ++edit) {
      if (!done) done = tables->collect_step(step);
      // Children are taken at a height at which everything below them is known to exist: roots, and items
      // made since.
      Pointers children;
      for (const dag::DagRoot& root : roots)
        if (root.depth == soup.depth(root.pointer)) children.push_back(root.pointer);
      for (const dag::DagRoot& root : made) children.push_back(root.pointer);
      if (children.empty() || random.below(2) == 0) {
        const uint32_t pointer = old[random.below(static_cast<uint32_t>(old.size()))];
        const uint32_t height = random.below(soup.depth(pointer) + 1);
        EXPECT_EQ(soup.add_again(soup, pointer, height), pointer);
        made.push_back({pointer, height});
      } else if (random.below(4) == 0) {
        made.push_back({soup.add_leaf(random), 0});
      } else {
        std::erase_if(children, [&](uint32_t child) {
          return std::any_of(made.begin(), made.end(), [&](const dag::DagRoot& root) {
            return root.pointer == child && root.depth < soup.depth(child);
          });
        });
        if (children.empty()) continue;
        const uint32_t node = soup.add_node(random, children);
        made.push_back({node, soup.depth(node)});
      }
    }
    live.merge(soup.take_interned());
    for (uint32_t pointer : soup.reachable(made)) ASSERT_TRUE(live.contains(pointer));
    EXPECT_EQ(tables->finish_collecting().items_after, live.size());
    ASSERT_NO_FATAL_FAILURE(soup.expect_left(live)) << "round " << round;
  }
}

TEST_P(Collect, InStepsOfAnySizeOrDurationGivesTheSameAsAtOnce) {
  const dag::FrozenDag kept = dense_dag(64, true, shell), dropped = dense_dag(64, true, dust(1));
  for (const uint64_t step : {1u, 1u << 16, 1u << 20, 0u}) {
    const auto tables = make();
    const dag::DagRoot root = tables->load(kept);
    const uint64_t items = tables->items();
    tables->load(dropped);
    tables->start_collecting({root});
    uint64_t steps = 0;
    // Steps of one word are taken only for a while, because there are many words and most lead to nothing.
    if (step == 0) {
      while (!tables->collect_for(1e-4)) ++steps;
    } else {
      while (!tables->collect_step(step) && ++steps < 2000) {
      }
    }
    EXPECT_GT(steps, 0u);
    EXPECT_EQ(tables->finish_collecting().items_after, items);
    EXPECT_EQ(dag::to_string(tables->freeze(root, kept).digest), dag::to_string(kept.digest));
  }
}

TEST_P(Collect, ASceneThatIsLoadedMeanwhileStays) {
  const dag::FrozenDag kept = dense_dag(64, true, shell), dropped = dense_dag(64, true, dust(1)),
                       again = dense_dag(37, true, dust(1)), late = dense_dag(64, true, blocks);
  const auto tables = make();
  const dag::DagRoot root = tables->load(kept);
  tables->load(dropped);
  tables->start_collecting({root});
  tables->collect_step(1 << 20);
  const dag::DagRoot again_root = tables->load(again), late_root = tables->load(late);
  tables->collect_step(1 << 20);
  const dag::DagRoot dropped_root = tables->load(dropped);
  const uint64_t items = tables->items();
  EXPECT_EQ(tables->finish_collecting().items_after, items);
  EXPECT_EQ(dag::to_string(tables->freeze(root, kept).digest), dag::to_string(kept.digest));
  EXPECT_EQ(dag::to_string(tables->freeze(again_root, again).digest), dag::to_string(again.digest));
  EXPECT_EQ(dag::to_string(tables->freeze(late_root, late).digest), dag::to_string(late.digest));
  EXPECT_EQ(dag::to_string(tables->freeze(dropped_root, dropped).digest), dag::to_string(dropped.digest));
  // A collection that has finished is not told about items that are interned later.
  tables->load(dense_dag(37, true, checkered));
  tables->collect({late_root});
  EXPECT_EQ(dag::to_string(tables->freeze(late_root, late).digest), dag::to_string(late.digest));
}

TEST(NthBit, IsTheOneThatCountingGives) {
  Random random(1);
  for (uint32_t word : {0u, 1u, UINT32_MAX, 0x80000000u, random.below(UINT32_MAX), random.below(UINT32_MAX)})
    for (uint32_t bit = 0, n = 0; bit < 32; ++bit)
      if ((word >> bit & 1) != 0) {
        EXPECT_EQ(nth_bit(word, n++), bit);
      }
}

}  // namespace
}  // namespace vox
