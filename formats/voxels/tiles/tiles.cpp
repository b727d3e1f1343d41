// Writes folders of cubes: 3D Tiles, and pieces in another format. A tile's axes are those of 3D Tiles: x, then -z, then y of
// a scene with y up. Within a tile, voxels have glTF's order, which is the scene's: x fastest, then y, then z.
#include "formats/voxels/voxel_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "formats/file_types.h"
#include "formats/images/image.h"
#include "formats/io/output_file.h"
#include "formats/io/read_file.h"
#include "formats/mesh/mesh.h"
#include "formats/volume/places.h"
#include "formats/voxels/export.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/error.h"
#include "libvox/base/json.h"
#include "libvox/base/loops.h"
#include "libvox/base/morton.h"
#include "libvox/base/progress.h"
#include "libvox/dag/derived.h"
#include "libvox/dag/walk.h"
#include "libvox/volume/volume.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kTileSide = 32, kTileVoxels = kTileSide * kTileSide * kTileSide;
constexpr uint32_t kSubtreeLevels = 4;
constexpr std::string_view kTilesetName = "tileset.json", kTilesMark = "\"generator\": \"vox\"";

// The metadata of a voxel, as the tileset and each tile state it.
constexpr std::string_view kVoxelSchema =
    R"({"id": "vox", "classes": {"voxel": {"properties": {"color": {"type": "VEC4", "componentType": "UINT8", "normalized": true}}}}})";

using TilePlace = std::array<uint32_t, 3>;  // of a level's tiles, in the axes of 3D Tiles

uint64_t tile_key(const TilePlace& at) {
  return morton_encode(at[0], at[1], at[2]);
}

// True for a path such as tiles/2/0.3.1.glb.
bool is_tile_path(const fs::path& relative, std::string_view top, std::string_view extension) {
  const std::vector<std::string> parts(relative.begin(), relative.end());
  const auto are_numbers = [](std::string_view text, ptrdiff_t points) {
    return text.find_first_not_of("0123456789.") == text.npos && std::ranges::count(text, '.') == points;
  };
  return parts.size() == 3 && parts[0] == top && are_numbers(parts[1], 0) &&
         relative.extension() == extension && are_numbers(relative.stem().string(), 2);
}

bool is_tiles_file(const fs::path& folder, const fs::path& relative) {
  if (is_tile_path(relative, "tiles", ".glb") || is_tile_path(relative, "subtrees", ".subtree")) return true;
  return relative == kTilesetName &&
         first_bytes(folder / relative, 200).find(kTilesMark) != std::string::npos;
}

fs::path folder_of_tiles(const fs::path& path) {
  fs::path folder = path.parent_path();
  if (!folder.empty() && folder != "." && folder != "..") return folder;
  throw UsageError(
      fmt::format("-o is '{0}', expected {0} in a folder of its own, such as tiles/{0}", path.string()));
}

std::string little_endian(std::initializer_list<uint32_t> words) {
  std::string bytes;
  for (const uint32_t word : words)
    for (uint32_t byte = 0; byte < 4; ++byte) bytes += static_cast<char>(word >> 8 * byte);
  return bytes;
}
uint32_t size_of(std::string_view bytes) {
  return static_cast<uint32_t>(bytes.size());
}
std::string padded(std::string bytes, char with) {  // to a multiple of eight bytes
  bytes.resize((bytes.size() + 7) / 8 * 8, with);
  return bytes;
}

// Returns a GLB file of a tile's voxels, in RGBA.
std::string tile_file(const std::string& colors, const Vec3d& size) {
  const std::string json = fmt::format(
      R"({{"asset": {{"version": "2.0", "generator": "vox"}},
"extensionsUsed": ["EXT_primitive_voxels", "KHR_implicit_shapes", "EXT_structural_metadata"],
"extensionsRequired": ["EXT_primitive_voxels", "KHR_implicit_shapes"],
"scene": 0, "scenes": [{{"nodes": [0]}}], "nodes": [{{"mesh": 0}}],
"meshes": [{{"primitives": [{{"mode": 2147483647, "attributes": {{"_COLOR": 0}}, "extensions": {{
 "EXT_primitive_voxels": {{"shape": 0, "dimensions": [{0}, {0}, {0}]}}, "EXT_structural_metadata": {{"propertyAttributes": [0]}}}}}}]}}],
"accessors": [{{"bufferView": 0, "componentType": 5121, "normalized": true, "count": {1}, "type": "VEC4"}}],
"bufferViews": [{{"buffer": 0, "byteLength": {2}}}], "buffers": [{{"byteLength": {2}}}],
"extensions": {{"KHR_implicit_shapes": {{"shapes": [{{"type": "box", "box": {{"size": [{3}, {4}, {5}]}}}}]}},
 "EXT_structural_metadata": {{"schema": {6}, "propertyAttributes": [{{"class": "voxel", "properties": {{"color": {{"attribute": "_COLOR"}}}}}}]}}}}}})",
      kTileSide, kTileVoxels, colors.size(), size.x, size.y, size.z, kVoxelSchema);
  return glb_head(json, colors.size()) + colors;
}

