// A small reader of .vdb files for tests.
#pragma once

#include <gtest/gtest.h>
#include <libdeflate.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "libvox/base/vec.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox::testing_vdb {

using testing_export::number_at;

using Value = std::array<double, 3>;  // the others are 0 in a grid of single numbers

// A voxel or a tile.
struct ReadCube {
  Int3 corner;
  int32_t side;
  Value value;
};

// A grid as the file has it, and the transform.
struct ReadGrid {
  std::string type;
  std::map<std::string, std::string> metadata;
  Vec3d shift, sides;
  std::vector<ReadCube> cubes;
  uint64_t tiles = 0, leaves = 0;
  Value background = {};
  bool has_negative = false;  // inactive values may be the background's negative
};

// Reads a .vdb file of version 224 with the compression ZIP | ACTIVE_MASK by the layout of OpenVDB's io and tree, and
// shares nothing with the library.
class VdbReader {
 public:
  explicit VdbReader(std::string bytes) : bytes_(std::move(bytes)) {
    EXPECT_EQ(number<uint64_t>(), 0x56444220u);
    EXPECT_EQ(number<uint32_t>(), 224u);
    at_ += 8;
    EXPECT_EQ(number<uint8_t>(), 1);
    const std::string name = bytes_.substr(at_, 36);
    EXPECT_EQ(std::string({name[8], name[13], name[18], name[23]}), "----");
    at_ += 36;
    EXPECT_EQ(metadata().at("creator"), "vox");
    for (auto grids = number<uint32_t>(); grids > 0; --grids) read_grid();
    EXPECT_EQ(at_, bytes_.size());
  }

  std::map<std::string, ReadGrid> grids;

