// Makes bricks from a volume on one device.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "libvox/base/progress.h"
#include "libvox/bricks/bodies.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/bricks/sparse_root.h"
#include "libvox/device/pool.h"
#include "libvox/volume/volume.h"

namespace vox::bricks {

template <class Device, class T>
class BricksBuilder {
 public:
  BricksBuilder(Device& device, const volume::Volume& volume, const BricksOptions& options,
                const volume::ValueRule& rule)
      : device_(device), volume_(volume), options_(options), rule_(rule), packer_(device, options.types) {}

  // Pieces are cut along bricks of the largest side that is tried, because these contain whole bricks of all others.
  std::vector<BrickTotals> measure() {
    std::vector<BrickTotals> totals;
    for (uint32_t log2_side = kMinBrickLog2; log2_side <= kMostTriedLog2; ++log2_side) {
      const VoxelBox bricks = {{0, 0, 0}, brick_grid(volume_.info.size, log2_side)};
      totals.push_back(
          {.log2_side = log2_side, .bricks = bricks.voxels(), .thesis_bytes = 8 * bricks.voxels()});
    }
    const auto measure_filled = [&](const VoxelBox&) {
      for (BrickTotals& sums : totals) {
        const BrickShape shape = {sums.log2_side};
        add(choose(shape), shape, sums);
      }
    };
    const auto measure_empty = [&](const VoxelBox& box) {
      for (BrickTotals& sums : totals) {
        sums.counts[kEmpty] += VoxelBox{{0, 0, 0}, brick_grid(box.size(), sums.log2_side)}.voxels();
        sums.voxels[kEmpty] += box.voxels();
      }
    };
    for_each_piece("measuring bricks", {kMostTriedLog2}, measure_filled, measure_empty);
    return totals;
  }

  // Reserves memory for bricks of this size. Arrays that grow piece by piece would need as much again.
  void reserve(const BrickTotals& totals) {
    for (uint32_t type = 0; type < kBrickTypeCount; ++type)
      result_.data[type].reserve(totals.bytes[type] / sizeof(uint32_t));
  }

  FrozenBricks build(uint32_t log2_side) {
    const BrickShape shape = {log2_side};
    result_.info = volume_.info;
    result_.background = rule_.background;
    result_.log2_side = log2_side;
    levels_ = group_levels(volume_.info.size, log2_side, options_.root);
    std::vector<uint64_t> entries;
    if (levels_ > 0) {
      result_.groups = build_groups(shape, entries);
    } else {
      entries.reserve(result_.bricks());
      const auto append_empty = [&](const VoxelBox& box) {
        const uint64_t count = VoxelBox{{0, 0, 0}, brick_grid(box.size(), log2_side)}.voxels();
        result_.counts[kEmpty] += count;
        entries.resize(entries.size() + count, kEmpty);
      };
      for_each_piece(
          "building bricks", shape, [&](const VoxelBox&) { append(choose(shape), shape, entries); },
          append_empty);
    }
    set_root(result_, entries);
    return std::move(result_);
  }

  double read_seconds() const { return read_seconds_; }

 private:
  static constexpr uint32_t kEmpty = BrickTypes::kNumber<EmptyBrick>;
  // If a huge volume knows where it is empty, its pieces are small, so that most of them can be skipped.
  static constexpr uint64_t kHugeVolume = uint64_t{1} << 33, kSmallPiece = uint64_t{1} << 21;  // voxels

  // Returns the number of voxels that a piece may have. kBytes is the most that one voxel takes: its value,
  // its word, its share of the masks and of the arrays over bricks of 4³, and its share of the finished
  // bricks. That share is at most a list's code and value, unless the allowed types are bad for this volume.
  uint64_t piece_voxels() const {
    constexpr uint64_t kBytes = 2 * sizeof(T) + 1 + 2 + 2 * (4 + sizeof(T));
    if (options_.piece_voxels > 0) return options_.piece_voxels;
    const uint64_t most =
        std::min<uint64_t>(device_.pool().available() / kBytes, 16 * device_.preferred_chunk_pairs());
    return volume_.is_zero && volume_.info.box().voxels() > kHugeVolume ? std::min(most, kSmallPiece) : most;
  }

  // Returns the box of the volume that a box of bricks covers.
  VoxelBox covered(const VoxelBox& bricks, BrickShape shape) const {
    const auto side = static_cast<int32_t>(shape.side());
    return intersection({bricks.min * side, bricks.max * side}, volume_.info.box());
  }