// Returns the colors of a tile's voxels; empty ones are transparent.
std::string tile_colors(const dag::FrozenDag& dag, const scene::Palette& palette, const Int3& corner) {
  const VoxelBox tile = cube_at(corner, kTileSide),
                 box = intersection(tile, cube_at({0, 0, 0}, dag.resolution));
  std::vector<uint8_t> values(box.voxels());
  dag::write_dense(dag, box, values.data());
  std::string colors(size_t{4} * kTileVoxels, '\0');
  for (uint64_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    const scene::Rgb8 color = dag.materials ? palette.colors[values[i] - 1] : scene::Rgb8{200, 200, 200};
    const std::array<uint8_t, 4> rgba = {color.r, color.g, color.b, 255};
    const Int3 at = volume::voxel_at(box, i) - corner;
    std::ranges::copy(rgba,
                      colors.begin() + 4 * ((at.z * int32_t{kTileSide} + at.y) * int32_t{kTileSide} + at.x));
  }
  return colors;
}

// The keys of the tiles of each level, ascending, from one tile down.
using TileLevels = std::vector<std::vector<uint64_t>>;

// A list of bits, one for each tile of some levels or of one level.
class TileBits {
 public:
  explicit TileBits(uint64_t bits) : bytes_((bits + 7) / 8, '\0') {}
  void set(uint64_t i) {
    bytes_[i / 8] = static_cast<char>(static_cast<uint8_t>(bytes_[i / 8]) | 1u << i % 8);
    ++count_;
  }
  const std::string& bytes() const { return bytes_; }
  uint64_t count() const { return count_; }

 private:
  std::string bytes_;
  uint64_t count_ = 0;
};

// Calls body(key) for the tiles of a level that lie below the tile `root` of `depth` levels above it.
template <class Body>
void for_each_below(const std::vector<uint64_t>& level, uint64_t root, uint32_t depth, Body body) {
  const uint64_t first = root << 3 * depth, end = (root + 1) << 3 * depth;
  for (auto at = std::ranges::lower_bound(level, first); at != level.end() && *at < end; ++at)
    body(*at - first);
}

// Returns the file that says which tiles of four levels below and including the tile `root` exist.
std::string subtree_file(const TileLevels& levels, uint32_t level, uint64_t root) {
  const auto before = [](uint32_t depth) { return ((uint64_t{1} << 3 * depth) - 1) / 7; };
  TileBits tiles(before(kSubtreeLevels)), subtrees(uint64_t{1} << 3 * kSubtreeLevels);
  for (uint32_t depth = 0; depth <= kSubtreeLevels && level + depth < levels.size(); ++depth)
    for_each_below(levels[level + depth], root, depth, [&](uint64_t at) {
      depth < kSubtreeLevels ? tiles.set(before(depth) + at) : subtrees.set(at);
    });
  const std::string tile_bytes = padded(tiles.bytes(), '\0');
  std::string data = tile_bytes, views = fmt::format(R"({{"buffer": 0, "byteOffset": 0, "byteLength": {}}})",
                                                     tiles.bytes().size());
  std::string below = R"({"constant": 0})";
  if (subtrees.count() > 0) {
    data += subtrees.bytes();
    views += fmt::format(R"(, {{"buffer": 0, "byteOffset": {}, "byteLength": {}}})", tile_bytes.size(),
                         subtrees.bytes().size());
    below = fmt::format(R"({{"bitstream": 1, "availableCount": {}}})", subtrees.count());
  }
  const std::string json = padded(fmt::format(R"({{"buffers": [{{"byteLength": {0}}}], "bufferViews": [{1}],
"tileAvailability": {{"bitstream": 0, "availableCount": {2}}},
"contentAvailability": [{{"bitstream": 0, "availableCount": {2}}}],
"childSubtreeAvailability": {3}}})",
                                              data.size(), views, tiles.count(), below),
                                  ' ');
  return "subt" + little_endian({1, size_of(json), 0, size_of(data), 0}) + json + data;
}

