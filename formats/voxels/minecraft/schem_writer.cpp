// Writes Sponge schematics of version 2. All blocks have numbers below 128, so each takes one byte.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "formats/io/compression.h"
#include "formats/io/output_file.h"
#include "formats/io/read_file.h"
#include "formats/volume/places.h"
#include "formats/voxels/export.h"
#include "formats/voxels/minecraft/schem.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/walk.h"
#include "libvox/scene/oklab.h"

namespace vox {
namespace {

constexpr uint64_t kMostBlocksAlong = UINT16_MAX, kMostBlocks = INT32_MAX;
constexpr uint32_t kDataVersion = 2860;  // Minecraft 1.18; later versions convert what they read
constexpr std::string_view kAir = "minecraft:air", kBlockWithoutMaterials = "stone";
constexpr int kSchemDeflate = 6;
constexpr uint32_t kBlocksCube = 64;
constexpr uint64_t kPieceBytes = 16 << 20;  // blocks that are in memory at a time

// Makes tags of NBT. Numbers are big-endian.
class NbtBytes {
 public:
  NbtBytes& begin(std::string_view name) { return head(nbt::Type::Compound, name); }
  NbtBytes& end() { return number(0, 1); }
  NbtBytes& text(std::string_view name, std::string_view value) {
    return head(nbt::Type::String, name).string(value);
  }
  NbtBytes& short_number(std::string_view name, int32_t value) {
    return head(nbt::Type::Short, name).number(static_cast<uint32_t>(value), 2);
  }
  NbtBytes& integer(std::string_view name, uint64_t value) {
    return head(nbt::Type::Int, name).number(static_cast<uint32_t>(value), 4);
  }
  NbtBytes& integers(std::string_view name, const Int3& value) {
    head(nbt::Type::IntArray, name).number(3, 4);
    for (uint32_t axis = 0; axis < 3; ++axis) number(static_cast<uint32_t>(value[axis]), 4);
    return *this;
  }
  // The caller puts the bytes behind this head.
  NbtBytes& array_of_bytes(std::string_view name, uint64_t count) {
    return head(nbt::Type::ByteArray, name).number(static_cast<uint32_t>(count), 4);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  NbtBytes& head(nbt::Type type, std::string_view name) {
    return number(static_cast<uint32_t>(type), 1).string(name);
  }
  NbtBytes& string(std::string_view text) {
    number(static_cast<uint32_t>(text.size()), 2).bytes_ += text;
    return *this;
  }
  NbtBytes& number(uint32_t value, uint32_t count) {
    for (uint32_t i = count; i-- > 0;) bytes_ += static_cast<char>(value >> 8 * i);
    return *this;
  }

  std::string bytes_;
};

// Every file begins like this.
NbtBytes with_mark() {
  return std::move(NbtBytes().begin("Schematic").begin("Metadata").text("Generator", "vox"));
}

// True for "namespace:name", with or without "[states]".
bool is_full_block_name(std::string_view name) {
  const auto is_name = [](std::string_view part) {
    return !part.empty() &&
           part.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-./") == std::string_view::npos;
  };
  constexpr size_t kLongest = 256;
  const size_t colon = name.find(':'), states = name.find('[');
  if (name.size() > kLongest || colon == std::string_view::npos || colon > states) return false;
  const bool ends_well =
      states == std::string_view::npos ||
      (name.find(']') == name.size() - 1 && std::ranges::all_of(name.substr(states), [](char c) {
         return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                std::string_view("_=,[]").find(c) != std::string_view::npos;
       }));
  return ends_well && is_name(name.substr(0, colon)) &&
         is_name(name.substr(colon + 1, states == std::string_view::npos ? states : states - colon - 1)) &&
         !is_air(block_name(name));
}

Vec3d lab_of(scene::Rgb8 color) {
  return scene::linear_to_oklab(scene::srgb_to_linear(color));
}

// Finds the building block that is nearest to a color in Oklab; of equally near ones, the first.
class NearestBlock {
 public:
  NearestBlock() : known_(size_t{1} << 24) {
    for (const std::string_view name : building_blocks()) labs_.push_back(lab_of(*known_block_color(name)));
  }

