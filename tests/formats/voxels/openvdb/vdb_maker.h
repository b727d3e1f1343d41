// Makes small .vdb files with every way of storing values, by the layout of OpenVDB's io and tree. It shares no code
// with the reader, and tells the value that it has written for each voxel.
#pragma once

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libvox/base/vec.h"

namespace vox::testing_vdb {

struct VdbMaker {
  enum class Packing { Plain = 0, Zip = 1, Blosc = 4 };

  // The file.
  uint32_t version = 224;
  bool has_places = true;
  // The grid.
  std::string type = "float", grid_class = "fog volume", map = "ScaleTranslateMap";
  bool halves = false;
  double background = 0;
  // The values. `state` is how inactive values are stored, 0 to 6.
  Packing packing = Packing::Plain;
  bool active_mask = false;
  uint32_t state = 0;

  static constexpr Vec3<int32_t> kNode = {-128, 0, 128};  // the node of 128³
  static constexpr double kOne = 9, kOther = 11;

  // A hash of an entry of the node decides whether it is a leaf, an active tile or an inactive tile.
  static uint64_t hash(uint64_t i) {
    i = (i ^ i >> 31) * 0x9e3779b97f4a7c15u;
    return (i ^ i >> 29) * 0xbf58476d1ce4e5b9u >> 32;
  }
  static bool is_leaf(size_t entry) { return hash(entry) % 257 == 1; }
  static bool is_active_tile(size_t entry) { return !is_leaf(entry) && hash(entry) % 509 == 2; }
  static bool is_active_voxel(size_t entry, size_t place) { return hash(entry << 12 | place) % 3 == 0; }
  static double active_value(uint64_t seed) { return 1 + static_cast<double>(hash(seed) % 7); }
  double inactive_value(uint64_t i) const {
    const bool selected = i % 3 == 0;
    switch (state) {
      case 0:
        return background;
      case 1:
        return -background;
      case 2:
        return kOne;
      case 3:
        return selected ? background : -background;
      case 4:
        return selected ? background : kOne;
      case 5:
        return selected ? kOther : kOne;
      default:
        return static_cast<double>(i % 50);
    }
  }

  // Returns the value of a voxel of the node, counted from its corner, and whether it is active.
  double value(const Vec3<int32_t>& at) const {
    const size_t entry = entry_of(at, 8, 4), place = entry_of(at, 1, 3);
    if (is_leaf(entry))
      return is_active_voxel(entry, place) ? active_value(entry << 12 | place) : inactive_value(place);
    return is_active_tile(entry) ? active_value(entry) : inactive_value(entry);
  }
  static bool is_active(const Vec3<int32_t>& at) {
    const size_t entry = entry_of(at, 8, 4);
    return is_leaf(entry) ? is_active_voxel(entry, entry_of(at, 1, 3)) : is_active_tile(entry);
  }
  static size_t entry_of(const Vec3<int32_t>& at, int32_t side, int bits) {
    const auto part = [&](int32_t v) { return static_cast<size_t>(v / side) & ((size_t{1} << bits) - 1); };
    return part(at.x) << 2 * bits | part(at.y) << bits | part(at.z);
  }

  std::string file() const {
    std::string out = bytes(uint64_t{0x56444220}, version, uint32_t{10}, uint32_t{0}, uint8_t{has_places});
    out += std::string(36, 'u') + bytes(uint32_t{1}) + text("note") + text("int64") +
           bytes(uint32_t{8}, uint64_t{7});
    out += bytes(int32_t{1}) + text("grid") + text("Tree_" + type + "_5_4_3" + (halves ? "_HalfFloat" : "")) +
           text("");
    const std::string grid = grid_bytes();
    const auto at = static_cast<int64_t>(out.size() + 24);
    const auto end = at + static_cast<int64_t>(grid.size());
    out += has_places ? bytes(at, at, end) : bytes(int64_t{0}, int64_t{0}, int64_t{0});
    return out + grid;
  }