std::string place_text(const TilePlace& at) {
  return fmt::format("{}.{}.{}", at[0], at[1], at[2]);
}
TilePlace place_of_key(uint64_t key) {
  const auto [x, y, z] = vec_of<uint32_t>(morton_decode(key));
  return {x, y, z};
}

// Returns the directions of east, north and up at a place, and the place itself, in coordinates with the Earth's center as
// origin.
std::array<Vec3d, 4> earth_frame(const std::optional<EarthPlace>& place) {
  if (!place) return {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}, Vec3d{0, 0, 0}};
  constexpr double kRadius = 6378137, kFlattening = 1 / 298.257223563,
                   kEccentricity2 = kFlattening * (2 - kFlattening);
  const double latitude = place->latitude * std::numbers::pi / 180,
               longitude = place->longitude * std::numbers::pi / 180;
  const double sin_lat = std::sin(latitude), cos_lat = std::cos(latitude);
  const double sin_lon = std::sin(longitude), cos_lon = std::cos(longitude);
  const double normal = kRadius / std::sqrt(1 - kEccentricity2 * sin_lat * sin_lat);
  const double across = (normal + place->height) * cos_lat;
  return {
      Vec3d{-sin_lon, cos_lon, 0}, Vec3d{-sin_lat * cos_lon, -sin_lat * sin_lon, cos_lat},
      Vec3d{cos_lat * cos_lon, cos_lat * sin_lon, sin_lat},
      Vec3d{across * cos_lon, across * sin_lon, (normal * (1 - kEccentricity2) + place->height) * sin_lat}};
}

std::string numbers_text(std::initializer_list<Vec3d> vectors) {
  std::string text;
  for (const Vec3d& v : vectors) text += fmt::format("{}{}, {}, {}", text.empty() ? "" : ", ", v.x, v.y, v.z);
  return text;
}

std::string tileset_text(const dag::VoxelScene& scene, uint32_t levels, const Vec3d& size,
                         const std::optional<EarthPlace>& place) {
  const std::array<Vec3d, 4> frame = earth_frame(place);
  // An axis of the grid becomes east, -north or up as the scene's up axis says.
  const auto direction = [&](const Vec3d& axis) {
    const Vec3d turned = turned_y_up(axis, scene.up);
    return frame[0] * turned.x - frame[1] * turned.z + frame[2] * turned.y;
  };
  const Vec3d x = direction({1, 0, 0}), y = direction({0, 0, -1}), z = direction({0, 1, 0});
  const Vec3d half = size * 0.5, center = scene.origin + half;
  const auto column = [](const Vec3d& v, int w) { return fmt::format("{}, {}, {}, {}", v.x, v.y, v.z, w); };
  return fmt::format(
      R"({{"asset": {{"version": "1.1", "generator": "vox"}},
"extensionsUsed": ["3DTILES_content_voxels"], "extensionsRequired": ["3DTILES_content_voxels"],
"schema": {0},
"geometricError": {1},
"root": {{"refine": "REPLACE", "geometricError": {2},
 "transform": [{3}, {4}, {5}, {6}],
 "boundingVolume": {{"box": [{7}]}},
 "content": {{"uri": "tiles/{{level}}/{{x}}.{{y}}.{{z}}.glb",
  "extensions": {{"3DTILES_content_voxels": {{"dimensions": [{8}, {8}, {8}], "class": "voxel"}}}}}},
 "implicitTiling": {{"subdivisionScheme": "OCTREE", "subtreeLevels": {9}, "availableLevels": {10}, "subtrees": {{"uri": "subtrees/{{level}}/{{x}}.{{y}}.{{z}}.subtree"}}}}}}}}
)",
      kVoxelSchema, size.x, size.x / kTileSide, column(x, 0), column(y, 0), column(z, 0), column(frame[3], 1),
      numbers_text({{center.x, -center.z, center.y}, {half.x, 0, 0}, {0, half.z, 0}, {0, 0, half.y}}),
      kTileSide, kSubtreeLevels, levels);
}

