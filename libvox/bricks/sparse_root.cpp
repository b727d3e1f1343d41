#include "libvox/bricks/sparse_root.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/progress.h"

namespace vox::bricks {
namespace {

constexpr uint32_t kEmptyType = BrickTypes::kNumber<EmptyBrick>;
constexpr uint64_t kMostTopCells = uint64_t{1} << 21;  // 8 MiB

// Calls f(part, its place in the list of the level) for the filled parts of a block.
template <class F>
void for_each_part(const GroupBlock& block, const F& f) {
  uint32_t place = block.first;
  for (uint32_t row = 0; row < 8; ++row)
    for (uint64_t mask = block.mask(row); mask != 0; mask &= mask - 1)
      f(64 * row + static_cast<uint32_t>(lowest_bit(mask)), place++);
}

// Visits groups from the largest down, until they have at most so many bricks a side.
struct GroupWalk {
  const RootGroups& groups;
  int32_t most_side;
  const std::function<void(const VoxelBox&)>& visit;

  void into(uint32_t level, Int3 corner, uint32_t number) const {
    const uint32_t left = groups.levels() - level;
    const int32_t side = 1 << GroupBlock::kLog2 * left;
    if (left == 1 || side <= most_side) return visit(cube_at(corner, static_cast<uint32_t>(side)));
    throw_if_cancelled();
    for_each_part(groups.blocks_of(level)[number], [&](uint32_t part, uint32_t place) {
      into(level + 1, corner + GroupBlock::place(part) * (side / 8), groups.lists[level][place]);
    });
  }
};

}  // namespace

Int3 group_grid(Int3 size, uint32_t log2_side, uint32_t levels) {
  return brick_grid(size, log2_side + GroupBlock::kLog2 * levels);
}

uint32_t group_levels(Int3 size, uint32_t log2_side, BrickRoot root) {
  if (log2_side == 0) log2_side = kMostTriedLog2;
  const bool fits = VoxelBox{{0, 0, 0}, brick_grid(size, log2_side)}.voxels() <= kMostDenseEntries;
  if (root == BrickRoot::Dense || (root == BrickRoot::Auto && fits)) return 0;
  uint32_t levels = 1;
  while (VoxelBox{{0, 0, 0}, group_grid(size, log2_side, levels)}.voxels() > kMostTopCells) ++levels;
  return levels;
}

uint32_t scene_brick_log2(const dag::FrozenDag& dag, const BricksOptions& options) {
  constexpr uint32_t kSharesMost = 3;
  if (options.log2_side != 0) return options.log2_side;
  const auto side = static_cast<int32_t>(dag.resolution);
  return group_levels({side, side, side}, kMostTriedLog2, options.root) == 0 ? 0 : kSharesMost;
}

GroupsAssembly::GroupsAssembly(uint32_t levels) {
  result_.blocks.resize(levels);
  result_.lists.resize(levels - 1);
  for (uint32_t level = 0; level < levels; ++level) result_.append(level, {{GroupBlock{}}});
}

uint32_t GroupsAssembly::add(uint32_t level, const GroupParts& parts) {
  const bool last = level + 1 == result_.levels();
  const uint64_t first = last ? entries_ : result_.lists[level].size();
  const GroupBlock block = make_block(parts, static_cast<uint32_t>(first), [&](uint32_t number) {
    if (!last) result_.lists[level].push_back(number);
  });
  if (block.count() == 0) return 0;
  if (last) entries_ += block.count();
  if (first + block.count() >= kNever)
    throw Error("there are 2^32 filled bricks or more").hint("use larger bricks");
  result_.append(level, {&block, 1});
  return static_cast<uint32_t>(result_.blocks_of(level).size() - 1);
}

RootGroups GroupsAssembly::take(Words top) {
  result_.top = std::move(top);
  return std::move(result_);
}

void check_entry_words(const FrozenBricks& bricks) {
  const uint64_t words = bricks.root.size();
  const bool valid =
      bricks.entry_words >= 1 && bricks.entry_words <= 2 &&
      (bricks.is_sparse() ? words % bricks.entry_words == 0 : words == bricks.bricks() * bricks.entry_words);
  if (!valid) throw Error(fmt::format("{} words for the {} bricks of the volume", words, bricks.bricks()));
}

void check_groups(const FrozenBricks& bricks) {
  const RootGroups& groups = bricks.groups;
  const uint32_t levels = groups.levels();
  if (levels > GroupsRef::kMostLevels || groups.lists.size() + 1 != levels)
    throw Error(fmt::format("{} levels of groups with {} lists", levels, groups.lists.size()));
  const Int3 grid = group_grid(bricks.info.size, bricks.log2_side, levels);
  if (groups.top.size() != VoxelBox{{0, 0, 0}, grid}.voxels())
    throw Error(fmt::format("{} numbers for {} x {} x {} groups", groups.top.size(), grid.x, grid.y, grid.z));
  const auto check_numbers = [&](const Words& numbers, uint32_t level, uint32_t least) {
    for (const uint32_t number : numbers)
      if (number < least || number >= groups.blocks_of(level).size())
        throw Error(fmt::format("level {} of the groups has no block {}", level, number));
  };
  for (uint32_t level = 0; level < levels; ++level) {
    const bool last = level + 1 == levels;
    const uint64_t listed = last ? bricks.entries() : groups.lists[level].size();
    if (groups.blocks[level].size() * sizeof(uint32_t) % sizeof(GroupBlock) != 0 ||
        groups.blocks_of(level).empty())
      throw Error(fmt::format("level {} of the groups has {} words", level, groups.blocks[level].size()));
    for (uint64_t i = 0; i < groups.blocks_of(level).size(); ++i) {
      const GroupBlock& block = groups.blocks_of(level)[i];
      uint32_t filled = 0;
      bool valid = true;
      for (uint32_t row = 0; row < 8; ++row) {
        valid = valid && block.before[row] == filled;
        filled += static_cast<uint32_t>(popcount(block.mask(row)));
      }
      if (!valid || uint64_t{block.first} + filled > listed || (i == 0 && filled != 0))
        throw Error(fmt::format("block {} of level {} of the groups does not stay inside the list of {}", i,
                                level, listed));
    }
    if (level == 0) check_numbers(groups.top, 0, 0);
    if (!last) check_numbers(groups.lists[level], level + 1, 1);
  }
}

namespace {

// Returns how often each entry occurs in the volume.
std::vector<uint64_t> entry_uses(const FrozenBricks& bricks) {
  const RootGroups& groups = bricks.groups;
  std::vector<uint64_t> uses(groups.blocks_of(0).size());
  for (const uint32_t number : groups.top) ++uses[number];
  for (uint32_t level = 0; level < groups.levels(); ++level) {
    const bool last = level + 1 == groups.levels();
    std::vector<uint64_t> below(last ? bricks.entries() : groups.blocks_of(level + 1).size());
    for (uint64_t i = 1; i < uses.size(); ++i)
      for_each_part(groups.blocks_of(level)[i], [&](uint32_t, uint32_t place) {
        below[last ? place : groups.lists[level][place]] += uses[i];
      });
    uses = std::move(below);
  }
  return uses;
}

// The bricks of one type, found by their places: a bit for each word where one begins, and the number of those before.
class BrickStarts {
 public:
  explicit BrickStarts(uint64_t words) : bits_(words / 64 + 1), before_(words / 64 + 1) {}

