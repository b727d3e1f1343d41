#include "formats/voxels/voxel_formats.h"

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <vector>

#include "formats/voxels/export.h"
#include "formats/voxels/nanovdb/nvdb_file.h"
#include "formats/voxels/nanovdb/nvdb_heads.h"
#include "formats/voxels/nanovdb/nvdb_tree.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

using namespace nvdb;

constexpr uint32_t kIndexVersion = version_number(32, 4, 2), kOnIndexVersion = version_number(32, 6, 0);

// Returns the facts of a scene's grid. In an index grid, the array of materials is written in pieces.
NvdbGridFacts facts_of(const dag::VoxelScene& scene, NvdbGrid grid, const TreeOutline& tree,
                       const TreeNodes& nodes) {
  const bool materials = scene.dag.materials;
  const auto count = [](uint64_t number) { return static_cast<uint32_t>(number); };
  NvdbGridFacts facts = {.name = grid == NvdbGrid::Rgba ? "colors"
                                 : materials            ? "materials"
                                                        : "voxels",
                         .version = grid == NvdbGrid::OnIndex ? kOnIndexVersion : kIndexVersion,
                         .flags = grid == NvdbGrid::U8 ? kHasMinMax : 0,
                         .type = nodes.type(),
                         .grid_class = nodes.is_index()         ? GridClass::IndexGrid
                                       : grid == NvdbGrid::Rgba ? GridClass::VoxelVolume
                                                                : GridClass::Unknown,  // U8: any class
                         .active = tree.active,
                         .nodes = {count(tree.leaves), count(tree.lowers.size()), count(tree.upper_nodes)},
                         .tiles = {count(tree.tiles[0]), count(tree.tiles[1]), count(tree.tiles[2])},
                         .first = {nodes.leaves_at(), nodes.lowers_at(), nodes.uppers_at()},
                         .end = nodes.end(),
                         .values = nodes.is_index() ? tree.values : 0,
                         .root = nodes.root()};
  if (materials && nodes.is_index()) {
    facts.arrays.push_back(blind_array(kMaterialsName, tree.values, 1));
    facts.arrays.back().record.data_class = kChannelArray;
  }
  if (materials) facts.arrays.push_back(palette_array(scene.palette));
  facts.arrays.push_back(text_array(scene));
  return facts;
}

void check_counts(const TreeOutline& tree, const std::filesystem::path& path) {
  for (const uint64_t count : {tree.leaves, tree.tiles[0], tree.tiles[1], uint64_t{tree.lowers.size()}})
    if (count > UINT32_MAX)
      throw Error(
          fmt::format("would have {} nodes of one size, but a .nvdb file can have {}", count, UINT32_MAX))
          .at(path.string())
          .hint(coarser_hint("64K"))
          .about("resolution");
}

}  // namespace

void write_nvdb(const dag::VoxelScene& scene, const std::filesystem::path& path,
                const std::optional<VoxelBox>& clip, NvdbGrid grid, ranks::Ranks& ranks) {
  if (grid == NvdbGrid::Rgba && !scene.dag.materials && !scene.colors)
    throw Error("cannot hold colors: the scene has no materials").at(path.string());
  const VoxelBox region = export_region(scene, clip, path);
  const TreeOutline tree =
      outline_of(scene.dag, region, grid == NvdbGrid::U8 ? CountMaterials::Yes : CountMaterials::No,
                 scene.colors && grid == NvdbGrid::Rgba ? FullNodes::AreLeaves : FullNodes::AreTiles);
  check_counts(tree, path);
  const TreeNodes nodes(scene, grid, tree);
  const NvdbHeads heads(scene, facts_of(scene, grid, tree, nodes));
  ExportFile file(path, heads.bytes(), Writers::Several, ranks);
  heads.write(file);
  std::vector<const UpperNode*> uppers;
  for (const UpperNode& upper : tree.uppers)
    if (!upper.solid) uppers.push_back(&upper);
  const std::vector<LowerNode>& lowers = tree.lowers;
  file.write_pieces(uppers.size(), [&](uint64_t i) { return nodes.upper(*uppers[i]); });
  file.write_pieces(lowers.size(), [&](uint64_t i) { return nodes.lower(lowers[i], i); });
  file.write_pieces(lowers.size(), [&](uint64_t i) { return nodes.leaves(lowers[i]); });
  heads.write_arrays(file, [&] {
    file.write(nodes.first_materials());
    file.write_pieces(lowers.size(), [&](uint64_t i) { return nodes.materials(lowers[i]); });
  });
  file.commit();
}

namespace {

// Copies the record at this place of a file. Returns false if the file ends before.
template <class Record>
bool copy_record(std::string_view file, uint64_t at, Record& record) {
  if (at > file.size() || file.size() - at < sizeof(Record)) return false;
  std::memcpy(&record, file.data() + at, sizeof(Record));
  return true;
}

}  // namespace

// The last array beside the tree is the scene's description.
bool is_nvdb_of_vox(std::string_view file) {
  GridRecord record;
  GridHead head;
  BlindRecord last;
  if (!file.starts_with("NanoVDB") || !copy_record(file, sizeof(FileHeader), record)) return false;
  const uint64_t grid = sizeof(FileHeader) + sizeof(GridRecord) + record.name_bytes;
  if (!copy_record(file, grid, head) || head.blind_count == 0) return false;
  const uint64_t at =
      grid + static_cast<uint64_t>(head.blind_at) + (head.blind_count - uint64_t{1}) * sizeof(BlindRecord);
  return copy_record(file, at, last) &&
         std::string_view(last.name.data(), last.name.size()).starts_with(std::string(kSceneName) + '\0');
}

}  // namespace vox