constexpr std::string_view kPieceList = "pieces.json", kPiecesFormat = "vox pieces 1";

fs::path folder_of_pieces(const fs::path& path) {
  fs::path folder = path.parent_path();
  if (folder.empty() || folder == "." || folder == "..")
    throw UsageError(
        fmt::format("-o '{}' names no folder of its own for the pieces, expected a name such as cells/{}",
                    path.string(), path.filename().string()));
  return folder;
}

// The list names all files of a folder of pieces.
bool is_piece_of_vox(const fs::path& folder, const fs::path& relative) {
  try {
    const MappedFile list(folder / kPieceList);
    if (list.text().substr(0, 100).find(kPiecesFormat) == std::string_view::npos) return false;
    return relative == kPieceList ||
           list.text().find(fmt::format("\"file\": \"{}\"", relative.string())) != std::string_view::npos;
  } catch (const Error&) {
    return false;
  }
}

void set_vector(Json& facts, const std::string& name, const auto& vector) {
  Json& list = facts.array(name);
  list.append(vector.x);
  list.append(vector.y);
  list.append(vector.z);
}

struct ScenePiece {
  std::string file;
  VoxelBox box;
};

// Returns the pieces with voxels, x fastest.
std::vector<ScenePiece> pieces_of(const dag::FrozenDag& dag, const VoxelBox& region, const fs::path& path,
                                  int32_t side) {
  std::vector<ScenePiece> pieces;
  for (const Int3& corner : corners_of_chunks(dag, region, {side, side, side})) {
    const VoxelBox box = intersection(cube_at(corner, static_cast<uint32_t>(side)), region);
    if (!dag::has_filled(dag, box)) continue;
    const Int3 first = corner - region.min;
    pieces.push_back({fmt::format("{}_{}_{}_{}{}", path.stem().string(), first.x / side, first.y / side,
                                  first.z / side, path.extension().string()),
                      box});
  }
  return pieces;
}

// Returns the number of all pieces of a region, also of those without voxels.
uint64_t count_of_pieces(const VoxelBox& region, int32_t side) {
  uint64_t count = 1;
  for (uint32_t axis = 0; axis < 3; ++axis)
    count *= static_cast<uint64_t>((region.size()[axis] + side - 1) / side);
  return count;
}

std::string list_text(const dag::VoxelScene& scene, const VoxelBox& region, const ExportOptions& options,
                      const fs::path& path, const std::vector<ScenePiece>& pieces) {
  const FileFormat format = file_format(path, FileRole::Export);
  Json facts;
  facts.set("format", kPiecesFormat)
      .set("piece_side", options.pieces.side)
      .set("unit", scene::unit_name(scene.unit));
  set_vector(facts, "voxel_size", scene.voxel_size.sides());
  set_vector(facts, "first_voxel", region.min);
  set_vector(facts, "size", region.size());
  set_vector(facts, "origin", world_corner(scene, region.min));
  if (format == FileFormat::Raw)
    facts.set("bits", options.raw.bits)
        .set("order", options.raw.fastest == RawLayout::Fastest::Z ? "zyx" : "xyz");
  const bool is_bit = format == FileFormat::Raw && options.raw.bits == 1;
  const bool has_names = scene.colors && !scene.named_colors.empty();
  const bool has_materials = scene.dag.materials || has_names;
  const bool is_dense = is_one_of(format, {FileFormat::Raw, FileFormat::Nrrd, FileFormat::Npy});
  std::string_view values = has_materials && !is_bit ? "material + 1, 0 is empty" : "1 where filled";
  if (format == FileFormat::Schem) values = "blocks by name";
  if (scene.colors && !is_dense)
    values =
        format == FileFormat::Npz && has_names ? "24-bit colors, and numbers of materials" : "24-bit colors";
  facts.set("values", values);
  if (has_materials) set_materials(facts, scene);
  facts.set("empty_pieces",
            count_of_pieces(region, static_cast<int32_t>(options.pieces.side)) - pieces.size());
  Json& list = facts.array("pieces");
  for (const ScenePiece& piece : pieces) {
    Json& entry = list.append();
    entry.set("file", piece.file);
    set_vector(entry, "first_voxel", piece.box.min);
    set_vector(entry, "size", piece.box.size());
    set_vector(entry, "origin", world_corner(scene, piece.box.min));
  }
  return facts.text() + "\n";
}

}  // namespace