  // Returns the index in building_blocks(). Answers are computed when they are first needed, by any number of threads.
  size_t operator()(scene::Rgb8 color) const {
    std::atomic<uint8_t>& known = known_[scene::packed_color(color)];
    uint8_t answer = known.load(std::memory_order_relaxed);
    if (answer == 0) known.store(answer = search(color), std::memory_order_relaxed);
    return answer - size_t{1};
  }

 private:
  uint8_t search(scene::Rgb8 color) const {
    const Vec3d lab = lab_of(color);
    const auto distance = [&](const Vec3d& other) { return dot(other - lab, other - lab); };
    const auto nearest = std::ranges::min_element(labs_, {}, distance);
    return static_cast<uint8_t>(nearest - labs_.begin() + 1);
  }

  std::vector<Vec3d> labs_;
  mutable std::vector<std::atomic<uint8_t>> known_;  // the answer + 1 for each color; 0: not computed yet
};

// The blocks of a file, and the numbers by which its data refers to them. Number 0 is air.
class BlockPalette {
 public:
  explicit BlockPalette(const dag::VoxelScene& scene) {
    add(kAir);
    if (scene.colors) {
      for (const std::string_view name : building_blocks()) add(full_name(name));
      return;
    }
    for (uint32_t i = 0; i < std::max(scene.palette.count, 1u); ++i)
      materials_[i] =
          add(scene.palette.count > 0 ? block_of(scene.palette, i) : full_name(kBlockWithoutMaterials));
  }

  const std::vector<std::string>& names() const { return names_; }
  uint8_t of_material(uint32_t material) const {
    if (materials_[material] == 0)
      throw Error(fmt::format("a voxel has material {}, which its palette does not have", material))
          .hint("is the file damaged?");
    return materials_[material];
  }
  uint8_t of_color(uint32_t packed) const {
    return static_cast<uint8_t>(nearest_(scene::unpacked_color(packed)) + 1);
  }

 private:
  static std::string full_name(std::string_view name) { return "minecraft:" + std::string(name); }

  std::string block_of(const scene::Palette& palette, uint32_t material) const {
    const std::string& name = palette.names[material];
    if (is_full_block_name(name)) return name;
    return full_name(is_block_of_material(name) ? name
                                                : building_blocks()[nearest_(palette.colors[material])]);
  }

  uint8_t add(std::string_view name) {
    const auto number = std::ranges::find(names_, name) - names_.begin();
    if (number == std::ssize(names_)) names_.emplace_back(name);
    return static_cast<uint8_t>(number);
  }