  // True if all bricks of the box have the type for empty bricks, which has no words.
  bool is_empty(const VoxelBox& box) const {
    return volume_.is_zero && (options_.types >> kEmpty & 1) != 0 && rule_.word(T{0}) == 0 &&
           volume_.is_zero(box);
  }

  // Reads and arranges the volume piece by piece, in bricks of this shape, in the order of the root grid, and calls
  // filled(box). For boxes without a filled voxel it calls only empty(box), so few voxels that lie far apart cost
  // little work.
  template <class Filled, class Empty>
  void for_each_piece(const char* what, BrickShape shape, const Filled& filled, const Empty& empty) {
    const Int3 grid = brick_grid(volume_.info.size, shape.log2_side);
    const volume::Pieces pieces({{0, 0, 0}, grid},
                                std::max<uint64_t>(piece_voxels() >> shape.code_bits(), 1));
    std::optional<Progress> progress;
    if (pieces.count() > 1) progress.emplace(what, pieces.count());
    for (uint64_t piece = 0; piece < pieces.count(); ++piece) {
      throw_if_cancelled();
      const VoxelBox box = covered(pieces[piece], shape);
      if (is_empty(box)) {
        empty(box);
      } else {
        arrange(pieces[piece], shape);
        filled(box);
      }
      if (progress) progress->update(piece + 1, "");
    }
    packer_.release();
  }

  void arrange(const VoxelBox& bricks, BrickShape shape) {
    const VoxelBox box = covered(bricks, shape);
    Stopwatch watch;
    host_values_.resize(box.voxels());
    volume_.read(box, reinterpret_cast<std::byte*>(host_values_.data()));
    read_seconds_ += watch.seconds();
    auto values = device_.template make<T>(box.voxels());
    device_.upload(values.data(), host_values_.data(), box.voxels());
    voxels_ = bricks.voxels() << shape.code_bits();
    piece_size_ = box.size();
    piece_grid_ = bricks.size();
    piece_shape_ = shape;
    packer_.make_room(voxels_);
    device_.for_each({"bricks: arrange voxels", 128 * sizeof(T)}, voxels_ >> 6,
                     ArrangeBlock<T>{values.data(), box.size(), bricks.size(), shape, rule_, packer_.words(),
                                     packer_.masks()});
  }

  // Returns the bricks of this shape in the current piece.
  PieceBricks places(BrickShape shape) const { return {piece_size_, piece_grid_, piece_shape_, shape}; }
  BrickChoice choose(BrickShape shape) { return packer_.choose(voxels_ >> shape.code_bits(), places(shape)); }

  void add(const BrickChoice& choice, BrickShape shape, BrickTotals& sums) {
    const uint64_t n = choice.count;
    for (uint32_t type = 0; type < kBrickTypeCount; ++type) {
      sums.counts[type] += device_.sum("bricks: count types", n, IsType{choice.types.data(), type});
      sums.bytes[type] +=
          device_.sum("bricks: add sizes", n, BytesOfType{choice.types.data(), choice.bytes.data(), type});
      sums.voxels[type] +=
          device_.sum("bricks: voxels of types", n, VoxelsOfType{choice.types.data(), places(shape), type});
    }
    sums.filled += device_.sum("bricks: filled voxels", n, FilledVoxels{choice.counts.data()});
    sums.thesis_bytes += device_.sum("bricks: sizes of the thesis", n,
                                     ThesisBytes{choice.counts.data(), shape, uint32_t{sizeof(T)}});
  }

  // Builds this piece's bricks and appends them to the bricks of the previous pieces.
  void append(const BrickChoice& choice, BrickShape shape, std::vector<uint64_t>& entries) {
    packer_.append(choice, shape, result_, entries);
    result_.filled += device_.sum("bricks: filled voxels", choice.count, FilledVoxels{choice.counts.data()});
  }

  // --- a sparse root ---

  // Builds the bricks group by group, and leaves out groups that are known to be empty.
  RootGroups build_groups(BrickShape shape, std::vector<uint64_t>& entries) {
    GroupsAssembly groups(levels_);
    const Int3 grid = group_grid(volume_.info.size, shape.log2_side, levels_);
    Words top(VoxelBox{{0, 0, 0}, grid}.voxels());
    Progress progress("building bricks", top.size());
    for (uint64_t i = 0; i < top.size(); ++i) {
      top[i] = build_group(groups, 0, cell_place(grid, i), shape, entries);
      progress.update(i + 1, "");
    }
    packer_.release();
    return groups.take(std::move(top));
  }

