// Small files of points that tests write byte by byte, and the values that reading them gives.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "formats/points/points.h"

namespace vox {

template <class T>
std::string little_bytes(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

struct LasPointValues {
  int32_t x, y, z;
  uint16_t r = 0, g = 0, b = 0;
  uint8_t flags = 0;  // byte 15
};

struct LasFileOptions {
  uint8_t minor = 2, format = 2;
  uint16_t more_bytes = 0;  // additional bytes of a record, after those of its format
  double scale = 1, offset = 0;
};

// Returns a LAS file that follows the tables of its specification: the bytes of a record before its colours,
// and after them.
inline std::string las_file(const std::vector<LasPointValues>& points, const LasFileOptions& options = {}) {
  static constexpr size_t kBefore[] = {20, 28, 20, 28, 57, 28, 30, 30, 30, 59, 30};
  static constexpr size_t kBehind[] = {0, 0, 0, 0, 0, 29, 0, 0, 2, 0, 31};
  const uint8_t format = options.format;
  const bool colored =
      format == 2 || format == 3 || format == 5 || format == 7 || format == 8 || format == 10;
  std::string records;
  for (const LasPointValues& p : points) {
    std::string record = little_bytes(p.x) + little_bytes(p.y) + little_bytes(p.z);
    record += std::string(3, '\x11') + static_cast<char>(p.flags);
    record.resize(kBefore[format], '\x22');
    if (colored) record += little_bytes(p.r) + little_bytes(p.g) + little_bytes(p.b);
    record += std::string(kBehind[format] + options.more_bytes, '\x33');
    records += record;
  }
  const auto count = static_cast<uint32_t>(points.size());
  const size_t header_bytes = options.minor == 4 ? 375 : options.minor == 3 ? 235 : 227;
  const size_t length = kBefore[format] + (colored ? 6 : 0) + kBehind[format] + options.more_bytes;
  std::string file = "LASF" + std::string(20, '\0') + '\x01' + static_cast<char>(options.minor);
  file.resize(94);
  file += little_bytes(static_cast<uint16_t>(header_bytes));
  file += little_bytes(static_cast<uint32_t>(header_bytes + 5)) + little_bytes(uint32_t{0});
  file += static_cast<char>(format);
  file += little_bytes(static_cast<uint16_t>(length)) + little_bytes(options.minor == 4 ? 0 : count);
  file.resize(131);
  for (int i = 0; i < 3; ++i) file += little_bytes(options.scale * (i + 1));
  for (int i = 0; i < 3; ++i) file += little_bytes(options.offset + i);
  file.resize(header_bytes);
  if (options.minor == 4) file.replace(247, 8, little_bytes(uint64_t{count}));
  return file + "pause" + records;
}

inline CloudPiece all_points(const PointCloud& cloud) {
  CloudPiece all;
  for (size_t piece = 0; piece < cloud.pieces; ++piece) {
    const CloudPiece part = cloud.read(piece);
    all.points.insert(all.points.end(), part.points.begin(), part.points.end());
    all.left_out += part.left_out;
  }
  return all;
}

// x, y, z and colour of a point.
using PointValues = std::tuple<double, double, double, uint32_t>;
inline std::vector<PointValues> values_of(const PointCloud& cloud) {
  std::vector<PointValues> values;
  for (const auto& [p, rgb] : all_points(cloud).points) values.emplace_back(p.x, p.y, p.z, rgb);
  return values;
}

}  // namespace vox
