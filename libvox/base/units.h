// Reads and writes numbers as people write them: 64K, 2^16, 1.5G, "3.20 GiB".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libvox/base/geometry.h"

namespace vox {

// Reads 4096, 4K, 64K, 1M (binary multiples) or 2^16. Otherwise throws a UsageError that names `what`.
uint64_t parse_count(std::string_view text, std::string_view what);

// Reads a finite number such as -1.5 or 2e-3. Otherwise throws a UsageError that names `what`.
double parse_number(std::string_view text, std::string_view what);

// Reads a number of bytes: 800M, 1.5G, 2GiB (binary multiples) or 123456. Otherwise throws a UsageError that names
// `what`.
uint64_t parse_bytes(std::string_view text, std::string_view what);

std::string format_bytes(uint64_t bytes);                         // "1.50 GiB"
std::string format_count(uint64_t count);                         // "12,345,678"
std::string format_count(uint64_t count, std::string_view noun);  // "1 edit", "12 edits"
std::string format_seconds(double seconds);                       // "0.42 s", "3 min 20 s"

// Writes the sides of a voxel: one number for a cube, three for other voxels.
std::string format_sides(const VoxelSize& size);  // for people: "0.05 x 0.05 x 0.1"
std::string exact_sides(const VoxelSize& size);   // for files: "0.05 0.05 0.1", with all digits

// The sides of a voxel as people give them: "0.05" for a cube, or "0.1,0.1,0.25". They are in meters if each number has
// a unit of length (nm, um, mm, cm, m).
struct GivenSize {
  VoxelSize size;
  bool in_meters;
};
// Throws a UsageError that names `what` if the text is anything else, or if a side is not above 0.
GivenSize parse_sides(std::string_view text, std::string_view what);

// Returns the time now as UTC in ISO 8601, or the time in SOURCE_DATE_EPOCH if that is set.
std::string timestamp();

}  // namespace vox