  // Returns the number of the block of a group, or 0 if nothing in it is filled.
  uint32_t build_group(GroupsAssembly& groups, uint32_t level, Int3 place, BrickShape shape,
                       std::vector<uint64_t>& entries) {
    throw_if_cancelled();
    const int32_t parts_side = 1 << GroupBlock::kLog2 * (levels_ - level - 1);  // in bricks
    const Int3 low = place * 8 * parts_side;
    const VoxelBox bricks = {low, low + Int3{8, 8, 8} * parts_side};
    const VoxelBox box = covered(bricks, shape);
    if (box.empty() || is_empty(box)) return 0;
    GroupParts parts = {};
    if (level + 1 == levels_) {
      const uint64_t first = entries.size();
      const volume::Pieces pieces(bricks, std::max<uint64_t>(piece_voxels() >> shape.code_bits(), 1));
      for (uint64_t piece = 0; piece < pieces.count(); ++piece) {
        if (covered(pieces[piece], shape).empty()) {
          entries.resize(entries.size() + pieces[piece].voxels(), kEmpty);
        } else {
          arrange(pieces[piece], shape);
          append(choose(shape), shape, entries);
        }
      }
      uint64_t kept = first;
      for (uint32_t part = 0; part < GroupBlock::kParts; ++part) {
        const uint64_t entry = entries[first + part];
        if ((entry & ((1u << kRootTypeBits) - 1)) == kEmpty) continue;
        parts[part] = 1;
        entries[kept++] = entry;
      }
      entries.resize(kept);
      result_.counts[kEmpty] = 0;
    } else {
      for (uint32_t part = 0; part < GroupBlock::kParts; ++part)
        parts[part] = build_group(groups, level + 1, place * 8 + GroupBlock::place(part), shape, entries);
    }
    return groups.add(level, parts);
  }

  Device& device_;
  const volume::Volume& volume_;
  const BricksOptions& options_;
  const volume::ValueRule rule_;
  FrozenBricks result_;
  double read_seconds_ = 0;
  // The current piece.
  std::vector<T, UninitializedAllocator<T>> host_values_;
  uint64_t voxels_ = 0;
  Int3 piece_size_ = {}, piece_grid_ = {};  // in voxels; in bricks of the shape in which it is arranged
  BrickShape piece_shape_;
  BrickPacker<Device, T> packer_;
  uint32_t levels_ = 0;  // the number of levels of groups
};

template <class Device>
std::vector<BrickTotals> measure_bricks(Device& device, const volume::Volume& volume,
                                        const BricksOptions& options) {
  check_brick_types(options.types);
  const volume::ValueRule rule = volume::value_rule(volume, options.threshold);
  return volume::with_word_type(volume.info.type, [&]<class T>() {
    return BricksBuilder<Device, T>(device, volume, options, rule).measure();
  });
}

template <class Device>
BricksResult build_bricks(Device& device, const volume::Volume& volume, const BricksOptions& options) {
  check_brick_types(options.types);
  // A volume that cannot tell where it is empty is read as a whole, so it must not be that large.
  if (group_levels(volume.info.size, options.log2_side, options.root) == 0 || !volume.is_zero)
    check_root_memory(volume.info.size, options.log2_side);
  BricksResult result;
  Stopwatch watch;
  const volume::ValueRule rule = volume::value_rule(volume, options.threshold);
  result.read_seconds = watch.lap();
  volume::with_word_type(volume.info.type, [&]<class T>() {
    BricksBuilder<Device, T> builder(device, volume, options, rule);
    uint32_t log2_side = options.log2_side;
    if (log2_side == 0) {
      result.tried = builder.measure();
      const auto least = std::ranges::min_element(result.tried, {}, &BrickTotals::total_bytes);
      log2_side = least->log2_side;
      builder.reserve(*least);
    }
    result.bricks = builder.build(log2_side);
    result.bricks.allowed_types = options.types;
    result.seconds = watch.seconds() - builder.read_seconds();
    result.read_seconds += builder.read_seconds();
  });
  result.peak_device_bytes = device.pool().peak();
  return result;
}

}  // namespace vox::bricks
