#include "libvox/bricks/frozen_bricks.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/process.h"
#include "libvox/bricks/sparse_root.h"
#include "libvox/volume/volume.h"

namespace vox::bricks {
namespace {

template <class T, class Root>
void read_box(const Root& bricks, T background, const VoxelBox& box, T* out) {
  const auto side = static_cast<int32_t>(bricks.shape.side());
  const uint64_t row = static_cast<uint64_t>(box.size().x), rows = static_cast<uint64_t>(box.size().y);
  parallel_for(uint64_t{0}, rows * static_cast<uint64_t>(box.size().z), [&](uint64_t i) {
    const auto y = static_cast<int32_t>(i % rows), z = static_cast<int32_t>(i / rows);
    T* to = out + i * row;
    for (Int3 at = {box.min.x, box.min.y + y, box.min.z + z}; at.x < box.max.x;) {
      const int32_t end = std::min(box.max.x, (at.x & -side) + side);
      const auto count = static_cast<uint32_t>(end - at.x);
      bricks.template neighbors<T>(bricks.find(bricks.place_of(at)), at, count, to);
      for (uint32_t k = 0; k < count; ++k) to[k] ^= background;
      to += count;
      at.x = end;
    }
  });
}

template <class T>
void check_bricks(const FrozenBricks& bricks) {
  const BricksRef access = ref(bricks);
  parallel_for(uint64_t{0}, bricks.entries(), [&](uint64_t brick) {
    const BricksRef::Entry entry = access.entry(brick);
    const uint32_t type = entry.type;
    const uint64_t place = entry.place;
    if (type >= kBrickTypeCount) throw Error(fmt::format("brick {} is of type {}", brick, type));
    const Words& data = bricks.data[type];
    bool fits = place <= data.size();
    BrickTypes::with(type, [&]<class Type>() {
      fits = fits && Type::template fits<T>(data.data() + place, data.size() - place, bricks.shape());
    });
    if (!fits)
      throw Error(fmt::format("brick {} at word {} does not stay inside the {} words of {}", brick, place,
                              data.size(), BrickTypes::kNames[type]));
  });
}

}  // namespace

Int3 brick_grid(Int3 size, uint32_t log2_side) {
  const auto count = [&](int32_t voxels) { return (voxels + (1 << log2_side) - 1) >> log2_side; };
  return {count(size.x), count(size.y), count(size.z)};
}

Int3 FrozenBricks::grid() const {
  return brick_grid(info.size, log2_side);
}

VoxelBox FrozenBricks::box(uint64_t brick) const {
  const Int3 corner = volume::voxel_at({{0, 0, 0}, grid()}, brick) * static_cast<int32_t>(shape().side());
  return intersection(cube_at(corner, shape().side()), info.box());
}

bool FrozenBricks::is_empty(uint64_t entry) const {
  return ref(*this).entry(entry).type == BrickTypes::kNumber<EmptyBrick>;
}

uint64_t RootGroups::words() const {
  uint64_t sum = top.size();
  for (const Words& level : blocks) sum += level.size();
  for (const Words& list : lists) sum += list.size();
  return sum;
}

std::span<const GroupBlock> RootGroups::blocks_of(uint32_t level) const {
  return {reinterpret_cast<const GroupBlock*>(blocks[level].data()),
          blocks[level].size() * sizeof(uint32_t) / sizeof(GroupBlock)};
}

void RootGroups::append(uint32_t level, std::span<const GroupBlock> more) {
  const auto* begin = reinterpret_cast<const uint32_t*>(more.data());
  blocks[level].insert(blocks[level].end(), begin, begin + more.size_bytes() / sizeof(uint32_t));
}

uint64_t FrozenBricks::bytes() const {
  uint64_t words = root.size() + groups.words();
  for (const Words& type : data) words += type.size();
  return words * sizeof(uint32_t);
}

uint32_t entry_words_for(const FrozenBricks& bricks) {
  uint64_t most = 0;
  for (const Words& data : bricks.data) most = std::max<uint64_t>(most, data.size());
  return most >> bricks.place_log2 > kMaxShortPlace ? 2 : 1;
}

void set_root(FrozenBricks& bricks, std::span<const uint64_t> entries) {
  bricks.entry_words = entry_words_for(bricks);
  bricks.root.resize(entries.size() * bricks.entry_words);
  uint32_t* to = bricks.root.data();
  for (const uint64_t entry : entries) {
    *to++ = static_cast<uint32_t>(entry);
    if (bricks.entry_words == 2) *to++ = static_cast<uint32_t>(entry >> 32);
  }
}

BricksRef ref(const FrozenBricks& bricks) {
  BricksRef result = {.size = bricks.info.size,
                      .grid = bricks.grid(),
                      .shape = bricks.shape(),
                      .entry_words = bricks.entry_words,
                      .place_log2 = bricks.place_log2,
                      .root = bricks.root.data(),
                      .groups = {},
                      .data = {}};
  if (bricks.is_sparse()) {
    GroupsRef& groups = result.groups;
    groups.levels = bricks.groups.levels();
    groups.grid = group_grid(bricks.info.size, bricks.log2_side, groups.levels);
    groups.top = bricks.groups.top.data();
    for (uint32_t level = 0; level < groups.levels; ++level) {
      groups.blocks[level] = bricks.groups.blocks_of(level).data();
      if (level + 1 < groups.levels) groups.lists[level] = bricks.groups.lists[level].data();
    }
  }
  for (uint32_t type = 0; type < kBrickTypeCount; ++type) result.data[type] = bricks.data[type].data();
  return result;
}

std::vector<uint64_t> brick_words(const FrozenBricks& bricks) {
  const BricksRef access = ref(bricks);
  if (bricks.is_sparse()) return shared_brick_words(bricks);
  std::array<uint64_t, kBrickTypeCount> end;
  for (uint32_t type = 0; type < kBrickTypeCount; ++type) end[type] = bricks.data[type].size();
  std::vector<uint64_t> words(bricks.bricks());
  for (uint64_t brick = words.size(); brick-- > 0;) {
    const auto [type, place] = access.entry(brick);
    if (place > end[type])
      throw Error(fmt::format("brick {} at word {} lies behind the next brick that is {}", brick, place,
                              BrickTypes::kNames[type]));
    words[brick] = end[type] - place;
    end[type] = place;
  }
  return words;
}

void read_brick(const FrozenBricks& bricks, uint64_t entry, std::byte* values) {
  const BricksRef access = ref(bricks);
  const BricksRef::Entry at = access.entry(entry);
  const auto side = static_cast<int32_t>(bricks.shape().side());
  volume::with_word_type(bricks.info.type, [&]<class T>() {
    T* to = reinterpret_cast<T*>(values);
    BrickTypes::with(at.type, [&]<class Type>() {
      for (Int3 row = {0, 0, 0}; row.z < side; ++row.z)
        for (row.y = 0; row.y < side; ++row.y, to += side)
          Type::template neighbors<T>(access.data[at.type] + at.place, bricks.shape(), row,
                                      bricks.shape().side(), to);
    });
    for (T* value = reinterpret_cast<T*>(values); value < to; ++value)
      *value ^= static_cast<T>(bricks.background);
  });
}

BricksAssembly::BricksAssembly(const FrozenBricks& like) {
  result_.info = like.info;
  result_.background = like.background;
  result_.log2_side = like.log2_side;
  result_.filled = like.filled;
  result_.allowed_types = like.allowed_types;
  result_.slope = like.slope;
}

void BricksAssembly::add(const FrozenBricks& from, uint64_t entry, uint64_t words) {
  const auto [type, place] = ref(from).entry(entry);
  Words& data = result_.data[type];
  entries_.push_back(uint64_t{data.size()} << kRootTypeBits | type);
  const uint32_t* begin = from.data[type].data() + place;
  data.insert(data.end(), begin, begin + words);
  ++result_.counts[type];
}

void BricksAssembly::add_empty() {
  constexpr uint32_t kEmpty = BrickTypes::kNumber<EmptyBrick>;
  entries_.push_back(kEmpty);
  ++result_.counts[kEmpty];
}

FrozenBricks BricksAssembly::take() {
  set_root(result_, entries_);
  return std::move(result_);
}

volume::Volume bricks_volume(const FrozenBricks& bricks) {
  volume::Volume volume = {bricks.info, [&bricks](const VoxelBox& box, std::byte* values) {
                             volume::with_word_type(bricks.info.type, [&]<class T>() {
                               with_root(ref(bricks), [&](const auto& root) {
                                 read_box(root, static_cast<T>(bricks.background), box,
                                          reinterpret_cast<T*>(values));
                               });
                             });
                           }};
  if (bricks.is_sparse() && bricks.background == 0)
    volume.is_zero = [&bricks](const VoxelBox& box) { return is_known_empty(bricks, box); };
  return volume;
}

volume::Volume types_volume(const FrozenBricks& bricks) {
  static_assert(BrickTypes::kNumber<EmptyBrick> == 0);
  volume::VolumeInfo info = bricks.info;
  info.type = volume::ValueType::U8;
  volume::Volume volume = {info, [&bricks](const VoxelBox& box, std::byte* values) {
                             volume::with_word_type(bricks.info.type, [&]<class T>() {
                               with_root(ref(bricks), [&](const auto& root) {
                                 Int3 at;
                                 for (at.z = box.min.z; at.z < box.max.z; ++at.z)
                                   for (at.y = box.min.y; at.y < box.max.y; ++at.y)
                                     for (at.x = box.min.x; at.x < box.max.x; ++at.x) {
                                       const BricksRef::Entry entry = root.find(root.place_of(at));
                                       const bool is_empty = root.template get<T>(entry, at) == 0;
                                       *values++ = std::byte(is_empty ? 0 : entry.type);
                                     }
                               });
                             });
                           }};
  if (bricks.is_sparse())
    volume.is_zero = [&bricks](const VoxelBox& box) { return is_known_empty(bricks, box); };
  return volume;
}

void check_structure(const FrozenBricks& bricks) {
  if (bricks.log2_side < kMinBrickLog2 || bricks.log2_side > kMaxBrickLog2)
    throw Error(fmt::format("bricks of 2^{} voxels a side, expected 4 to 512", bricks.log2_side));
  check_entry_words(bricks);
  if (bricks.place_log2 > (bricks.is_sparse() ? kMostPlaceLog2 : 0))
    throw Error(fmt::format("places are in units of 2^{} words", bricks.place_log2));
  if (bricks.is_sparse()) check_groups(bricks);
  volume::with_word_type(bricks.info.type, [&]<class T>() { check_bricks<T>(bricks); });
}

uint64_t BrickTotals::root_bytes() const {
  const uint64_t most_words = *std::ranges::max_element(bytes) / sizeof(uint32_t);
  return bricks * sizeof(uint32_t) * (most_words > kMaxShortPlace ? 2 : 1);
}

uint64_t BrickTotals::total_bytes() const {
  return std::accumulate(bytes.begin(), bytes.end(), root_bytes());
}

void check_brick_types(uint32_t types) {
  if ((types & BrickTypes::kHoldAll) != 0) return;
  std::string names;
  for (uint32_t type = 0; type < kBrickTypeCount; ++type)
    if ((BrickTypes::kHoldAll >> type & 1) != 0)
      names += (names.empty() ? "" : ", ") + std::string(BrickTypes::kNames[type]);
  throw UsageError(
      fmt::format("these types of bricks cannot hold every volume, expected at least one of: {}", names));
}

void check_root_memory(Int3 size, uint32_t log2_side) {
  constexpr uint64_t kEntryBytes =
      sizeof(uint64_t) + sizeof(uint32_t);  // while it is made, and when it is packed
  const Int3 grid = brick_grid(size, log2_side == 0 ? kMostTriedLog2 : log2_side);
  const uint64_t bytes = VoxelBox{{0, 0, 0}, grid}.voxels() * kEntryBytes, available = available_bytes();
  if (bytes > available) throw OutOfMemory(bytes, available);
}

namespace {

uint64_t filled_in_volume(const FrozenBricks& bricks) {
  uint64_t filled = 0;
  volume::read_pieces(bricks_volume(bricks), volume::kReadVoxels,
                      [&](const VoxelBox& box, const std::byte* values) {
                        filled += tbb::parallel_reduce(
                            tbb::blocked_range<uint64_t>(0, box.voxels(), 1 << 16), uint64_t{0},
                            [&](const auto& part, uint64_t sum) {
                              for (uint64_t i = part.begin(); i < part.end(); ++i)
                                sum += volume::bits_at(bricks.info.type, values, i) != bricks.background;
                              return sum;
                            },
                            std::plus<>());
                      });
  return filled;
}

// Returns the same from the voxels of each brick of a sparse root, and how often it occurs.
uint64_t filled_by_entries(const FrozenBricks& bricks) {
  const std::vector<BrickUse> uses = brick_uses(bricks);
  return tbb::parallel_reduce(
      tbb::blocked_range<uint64_t>(0, uses.size(), 256), uint64_t{0},
      [&](const auto& part, uint64_t sum) {
        std::vector<std::byte> values(uint64_t{bricks.shape().voxels()} *
                                      volume::value_bytes(bricks.info.type));
        for (uint64_t brick = part.begin(); brick < part.end(); ++brick) {
          read_brick(bricks, uses[brick].entry, values.data());
          uint64_t filled = 0;
          for (uint64_t i = 0; i < bricks.shape().voxels(); ++i)
            filled += volume::bits_at(bricks.info.type, values.data(), i) != bricks.background;
          sum += filled * uses[brick].times;
        }
        return sum;
      },
      std::plus<>());
}

}  // namespace

void verify(const FrozenBricks& bricks) {
  check_structure(bricks);
  const uint64_t filled = bricks.is_sparse() ? filled_by_entries(bricks) : filled_in_volume(bricks);
  if (filled != bricks.filled)
    throw Error(
        fmt::format("the number of filled voxels is {}, but the bricks hold {}", bricks.filled, filled));
}

}  // namespace vox::bricks
