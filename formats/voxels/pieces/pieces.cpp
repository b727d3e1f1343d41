#include "formats/voxels/pieces/pieces.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "formats/file_types.h"
#include "formats/images/palette_file.h"
#include "formats/io/output_folder.h"
#include "formats/io/read_file.h"
#include "libvox/base/error.h"
#include "libvox/base/json.h"
#include "libvox/base/progress.h"
#include "libvox/dag/walk.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

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
  const std::string_view of_bytes =
      scene.dag.materials && !is_bit ? "material + 1, 0 is empty" : "1 where filled";
  facts.set("values", format == FileFormat::Schem ? "blocks by name" : of_bytes);
  if (scene.dag.materials) set_materials(facts, scene);
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
