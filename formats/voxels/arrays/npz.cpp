#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "formats/voxels/export.h"
#include "formats/voxels/voxel_formats.h"
#include "libvox/attributes/octahedral.h"
#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/walk.h"

namespace vox {
namespace {

constexpr std::string_view kNpzComment = "made by vox";
constexpr uint32_t kNpzCubeSide = 64;
constexpr uint32_t kNoNumber = 0xffff;  // of a voxel whose color no named material has

// The check sum of ZIP files, CRC-32, of a text that is known by its parts. A sum is a polynomial over GF(2) modulo
// kPolynomial, the highest power in the lowest bit; bytes behind a text multiply its sum by a power of x.

constexpr uint32_t kPolynomial = 0xedb88320, kOne = 0x80000000;

uint32_t times(uint32_t a, uint32_t b) {
  uint32_t product = 0;
  for (uint32_t bit = kOne; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = b >> 1 ^ ((b & 1) != 0 ? kPolynomial : 0);
  }
  return product;
}

// Returns the sum of a text whose first part has the sum `first`, and whose other part has `bytes` bytes and the sum `second`.
uint32_t joined_sum(uint32_t first, uint32_t second, uint64_t bytes) {
  uint32_t power = kOne >> 8;  // x^8, for one byte; squared for two, four, …
  for (; bytes > 0; bytes >>= 1) {
    if ((bytes & 1) != 0) first = times(first, power);
    power = times(power, power);
  }
  return first ^ second;
}

void put(std::string& bytes, uint64_t value, uint32_t size) {
  for (uint32_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> 8 * i);
}

std::string array_header(std::string_view type, std::span<const uint64_t> shape) {
  constexpr size_t kBefore = 10, kAlignment = 64;  // as NumPy aligns its values
  std::string sizes;
  for (const uint64_t size : shape) sizes += fmt::format("{}, ", size);
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, sizes);
  text.append((kAlignment - (kBefore + text.size() + 1) % kAlignment) % kAlignment, ' ');
  text += '\n';
  std::string header("\x93NUMPY\1\0", 8);
  put(header, text.size(), 2);
  return header + text;
}

// A ZIP file of arrays, which are stored as they are (PKWARE, APPNOTE.TXT 6.3.10).
class ArrayArchive {
 public:
  ArrayArchive(const std::filesystem::path& path, uint64_t least_bytes) : file_(path, least_bytes) {}