  NearestBlock nearest_;
  std::vector<std::string> names_;
  std::array<uint8_t, scene::kPaletteSize> materials_ = {};  // 0: not in the palette
};

[[noreturn]] void throw_too_many_blocks(const dag::VoxelScene& scene, const VoxelBox& box,
                                        const std::filesystem::path& path) {
  const Int3 size = box.size();
  const auto fits = [&](uint32_t factor) {
    uint64_t blocks = 1, longest = 0;
    for (uint32_t axis = 0; axis < 3; ++axis) {
      const uint64_t side = static_cast<uint64_t>(size[axis]) / factor + 1;
      blocks *= side;
      longest = std::max(longest, side);
    }
    return blocks <= kMostBlocks && longest <= kMostBlocksAlong;
  };
  uint32_t factor = 2;
  while (!fits(factor)) factor *= 2;
  throw Error(fmt::format("would have {} x {} x {} blocks, expected at most {} a side and {} in all", size.x,
                          size.y, size.z, kMostBlocksAlong, kMostBlocks))
      .at(path.string())
      .hint(coarser_hint(coarser_resolution(scene.dag.resolution, scene.dag.resolution / factor)) +
            "; pieces hold all of it")
      .about("resolution");
}

// Returns the box of the blocks, in the scene's voxels. It has at least one, because a file without blocks is none.
VoxelBox box_of_blocks(const dag::VoxelScene& scene, const std::optional<VoxelBox>& clip,
                       const std::filesystem::path& path) {
  const VoxelBox region = export_region(scene, clip, path);
  const VoxelBox box = intersection(region, dag::filled_box(scene.dag));
  if (box.empty()) return cube_at(region.min, 1);
  const Int3 size = box.size();
  const bool is_long = static_cast<uint64_t>(std::max({size.x, size.y, size.z})) > kMostBlocksAlong;
  if (is_long || box.voxels() > kMostBlocks) throw_too_many_blocks(scene, box, path);
  return box;
}

// The inverse of turned_y_up().
Int3 turned_back(const Int3& place, dag::UpAxis up) {
  const dag::UpAxis back = up == dag::UpAxis::X   ? dag::UpAxis::Z
                           : up == dag::UpAxis::Z ? dag::UpAxis::X
                                                  : dag::UpAxis::Y;
  return turned_y_up(place, back);
}

// Gives the blocks of a box of voxels in the file's order: x fastest, then z, then y, which points up.
class BlockData {
 public:
  BlockData(const dag::VoxelScene& scene, const VoxelBox& box, const BlockPalette& palette)
      : scene_(scene), box_(box), palette_(palette), size_(turned_y_up(box.size(), scene.up)) {
    if (scene.colors) colors_.emplace(scene);
  }

  // Rows of blocks lie along x. A layer has a row for each z.
  uint64_t rows() const { return layer_rows() * static_cast<uint64_t>(size_.y); }

  // Returns the end of the piece of rows that begins with this row: as many whole layers as are in memory at a time, or a part
  // of a larger layer.
  uint64_t piece_end(uint64_t begin) const {
    const uint64_t most = std::max<uint64_t>(kPieceBytes / static_cast<uint64_t>(size_.x), 1);
    if (most >= layer_rows()) return std::min(begin + most / layer_rows() * layer_rows(), rows());
    return std::min(begin + most, (begin / layer_rows() + 1) * layer_rows());
  }

  // Puts the blocks of a piece, which are air until now, into `to`.
  void fill(uint64_t begin, uint64_t end, std::span<std::byte> to) const {
    const VoxelBox piece = box_of_rows(begin, end);
    const uint64_t first = begin * static_cast<uint64_t>(size_.x);
    const std::vector<Int3> corners = corners_of_cubes(scene_.dag, piece, kBlocksCube);
    parallel_for(size_t{0}, corners.size(), [&](size_t i) {
      throw_if_cancelled();
      fill_cube(intersection(cube_at(corners[i], std::min(kBlocksCube, scene_.dag.side())), piece),
                [&](const Int3& voxel, uint8_t block) { to[index_of(voxel) - first] = std::byte{block}; });
    });
    throw_if_cancelled();
  }

 private:
  uint64_t layer_rows() const { return static_cast<uint64_t>(size_.z); }

  // Returns the box of a piece's voxels.
  VoxelBox box_of_rows(uint64_t begin, uint64_t end) const {
    const auto place = [](uint64_t value) { return static_cast<int32_t>(value); };
    const uint64_t layer = begin / layer_rows(), last_layer = (end - 1) / layer_rows();
    VoxelBox rows = {{0, place(layer), 0}, {size_.x, place(last_layer + 1), size_.z}};
    if (layer == last_layer) {
      rows.min.z = place(begin % layer_rows());
      rows.max.z = place((end - 1) % layer_rows() + 1);
    }
    return {box_.min + turned_back(rows.min, scene_.up), box_.min + turned_back(rows.max, scene_.up)};
  }

