// A small reader of .nvdb files for tests, written from the layout alone. It looks up one voxel at a time,
// like a program that needs only a single value.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>

#include "libvox/base/vec.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox::testing_nvdb {

using testing_export::number_at;

// Positions in the file of an uncompressed grid.
struct NvdbPlaces {
  explicit NvdbPlaces(const std::string& bytes) {
    grid = 16 + 176 + number_at<uint32_t>(bytes, 152);
    tree = grid + 672;
    root = tree + number_at<uint64_t>(bytes, tree + 24);
    type = number_at<uint32_t>(bytes, grid + 636);
    is_index = type == 19 || type == 20;
    tiles = root + (is_index ? 96 : 64);
  }
  uint64_t grid = 0, tree = 0, root = 0, tiles = 0;
  uint32_t type = 0;
  bool is_index = false;
};

class NvdbLookup {
 public:
  explicit NvdbLookup(std::string bytes) : bytes_(std::move(bytes)), at_(bytes_) {}

  bool finds_inactive = false;  // value() also returns the values of voxels that are not active

  const NvdbPlaces& places() const { return at_; }
  template <class T>
  T get(uint64_t at) const {
    return number_at<T>(bytes_, at);
  }

  // Returns the bits of an active voxel's value: its index in an index grid, otherwise the type's own form.
  std::optional<uint64_t> value(Int3 v) const {
    const uint64_t key = uint64_t(uint32_t(v.x) >> 12) << 42 | uint64_t(uint32_t(v.y) >> 12) << 21 |
                         uint64_t(uint32_t(v.z) >> 12);
    for (uint32_t i = 0; i < get<uint32_t>(at_.root + 24); ++i) {
      const uint64_t tile = at_.tiles + uint64_t{32} * i;
      if (get<uint64_t>(tile) != key) continue;
      if (const auto child = get<int64_t>(tile + 8)) return in_upper(at_.root + uint64_t(child), v);
      return get<uint32_t>(tile + 16) || finds_inactive
                 ? std::optional(tile_value(tile + (at_.is_index ? 24 : 20)))
                 : std::nullopt;
    }
    if (finds_inactive) return tile_value(at_.root + 28);
    return std::nullopt;
  }

  // Returns the array of this name beside the tree.
  std::string array(const std::string& name) const {
    const uint64_t first = at_.grid + get<uint64_t>(at_.grid + 640);
    for (uint64_t i = 0; i < get<uint32_t>(at_.grid + 648); ++i) {
      const uint64_t record = first + 288 * i;
      if (name != bytes_.c_str() + record + 32) continue;
      return bytes_.substr(record + get<uint64_t>(record),
                           get<uint64_t>(record + 8) * get<uint32_t>(record + 16));
    }
    return "";
  }

 private:
  bool bit(uint64_t mask, uint32_t i) const { return get<uint8_t>(mask + i / 8) >> i % 8 & 1; }
  uint64_t tile_value(uint64_t at) const { return at_.is_index ? get<uint64_t>(at) : get<uint32_t>(at); }

  std::optional<uint64_t> in_upper(uint64_t node, Int3 v) const {
    const auto n = uint32_t((v.x >> 7 & 31) << 10 | (v.y >> 7 & 31) << 5 | (v.z >> 7 & 31));
    const uint64_t entry = node + 8256 + uint64_t{8} * n;
    if (bit(node + 32 + 4096, n)) return in_lower(node + get<uint64_t>(entry), v);
    return bit(node + 32, n) || finds_inactive ? std::optional(tile_value(entry)) : std::nullopt;
  }
  std::optional<uint64_t> in_lower(uint64_t node, Int3 v) const {
    const auto n = uint32_t((v.x >> 3 & 15) << 8 | (v.y >> 3 & 15) << 4 | (v.z >> 3 & 15));
    const uint64_t entry = node + 1088 + uint64_t{8} * n;
    if (bit(node + 32 + 512, n)) return in_leaf(node + get<uint64_t>(entry), v);
    return bit(node + 32, n) || finds_inactive ? std::optional(tile_value(entry)) : std::nullopt;
  }
  std::optional<uint64_t> in_leaf(uint64_t leaf, Int3 v) const {
    const auto n = uint32_t((v.x & 7) << 6 | (v.y & 7) << 3 | (v.z & 7));
    if (!bit(leaf + 16, n) && !finds_inactive) return std::nullopt;
    if (at_.type == 1 || at_.type == 12) return get<uint32_t>(leaf + 96 + uint64_t{4} * n);
    if (at_.type == 14 || at_.type == 15) {
      const auto code = at_.type == 14 ? float(get<uint8_t>(leaf + 96 + n))
                                       : float(get<uint16_t>(leaf + 96 + uint64_t{2} * n));
      const float value = code * get<float>(leaf + 84) + get<float>(leaf + 80);
      uint32_t bits = 0;
      std::memcpy(&bits, &value, 4);
      return bits;
    }
    uint64_t before = 0;
    if (at_.type == 19) {
      EXPECT_EQ(get<uint8_t>(leaf + 15) & 16, 16);
      for (uint32_t i = 0; i < n; ++i) before += bit(leaf + 16, i);
      return get<uint64_t>(leaf + 88) + before;
    }
    if (n >= 64) before = get<uint64_t>(leaf + 88) >> 9 * (n / 64 - 1) & 511;
    for (uint32_t i = n / 64 * 64; i < n; ++i) before += bit(leaf + 16, i);
    return get<uint64_t>(leaf + 80) + before;
  }

  std::string bytes_;
  NvdbPlaces at_;
};

}  // namespace vox::testing_nvdb