  // Writes an array of values of `type` with this shape, whose bytes are those of all pieces one behind the other.
  using MakePiece = std::function<std::vector<uint8_t>(uint64_t)>;
  void add(const std::string& name, std::string_view type, std::vector<uint64_t> shape, uint64_t value_bytes,
           uint64_t pieces, const MakePiece& make) {
    const std::string header = array_header(type, shape);
    const uint64_t bytes = std::accumulate(shape.begin(), shape.end(), value_bytes, std::multiplies<>());
    Entry entry = {name + ".npy", header.size() + bytes, 0, file_.end()};
    file_.write(local_header(entry));
    file_.write(header);
    const uint64_t begin = file_.end();
    std::vector<std::pair<uint32_t, uint64_t>> sums(pieces);
    file_.write_pieces(pieces, [&](uint64_t i) {
      std::vector<uint8_t> piece = make(i);
      sums[i] = {libdeflate_crc32(0, piece.data(), piece.size()), piece.size()};
      return piece;
    });
    if (file_.end() - begin != bytes)  // a scene file may state a wrong number of voxels
      throw Error(fmt::format("the array '{}' has {} bytes, but the number of voxels stands for {}", name,
                              file_.end() - begin, bytes))
          .hint("is the scene file damaged?");
    entry.sum = libdeflate_crc32(0, header.data(), header.size());
    for (const auto& [sum, size] : sums) entry.sum = joined_sum(entry.sum, sum, size);
    std::string sum;
    put(sum, entry.sum, 4);
    file_.write_again(entry.offset + kSumOffset, sum);
    entries_.push_back(std::move(entry));
  }
  void add(const std::string& name, std::string_view type, std::vector<uint64_t> shape, uint64_t value_bytes,
           std::string_view bytes) {
    add(name, type, std::move(shape), value_bytes, 1,
        [&](uint64_t) { return std::vector<uint8_t>(bytes.begin(), bytes.end()); });
  }
  void add(const std::string& name, std::vector<uint64_t> shape, std::span<const double> values) {
    add(name, "<f8", std::move(shape), sizeof(double),
        {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }

  void commit() {
    const uint64_t begin = file_.end();
    for (const Entry& entry : entries_) file_.write(central_header(entry));
    file_.write(end_of_archive(begin));
    file_.commit();
  }

 private:
  struct Entry {
    std::string name;
    uint64_t bytes;
    uint32_t sum;
    uint64_t offset;  // of its local header
  };
  static constexpr uint64_t kSumOffset = 14;
  static constexpr uint32_t kMost32 = UINT32_MAX;  // stands for a number that follows with 64 bits
  static constexpr uint32_t kVersion = 45;         // 4.5, the first with such numbers
  static constexpr uint32_t kDate = 1 << 5 | 1;    // 1980-01-01, so that equal scenes give equal files
  static constexpr uint32_t kExtraOf64Bits = 1;

  static uint64_t in_32(uint64_t value) { return std::min<uint64_t>(value, kMost32); }

  // Everything from the version needed to the length of the extra field, which both headers have.
  static void put_common(std::string& header, const Entry& entry, size_t extra) {
    put(header, kVersion, 2);
    put(header, 0, 2);  // no flags
    put(header, 0, 2);  // stored
    put(header, 0, 2);  // midnight
    put(header, kDate, 2);
    put(header, entry.sum, 4);
    put(header, in_32(entry.bytes), 4);
    put(header, in_32(entry.bytes), 4);
    put(header, entry.name.size(), 2);
    put(header, extra, 2);
  }

  static std::string local_header(const Entry& entry) {
    std::string extra;
    if (entry.bytes >= kMost32) {
      put(extra, kExtraOf64Bits, 2);
      put(extra, 16, 2);
      put(extra, entry.bytes, 8);
      put(extra, entry.bytes, 8);
    }
    std::string header = "PK\3\4";
    put_common(header, entry, extra.size());
    return header + entry.name + extra;
  }

  static std::string central_header(const Entry& entry) {
    std::string large, extra;
    if (entry.bytes >= kMost32) {
      put(large, entry.bytes, 8);
      put(large, entry.bytes, 8);
    }
    if (entry.offset >= kMost32) put(large, entry.offset, 8);
    if (!large.empty()) {
      put(extra, kExtraOf64Bits, 2);
      put(extra, large.size(), 2);
    }
    std::string header = "PK\1\2";
    put(header, kVersion, 2);
    put_common(header, entry, extra.size() + large.size());
    put(header, 0, 2);  // no comment
    put(header, 0, 2);  // the first disk
    put(header, 0, 2);  // no attributes
    put(header, 0, 4);
    put(header, in_32(entry.offset), 4);
    return header + entry.name + extra + large;
  }

  std::string end_of_archive(uint64_t begin) const {
    const uint64_t bytes = file_.end() - begin;
    std::string end;
    if (begin + bytes >= kMost32) {
      end += "PK\6\6";
      put(end, 44, 8);  // bytes that follow
      put(end, kVersion, 2);
      put(end, kVersion, 2);
      put(end, 0, 4);
      put(end, 0, 4);
      put(end, entries_.size(), 8);
      put(end, entries_.size(), 8);
      put(end, bytes, 8);
      put(end, begin, 8);
      end += "PK\6\7";
      put(end, 0, 4);
      put(end, begin + bytes, 8);
      put(end, 1, 4);
    }
    end += "PK\5\6";
    put(end, 0, 2);
    put(end, 0, 2);
    put(end, entries_.size(), 2);
    put(end, entries_.size(), 2);
    put(end, in_32(bytes), 4);
    put(end, in_32(begin), 4);
    put(end, kNpzComment.size(), 2);
    return end.append(kNpzComment);
  }

  ExportFile file_;
  std::vector<Entry> entries_;
};

// The voxels of a region, cube by cube.
class VoxelArrays {
 public:
  VoxelArrays(const dag::VoxelScene& scene, const VoxelBox& region, const attributes::PackedValues* normals)
      : scene_(scene),
        region_(region),
        corners_(corners_of_cubes(scene.dag, region, kNpzCubeSide)),
        numbers_(scene.named_colors) {
    if (scene.colors) colors_.emplace(scene);
    if (normals != nullptr) normals_.emplace(scene.dag, *normals);
  }

  uint64_t cubes() const { return corners_.size(); }

  uint64_t count() const {
    std::vector<uint64_t> counts(cubes());
    parallel_for(uint64_t{0}, cubes(), [&](uint64_t cube) {
      throw_if_cancelled();
      for_each(cube, [&](Int3, uint64_t mask, const uint32_t*) {
        counts[cube] += static_cast<uint64_t>(std::popcount(mask));
      });
    });
    throw_if_cancelled();
    return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
  }

  std::vector<uint8_t> coords(uint64_t cube) const {
    std::vector<uint8_t> bytes;
    for_each_voxel(cube, [&](Int3 voxel, const uint32_t*, uint32_t) {
      for (const int32_t place : {voxel.x, voxel.y, voxel.z})
        for (uint32_t shift = 0; shift < 32; shift += 8)
          bytes.push_back(static_cast<uint8_t>(static_cast<uint32_t>(place) >> shift));
    });
    return bytes;
  }

  std::vector<uint8_t> materials(uint64_t cube) const {
    std::vector<uint8_t> bytes;
    for_each_voxel(cube, [&](Int3, const uint32_t* leaf, uint32_t bit) {
      bytes.push_back(static_cast<uint8_t>(dag::leaf_material(leaf, bit)));
    });
    return bytes;
  }

  std::vector<uint8_t> colors(uint64_t cube) const {
    std::vector<uint8_t> bytes;
    for_each_value(cube, *colors_, [&](uint32_t value) {
      const scene::Rgb8 color = scene::unpacked_color(value);
      bytes.insert(bytes.end(), {color.r, color.g, color.b});
    });
    return bytes;
  }

  // Returns the numbers of named materials.
  std::vector<uint8_t> numbers(uint64_t cube) const {
    std::vector<uint8_t> bytes;
    for_each_value(cube, *colors_, [&](uint32_t value) {
      const uint32_t number = numbers_(value).value_or(kNoNumber);
      bytes.insert(bytes.end(), {static_cast<uint8_t>(number), static_cast<uint8_t>(number >> 8)});
    });
    return bytes;
  }

  std::vector<uint8_t> normals(uint64_t cube) const {
    std::vector<uint8_t> bytes;
    for_each_value(cube, *normals_, [&](uint32_t value) {
      const Vec3<float> normal = attributes::unit_direction(value);
      for (const float part : {normal.x, normal.y, normal.z})
        for (uint32_t shift = 0; shift < 32; shift += 8)
          bytes.push_back(static_cast<uint8_t>(std::bit_cast<uint32_t>(part) >> shift));
    });
    return bytes;
  }

 private:
  template <class OnLeaf>
  void for_each(uint64_t cube, OnLeaf on_leaf) const {
    dag::for_each_leaf(scene_.dag, intersection(cube_at(corners_[cube], kNpzCubeSide), region_), on_leaf);
  }
  template <class OnVoxel>
  void for_each_voxel(uint64_t cube, OnVoxel on_voxel) const {
    for_each(cube, [&](Int3 corner, uint64_t mask, const uint32_t* leaf) {
      for (; mask != 0; mask &= mask - 1) {
        const auto bit = static_cast<uint32_t>(lowest_bit(mask));
        on_voxel(corner + cube_place(bit), leaf, bit);
      }
    });
  }

  template <class OnValue>
  void for_each_value(uint64_t cube, const dag::LeafColors& of_leaves, OnValue on_value) const {
    for_each(cube, [&](Int3 corner, uint64_t mask, const uint32_t*) {
      const std::array<uint32_t, 64> values = of_leaves(corner);
      for (; mask != 0; mask &= mask - 1) on_value(values[static_cast<size_t>(lowest_bit(mask))]);
    });
  }

  const dag::VoxelScene& scene_;
  const VoxelBox region_;
  const std::vector<Int3> corners_;
  const dag::MaterialNumbers numbers_;
  std::optional<dag::LeafColors> colors_, normals_;
};

// Adds the colors and names of the materials, by number.
void add_materials(const dag::VoxelScene& scene, ArrayArchive& archive) {
  std::vector<scene::NamedColor> materials = scene.named_colors;
  for (uint32_t i = 0; i < scene.palette.count; ++i)
    materials.push_back({scene.palette.names[i], scene.palette.colors[i]});
  if (materials.empty()) return;
  constexpr size_t kLongestName = 1000;  // an array has as many bytes for each name as for the longest one
  std::string colors, names;
  size_t longest = 1;
  for (scene::NamedColor& material : materials) {
    material.name.resize(std::min(material.name.size(), kLongestName));
    longest = std::max(longest, material.name.size());
  }
  for (const auto& [name, color, members] : materials) {
    for (const uint8_t channel : {color.r, color.g, color.b}) colors += static_cast<char>(channel);
    names += name + std::string(longest - name.size(), '\0');
  }
  archive.add("palette", "|u1", {materials.size(), 3}, 1, colors);
  archive.add("names", fmt::format("|S{}", longest), {materials.size()}, longest, names);
}

}  // namespace

void write_npz(const dag::VoxelScene& scene, const std::filesystem::path& path,
               const std::optional<VoxelBox>& clip, const attributes::PackedValues* normals) {
  const VoxelBox region = export_region(scene, clip, path);
  const VoxelArrays voxels(scene, region, normals);
  const uint64_t count = clip ? voxels.count() : scene.dag.voxels;
  const bool has_numbers = scene.colors && !scene.named_colors.empty();
  const uint64_t each = 12 +
                        (scene.colors          ? 3
                         : scene.dag.materials ? 1
                                               : 0) +
                        (has_numbers ? 2 : 0) + (normals != nullptr ? 12 : 0);
  if (count > (uint64_t{1} << 58)) throw Error("holds more voxels than an .npz file can").at(path.string());
  ArrayArchive archive(path, count * each);
  archive.add("coords", "<i4", {count, 3}, 4, voxels.cubes(), [&](uint64_t i) { return voxels.coords(i); });
  if (scene.colors)
    archive.add("colors", "|u1", {count, 3}, 1, voxels.cubes(), [&](uint64_t i) { return voxels.colors(i); });
  if (has_numbers)
    archive.add("materials", "<u2", {count}, 2, voxels.cubes(),
                [&](uint64_t i) { return voxels.numbers(i); });
  else if (scene.dag.materials)
    archive.add("materials", "|u1", {count}, 1, voxels.cubes(),
                [&](uint64_t i) { return voxels.materials(i); });
  if (normals != nullptr)
    archive.add("normals", "<f4", {count, 3}, 4, voxels.cubes(),
                [&](uint64_t i) { return voxels.normals(i); });
  add_materials(scene, archive);
  archive.add("origin", {3}, std::array{scene.origin.x, scene.origin.y, scene.origin.z});
  archive.add("voxel_size", {3},
              std::array<double, 3>{scene.voxel_size[0], scene.voxel_size[1], scene.voxel_size[2]});
  std::string resolution;
  put(resolution, scene.dag.resolution, 8);
  archive.add("resolution", "<i8", {}, 8, resolution);
  archive.commit();
}

bool is_npz_of_vox(std::string_view file) {
  return file.starts_with("PK") && file.ends_with(kNpzComment);
}

}  // namespace vox