 private:
  template <class T>
  T number() {
    at_ += sizeof(T);
    return number_at<T>(bytes_, at_ - sizeof(T));
  }
  std::string text() {
    const auto size = number<uint32_t>();
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  std::map<std::string, std::string> metadata() {
    std::map<std::string, std::string> found;
    for (auto count = number<uint32_t>(); count > 0; --count) {
      const std::string name = text();
      EXPECT_EQ(text(), "string");
      found[name] = text();
    }
    return found;
  }
  Vec3d vector() {
    const auto x = number<double>(), y = number<double>();
    return {x, y, number<double>()};
  }
  std::vector<bool> mask(size_t bits) {
    std::vector<bool> mask(bits);
    for (size_t i = 0; i < bits; ++i)
      mask[i] = (static_cast<uint8_t>(bytes_.at(at_ + i / 8)) >> i % 8 & 1) != 0;
    at_ += bits / 8;
    return mask;
  }
  Value value_of(const std::string& bytes, size_t at) const {
    Value value = {};
    for (size_t i = 0; i < value_bytes_ / 4; ++i)
      value[i] = grid_->type == "Tree_int32_5_4_3" ? number_at<int32_t>(bytes, at + 4 * i)
                                                   : double{number_at<float>(bytes, at + 4 * i)};
    return value;
  }
  // Returns the values of the bits that are set.
  std::vector<Value> values(const std::vector<bool>& active) {
    const auto inactive = number<uint8_t>();  // 0: the background, 1: its negative, 3: one of them by a mask
    EXPECT_TRUE(inactive == 0 || inactive == 1 || inactive == 3) << "only active values are stored";
    grid_->has_negative = grid_->has_negative || inactive != 0;
    if (inactive == 3) mask(active.size());
    const auto count = static_cast<size_t>(std::ranges::count(active, true));
    const auto size = number<int64_t>();
    std::string bytes(count * value_bytes_, '\0');
    if (size <= 0) {
      EXPECT_EQ(static_cast<size_t>(-size), bytes.size());
      bytes = bytes_.substr(at_, bytes.size());
      at_ += bytes.size();
    } else {
      libdeflate_decompressor* decompressor = libdeflate_alloc_decompressor();
      EXPECT_EQ(libdeflate_zlib_decompress(decompressor, bytes_.data() + at_, static_cast<size_t>(size),
                                           bytes.data(), bytes.size(), nullptr),
                LIBDEFLATE_SUCCESS);
      libdeflate_free_decompressor(decompressor);
      at_ += static_cast<size_t>(size);
    }
    std::vector<Value> all;
    for (size_t i = 0; i < count; ++i) all.push_back(value_of(bytes, i * value_bytes_));
    return all;
  }

  static Int3 place(Int3 corner, size_t entry, int bits, int32_t side) {
    const auto along = [&](int shift) {
      return static_cast<int32_t>(entry >> shift & ((1u << bits) - 1)) * side;
    };
    return corner + Int3{along(2 * bits), along(bits), along(0)};
  }
  void put(Int3 corner, int32_t side, const Value& value) {
    grid_->cubes.push_back({corner, side, value});
    grid_->tiles += side > 1 ? 1 : 0;
  }

  // Reads the topology of a node with children of this side.
  void read_node(Int3 corner, int bits, int32_t child_side) {
    const size_t entries = size_t{1} << 3 * bits;
    const std::vector<bool> children = mask(entries), active = mask(entries);
    const std::vector<Value> tiles = values(active);
    for (size_t i = 0, tile = 0; i < entries; ++i) {
      EXPECT_FALSE(children[i] && active[i]);
      if (active[i]) put(place(corner, i, bits, child_side), child_side, tiles[tile++]);
    }
    for (size_t i = 0; i < entries; ++i) {
      if (!children[i]) continue;
      const Int3 child = place(corner, i, bits, child_side);
      if (child_side == 128)
        read_node(child, 4, 8);
      else
        leaves_.emplace_back(child, mask(512));
    }
  }
  Int3 corner() {
    const auto x = number<int32_t>(), y = number<int32_t>();
    return {x, y, number<int32_t>()};
  }

  void read_grid() {
    const std::string name = text();
    grid_ = &grids[name];
    grid_->type = text();
    value_bytes_ = grid_->type == "Tree_vec3s_5_4_3" ? 12 : 4;
    EXPECT_EQ(text(), "");
    const auto begin = number<int64_t>(), block = number<int64_t>(), end = number<int64_t>();
    EXPECT_EQ(begin, static_cast<int64_t>(at_));
    EXPECT_EQ(number<uint32_t>(), 3u);
    grid_->metadata = metadata();
    EXPECT_EQ(grid_->metadata.at("name"), name);
    EXPECT_EQ(text(), "ScaleTranslateMap");
    grid_->shift = vector();
    grid_->sides = vector();
    const Vec3d s = grid_->sides;
    EXPECT_EQ(vector(), s);
    EXPECT_EQ(vector(), (Vec3d{1 / s.x, 1 / s.y, 1 / s.z}));
    for (const double factor : {1.0, 0.5}) {
      const Vec3d found = vector();
      for (uint32_t axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(found[axis] * s[axis] * (factor == 1 ? s[axis] : 1), factor, 1e-12);
    }
    EXPECT_EQ(number<uint32_t>(), 1u);
    grid_->background = value_of(bytes_, at_);
    at_ += value_bytes_;
    const auto tiles = number<uint32_t>(), children = number<uint32_t>();
    for (uint32_t i = 0; i < tiles; ++i) {
      const Int3 at = corner();
      put(at, 4096, value_of(bytes_, at_));
      at_ += value_bytes_;
      EXPECT_EQ(number<uint8_t>(), 1);
    }
    for (uint32_t i = 0; i < children; ++i) read_node(corner(), 5, 128);
    EXPECT_EQ(block, static_cast<int64_t>(at_));
    for (const auto& [at, active] : leaves_) {
      EXPECT_EQ(mask(512), active);
      const std::vector<Value> of_leaf = values(active);
      for (size_t i = 0, next = 0; i < active.size(); ++i)
        if (active[i]) put(place(at, i, 3, 1), 1, of_leaf[next++]);
    }
    grid_->leaves = leaves_.size();
    leaves_.clear();
    EXPECT_EQ(end, static_cast<int64_t>(at_));
  }

  std::string bytes_;
  size_t at_ = 0, value_bytes_ = 4;
  ReadGrid* grid_ = nullptr;
  std::vector<std::pair<Int3, std::vector<bool>>> leaves_;
};

}  // namespace vox::testing_vdb