  uint64_t index_of(const Int3& voxel) const {
    const Int3 at = turned_y_up(voxel - box_.min, scene_.up);
    return index_in({size_.x, size_.z, size_.y}, {at.x, at.z, at.y});
  }

  template <class Put>
  void fill_cube(const VoxelBox& cube, const Put& put) const {
    const auto put_leaf = [&](Int3 corner, uint64_t mask, const uint32_t* leaf) {
      std::array<uint32_t, 64> colors;
      if (colors_) colors = (*colors_)(corner);
      for (; mask != 0; mask &= mask - 1) {
        const auto bit = static_cast<uint32_t>(lowest_bit(mask));
        put(corner + cube_place(bit), colors_ ? palette_.of_color(colors[bit])
                                      : scene_.dag.materials
                                          ? palette_.of_material(dag::leaf_material(leaf, bit))
                                          : palette_.of_material(0));
      }
    };
    dag::for_each_leaf(scene_.dag, cube, put_leaf);
  }

  const dag::VoxelScene& scene_;
  const VoxelBox box_;
  const BlockPalette& palette_;
  const Int3 size_;  // y up
  std::optional<dag::LeafColors> colors_;
};

// Returns everything before the blocks' numbers. A byte of 0 follows these, the end of the compound.
std::string head_of_schem(const dag::VoxelScene& scene, const VoxelBox& box, const Int3& origin,
                          const BlockPalette& palette) {
  const Int3 size = turned_y_up(box.size(), scene.up);
  NbtBytes head = with_mark().end();
  head.integer("Version", 2).integer("DataVersion", kDataVersion);
  head.short_number("Width", size.x).short_number("Height", size.y).short_number("Length", size.z);
  head.integers("Offset", turned_y_up(box.min + origin, scene.up));
  head.integer("PaletteMax", palette.names().size()).begin("Palette");
  for (size_t i = 0; i < palette.names().size(); ++i) head.integer(palette.names()[i], i);
  return head.end().array_of_bytes("BlockData", box.voxels()).bytes();
}

}  // namespace

bool is_schem_of_vox(const std::filesystem::path& path) {
  try {
    const std::string mark = with_mark().bytes();
    const MappedFile file(path);
    const std::vector<std::byte> start = inflated_start(file.bytes(), mark.size());
    return start.size() == mark.size() && std::memcmp(start.data(), mark.data(), mark.size()) == 0;
  } catch (const Error&) {
    return false;  // the file cannot be read
  }
}

void write_schem(const dag::VoxelScene& scene, const std::filesystem::path& path,
                 const std::optional<VoxelBox>& clip) {
  const VoxelBox box = box_of_blocks(scene, clip, path);
  const std::optional<Int3> origin = origin_in_voxels(scene);
  const BlockPalette palette(scene);
  const std::string head = head_of_schem(scene, box, origin.value_or(Int3{0, 0, 0}), palette);
  ExportFile file(path, 0);
  // The file is written piece by piece, because a box of blocks may be larger than memory.
  const BlockData blocks(scene, box, palette);
  const uint64_t row_bytes = box.voxels() / blocks.rows();
  GzipPieces gzip(kSchemDeflate);
  for (uint64_t begin = 0, end = 0; begin < blocks.rows(); begin = end) {
    end = blocks.piece_end(begin);
    const uint64_t before = begin == 0 ? head.size() : 0, bytes = (end - begin) * row_bytes;
    const uint64_t behind = end == blocks.rows() ? 1 : 0;     // the end of the compound
    std::vector<std::byte> content(before + bytes + behind);  // zeros: air
    std::memcpy(content.data(), head.data(), before);
    blocks.fill(begin, end, std::span(content).subspan(before, bytes));
    file.write(gzip.piece(content));
  }
  file.write(gzip.end());
  file.commit();
  if (!origin) log_no_whole_origin(path);
  if (scene.palette.count == 0 && !scene.colors)
    log_warning("{}: the scene has no materials: all blocks are {}", path.string(), kBlockWithoutMaterials);
}

}  // namespace vox