  template <class... T>
  static std::string bytes(const T&... values) {
    std::string out;
    (out.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
    return out;
  }
  static std::string text(std::string_view text) {
    return bytes(static_cast<uint32_t>(text.size())) + std::string(text);
  }

 private:
  bool is_real() const { return type == "float" || type == "double"; }

  std::string number(double v) const {
    if (type == "float") return bytes(static_cast<float>(v));
    if (type == "double") return bytes(v);
    if (type == "int32") return bytes(static_cast<int32_t>(v));
    return bytes(static_cast<uint8_t>(static_cast<int32_t>(v)));
  }
  // A half; the values are whole numbers below 2048.
  static std::string half(double v) {
    const auto size = static_cast<uint32_t>(std::abs(v));
    const auto top = static_cast<uint32_t>(std::bit_width(size));
    const uint32_t bits = size == 0 ? 0 : (14 + top) << 10 | (size << (11 - top) & 0x3ff);
    return bytes(static_cast<uint16_t>(bits | (v < 0 ? 0x8000u : 0)));
  }

  std::string packed(const std::string& plain) const {
    if (packing == Packing::Plain) return plain;
    std::string data = packing == Packing::Zip ? zipped(plain) : blosc(plain);
    if (plain.empty() || data.size() >= plain.size())
      return bytes(-static_cast<int64_t>(plain.size())) + plain;
    return bytes(static_cast<int64_t>(data.size())) + data;
  }
  static std::string zipped(const std::string& plain) {
    libdeflate_compressor* compressor = libdeflate_alloc_compressor(6);
    std::string data(libdeflate_zlib_compress_bound(compressor, plain.size()), '\0');
    data.resize(libdeflate_zlib_compress(compressor, plain.data(), plain.size(), data.data(), data.size()));
    libdeflate_free_compressor(compressor);
    return data;
  }

  static void put_length(std::string& out, size_t left) {
    for (; left >= 255; left -= 255) out += '\xff';
    out += static_cast<char>(left);
  }
  // LZ4. A match begins at the latest earlier place that has the same four bytes.
  static std::string lz4(std::string_view in) {
    std::string out;
    size_t begin = 0;
    const auto put = [&](size_t end, size_t back, size_t length) {
      const size_t literals = end - begin, more = length == 0 ? 0 : length - 4;
      out += static_cast<char>(std::min<size_t>(literals, 15) << 4 | std::min<size_t>(more, 15));
      if (literals >= 15) put_length(out, literals - 15);
      out += in.substr(begin, literals);
      if (length == 0) return;
      out += bytes(static_cast<uint16_t>(back));
      if (more >= 15) put_length(out, more - 15);
      begin = end + length;
    };
    for (size_t at = 1; at + 12 < in.size();) {
      const size_t from = in.rfind(in.substr(at, 4), at - 1);
      if (from == in.npos) {
        ++at;
        continue;
      }
      size_t length = 4;
      while (at + length + 5 < in.size() && in[from + length] == in[at + length]) ++length;
      put(at, at - from, length);
      at = begin;
    }
    put(in.size(), 0, 0);
    return out;
  }
  // Blosc with blocks of 1024 bytes of floats, shuffled and split, and a shorter last one.
  static std::string blosc(const std::string& plain) {
    constexpr size_t kBlock = 1024, kFloat = 4;
    const size_t blocks = (plain.size() + kBlock - 1) / kBlock;
    std::string starts, data;
    for (size_t i = 0; i < blocks; ++i) {
      const std::string block = plain.substr(i * kBlock, kBlock);
      std::string turned;
      for (size_t byte = 0; byte < kFloat; ++byte)
        for (size_t at = byte; at < block.size() / kFloat * kFloat; at += kFloat) turned += block[at];
      turned += block.substr(block.size() / kFloat * kFloat);
      starts += bytes(static_cast<uint32_t>(16 + 4 * blocks + data.size()));
      const size_t each = block.size() == kBlock ? kBlock / kFloat : block.size();
      for (size_t at = 0; at < block.size(); at += each) {
        std::string piece = lz4(std::string_view(turned).substr(at, each));
        if (piece.size() >= each) piece = turned.substr(at, each);
        data += bytes(static_cast<uint32_t>(piece.size())) + piece;
      }
    }
    const auto size = static_cast<uint32_t>(plain.size());
    return bytes(uint8_t{2}, uint8_t{1}, uint8_t{1 | 1 << 5}, uint8_t{kFloat}, size, uint32_t{kBlock},
                 static_cast<uint32_t>(16 + starts.size() + data.size())) +
           starts + data;
  }

  // Returns the head of a block of values, and the values.
  std::string values(const std::vector<bool>& active, const std::function<double(size_t)>& value) const {
    const uint32_t how = active_mask ? state : 6;
    std::string out = bytes(static_cast<uint8_t>(how)), plain;
    if (how == 2 || how == 4 || how == 5) out += number(kOne);
    if (how == 5) out += number(kOther);
    if (how >= 3 && how <= 5) {
      std::vector<bool> selected(active.size());
      for (size_t i = 0; i < active.size(); ++i) selected[i] = i % 3 == 0;
      out += mask(selected);
    }
    for (size_t i = 0; i < active.size(); ++i)
      if (how == 6 || active[i]) plain += halves && is_real() ? half(value(i)) : number(value(i));
    return out + (halves && plain.empty() ? "" : packed(plain));
  }
  static std::string mask(const std::vector<bool>& bits) {
    std::string out(bits.size() / 8, '\0');
    for (size_t i = 0; i < bits.size(); ++i)
      if (bits[i]) out[i / 8] = static_cast<char>(static_cast<uint8_t>(out[i / 8]) | 1u << i % 8);
    return out;
  }
  static std::vector<bool> bits(size_t count, const std::function<bool(size_t)>& bit) {
    std::vector<bool> found(count);
    for (size_t i = 0; i < count; ++i) found[i] = bit(i);
    return found;
  }

  std::string transform() const {
    std::string out = text(map);
    if (map == "AffineMap")
      return out + bytes(std::array<double, 16>{2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 10, 20, 30, 1});
    out += bytes(std::array<double, 3>{10, 20, 30}, std::array<double, 3>{2, 3, 4}, std::array<double, 12>{});
    return out;
  }

  std::string grid_bytes() const {
    std::string out = bytes(static_cast<uint32_t>(packing) | (active_mask ? 2u : 0u));
    out += bytes(uint32_t{1}) + text("class") + text("string") + text(grid_class) + transform();
    out += bytes(uint32_t{1}) + number(background) + bytes(uint32_t{0}, uint32_t{1});
    out += bytes(std::array<int32_t, 3>{-4096, 0, 0});
    const size_t child = entry_of(kNode + Vec3<int32_t>{4096, 0, 0}, 128, 5);
    const std::vector<bool> none(32768, false), children = bits(32768, [&](size_t i) { return i == child; });
    out += mask(children) + mask(none) + empty_values(none);
    const auto leaves = bits(4096, is_leaf), tiles = bits(4096, is_active_tile);
    out += mask(leaves) + mask(tiles);
    out += values(tiles, [&](size_t i) { return is_active_tile(i) ? active_value(i) : inactive_value(i); });
    std::string buffers;
    for (size_t entry = 0; entry < 4096; ++entry) {
      if (!is_leaf(entry)) continue;
      const auto active = bits(512, [&](size_t place) { return is_active_voxel(entry, place); });
      out += mask(active);
      buffers += mask(active);
      buffers += values(active, [&](size_t place) {
        return active[place] ? active_value(entry << 12 | place) : inactive_value(place);
      });
    }
    return out + buffers;
  }
  // The values of the node of 4096³ are the background.
  std::string empty_values(const std::vector<bool>& active) const {
    VdbMaker plain = *this;
    plain.state = 0;
    return plain.values(active, [&](size_t) { return background; });
  }
};

}  // namespace vox::testing_vdb