  void add(uint64_t place) { bits_[place / 64] |= uint64_t{1} << place % 64; }
  // Numbers all bricks from `first` on. Returns the number behind the last one.
  uint64_t number_from(uint64_t first) {
    for (size_t i = 0; i < bits_.size(); ++i) {
      before_[i] = first;
      first += static_cast<uint64_t>(popcount(bits_[i]));
    }
    return first;
  }
  uint64_t operator[](uint64_t place) const {
    const uint64_t lower = (uint64_t{1} << place % 64) - 1;
    return before_[place / 64] + static_cast<uint64_t>(popcount(bits_[place / 64] & lower));
  }

 private:
  std::vector<uint64_t> bits_, before_;
};

}  // namespace

std::vector<BrickUse> brick_uses(const FrozenBricks& bricks) {
  const BricksRef access = ref(bricks);
  const std::vector<uint64_t> uses = entry_uses(bricks);
  std::vector<BrickStarts> starts;
  for (const Words& data : bricks.data) starts.emplace_back(data.size());
  for (uint64_t i = 0; i < uses.size(); ++i)
    if (const auto [type, place] = access.entry(i); type != kEmptyType) starts[type].add(place);
  uint64_t count = 0;
  for (BrickStarts& of_type : starts) count = of_type.number_from(count);
  std::vector<BrickUse> found(count);
  for (uint64_t i = uses.size(); i-- > 0;) {
    const auto [type, place] = access.entry(i);
    if (type == kEmptyType) continue;
    BrickUse& use = found[starts[type][place]];
    use.entry = i;
    use.times += uses[i];
  }
  return found;
}

std::vector<uint64_t> shared_brick_words(const FrozenBricks& bricks) {
  const BricksRef access = ref(bricks);
  std::array<std::vector<uint64_t>, kBrickTypeCount> places;
  for (uint64_t i = 0; i < bricks.entries(); ++i) {
    const auto [type, place] = access.entry(i);
    places[type].push_back(place);
  }
  for (uint32_t type = 0; type < kBrickTypeCount; ++type) {
    std::ranges::sort(places[type]);
    places[type].erase(std::unique(places[type].begin(), places[type].end()), places[type].end());
    places[type].push_back(bricks.data[type].size());
  }
  std::vector<uint64_t> words(bricks.entries());
  for (uint64_t i = 0; i < words.size(); ++i) {
    const auto [type, place] = access.entry(i);
    words[i] = *(std::ranges::lower_bound(places[type], place) + 1) - place;
  }
  return words;
}

void for_each_group(const FrozenBricks& bricks, int32_t most_side,
                    const std::function<void(const VoxelBox&)>& visit) {
  const GroupWalk walk = {bricks.groups, most_side, visit};
  const Int3 grid = group_grid(bricks.info.size, bricks.log2_side, bricks.groups.levels());
  for (uint64_t i = 0; i < bricks.groups.top.size(); ++i)
    if (const uint32_t number = bricks.groups.top[i]; number != 0)
      walk.into(0, cell_place(grid, i) * (1 << GroupBlock::kLog2 * bricks.groups.levels()), number);
}

bool is_known_empty(const FrozenBricks& bricks, const VoxelBox& box) {
  const BricksRef access = ref(bricks);
  const Int3 low = access.place_of(box.min), high = access.place_of(box.max - Int3{1, 1, 1});
  Int3 at, next;
  const auto after = [](int32_t place, uint32_t log2) { return (place >> log2 << log2) + (1 << log2); };
  for (at.z = low.z; at.z <= high.z; at.z = next.z) {
    next.z = high.z + 1;
    for (at.y = low.y; at.y <= high.y; at.y = next.y) {
      next.y = high.y + 1;
      for (at.x = low.x; at.x <= high.x; at.x = next.x) {
        const GroupsRef::Found found = access.groups.find(at);
        if (found.place != kNever && !bricks.is_empty(found.place)) return false;
        const uint32_t log2 = found.place == kNever ? found.empty_log2 : 0;
        next = {after(at.x, log2), std::min(next.y, after(at.y, log2)), std::min(next.z, after(at.z, log2))};
      }
    }
  }
  return true;
}

FrozenBricks with_dense_root(const FrozenBricks& bricks) {
  check_root_memory(bricks.info.size, bricks.log2_side);
  const std::vector<uint64_t> words = shared_brick_words(bricks);
  const BricksRef access = ref(bricks);
  BricksAssembly assembly(bricks);
  for (uint64_t i = 0; i < bricks.bricks(); ++i) {
    const GroupsRef::Found found = access.groups.find(cell_place(access.grid, i));
    if (found.place == kNever) {
      assembly.add_empty();
    } else {
      assembly.add(bricks, found.place, words[found.place]);
    }
  }
  return assembly.take();
}

namespace {

// Makes the groups of bricks with a dense root, and puts their words into the order of the groups.
class Grouping {
 public:
  explicit Grouping(const FrozenBricks& bricks)
      : bricks_(bricks),
        access_(ref(bricks)),
        words_(brick_words(bricks)),
        levels_(group_levels(bricks.info.size, bricks.log2_side, BrickRoot::Sparse)),
        groups_(levels_) {}