bool is_tileset_path(const fs::path& path) {
  return path.filename() == kTilesetName;
}

void check_tiles_folder(const fs::path& path, Overwrite overwrite) {
  const OutputFolder output(folder_of_tiles(path), is_tiles_file, overwrite);
}

void write_tiles(const dag::VoxelScene& scene, const fs::path& path, const std::optional<VoxelBox>& clip,
                 const TilesOptions& options) {
  OutputFolder output(folder_of_tiles(path), is_tiles_file, options.overwrite);
  const VoxelBox region = export_region(scene, clip, path);
  std::optional<dag::FrozenDag> part;
  if (clip) part = dag::clipped_scene(scene, region).dag;
  const dag::FrozenDag& whole = clip ? *part : scene.dag;
  uint32_t finest = 0;
  while ((kTileSide << finest) < scene.dag.resolution) ++finest;
  const Vec3d sides = scene.voxel_size.sides(), size = sides * static_cast<double>(kTileSide << finest);
  TileLevels levels(finest + 1);
  Progress progress("writing tiles", finest + 1);
  for (uint32_t level = 0; level <= finest; ++level) {
    const uint32_t tiles = 1u << level;
    const dag::FrozenDag coarse = level < finest ? dag::coarser(whole, finest - level) : dag::FrozenDag();
    const dag::FrozenDag& dag = level < finest ? coarse : whole;
    const std::vector<Int3> corners = corners_of_cubes(dag, cube_at({0, 0, 0}, dag.resolution), kTileSide);
    levels[level].resize(corners.size());
    parallel_for(size_t{0}, corners.size(), [&](size_t i) {
      throw_if_cancelled();
      const auto [x, y, z] = vec_of<uint32_t>(corners[i]);
      const TilePlace place = {x / kTileSide, tiles - 1 - z / kTileSide, y / kTileSide};
      levels[level][i] = tile_key(place);
      output.write(fs::path("tiles") / std::to_string(level) / (place_text(place) + ".glb"),
                   tile_file(tile_colors(dag, scene.palette, corners[i]), size * (1.0 / tiles)));
    });
    std::ranges::sort(levels[level]);
    progress.update(level + 1, fmt::format("level {}", level));
  }
  for (uint32_t level = 0; level <= finest;
       level += kSubtreeLevels)  // the root has a file even without voxels
    for (const uint64_t key : level == 0 ? std::vector<uint64_t>{0} : levels[level])
      output.write(
          fs::path("subtrees") / std::to_string(level) / (place_text(place_of_key(key)) + ".subtree"),
          subtree_file(levels, level, key));
  output.write(kTilesetName, tileset_text(scene, finest + 1, size, options.origin));
  output.commit();
}

bool is_format_of_pieces(const fs::path& path) {
  using enum FileFormat;
  return is_one_of(file_format(path, FileRole::Export), {Raw, Nrrd, Npy, Npz, Nvdb, Vdb, VtkHdf, Schem});
}

void check_pieces_writable(const fs::path& path, Overwrite overwrite) {
  const OutputFolder folder(folder_of_pieces(path), is_piece_of_vox, overwrite);
}

void write_in_pieces(const dag::VoxelScene& scene, const fs::path& path, const std::optional<VoxelBox>& clip,
                     const ExportOptions& options) {
  const VoxelBox region = export_region(scene, clip, path);
  OutputFolder folder(folder_of_pieces(path), is_piece_of_vox, options.pieces.overwrite);
  ExportOptions of_piece = options;
  of_piece.pieces.side = 0;
  const auto side = static_cast<int32_t>(options.pieces.side);
  const std::vector<ScenePiece> pieces = pieces_of(scene.dag, region, path, side);
  folder.write(kPieceList, list_text(scene, region, options, path, pieces));
  Progress progress("writing pieces", pieces.size());
  for (size_t i = 0; i < pieces.size(); ++i) {
    throw_if_cancelled();
    folder.write_by(pieces[i].file,
                    [&](const fs::path& file) { export_scene(scene, file, pieces[i].box, of_piece); });
    progress.update(i + 1, "");
  }
  folder.commit();
}

}  // namespace vox