  FrozenBricks grouped() {
    BricksAssembly assembly(bricks_);
    const Int3 grid = group_grid(bricks_.info.size, bricks_.log2_side, levels_);
    const uint64_t cells = VoxelBox{{0, 0, 0}, grid}.voxels();
    Words top(cells);
    for (uint64_t i = 0; i < cells; ++i) top[i] = block(0, cell_place(grid, i), assembly);
    FrozenBricks result = assembly.take();
    result.groups = groups_.take(std::move(top));
    return result;
  }

 private:
  uint32_t block(uint32_t level, Int3 place, BricksAssembly& assembly) {
    GroupParts parts = {};
    const int32_t side = 1 << GroupBlock::kLog2 * (levels_ - level - 1);  // of a part, in bricks
    for (uint32_t part = 0; part < GroupBlock::kParts; ++part) {
      const Int3 at = place * 8 + GroupBlock::place(part);
      if (at.x * side >= access_.grid.x || at.y * side >= access_.grid.y || at.z * side >= access_.grid.z)
        continue;
      if (level + 1 < levels_) {
        parts[part] = block(level + 1, at, assembly);
      } else if (const uint64_t brick = access_.index(at); !bricks_.is_empty(brick)) {
        assembly.add(bricks_, brick, words_[brick]);
        parts[part] = 1;
      }
    }
    return groups_.add(level, parts);
  }

  const FrozenBricks& bricks_;
  BricksRef access_;
  std::vector<uint64_t> words_;
  uint32_t levels_;
  GroupsAssembly groups_;
};

}  // namespace

FrozenBricks with_sparse_root(const FrozenBricks& bricks) {
  return Grouping(bricks).grouped();
}

}  // namespace vox::bricks
