#include "formats/scene/scene_file.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <system_error>

#include "formats/io/foreign_file.h"
#include "formats/io/h5_new_file.h"
#include "formats/io/read_file.h"
#include "formats/scene/bricks_group.h"
#include "formats/scene/h5_words.h"
#include "formats/scene/hash_group.h"
#include "formats/scene/replaced_parts.h"
#include "formats/scene/scene_facts.h"
#include "formats/scene/svdag_group.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

enum class WithDag { Yes, No };

void write_all(const dag::VoxelScene& scene, const fs::path& path, const OtherForms& forms, WithDag dag,
               const Compression& compression, uint32_t version) {
  h5::NewFile file(path);
  write_scene_facts(file.root(), scene, version);
  if (dag == WithDag::Yes) write_svdag_group(file.root(), scene.dag, version, compression);
  if (forms.bricks != nullptr) write_bricks_group(file.root(), *forms.bricks, compression);
  if (forms.hash != nullptr) write_hash_group(file.root(), *forms.hash, compression);
  file.commit();
  remove_replaced_parts(path);
}

void check_is_hdf5(const fs::path& path) {
  std::error_code failed;
  fs::file_status status = fs::status(path, failed);
  if (!fs::exists(status)) throw Error("no such file").at(path.string());
  if (fs::is_directory(status)) throw Error("is a folder, expected a scene file").at(path.string());
  check_input(path);
  if (is_scene_file(path)) return;
  refuse_foreign(path);
  throw Error("is no HDF5 file, so no scene file").at(path.string());
}

h5::Object open_checked(const fs::path& path) {
  check_is_hdf5(path);
  h5::Object file = h5::open_file(path);
  checked_version(file);
  return file;
}

h5::Object open_with_dag(const fs::path& path) {
  h5::Object file = open_checked(path);
  if (h5::has_child(file, "svdag")) return file;
  if (h5::has_child(file, "hash"))
    throw Error("holds a spatial hash without an SVDAG")
        .at(path.string())
        .hint("convert it into an SVDAG first");
  if (h5::has_child(file, "bricks"))
    throw Error("holds the bricks of a volume, expected a voxel scene").at(path.string());
  return file;
}

}  // namespace

void check_compression(const Compression& compression) {
  h5::check_available(compression);
}

void write_scene(const dag::VoxelScene& scene, const fs::path& path, const OtherForms& forms,
                 const Compression& compression, uint32_t version) {
  write_all(scene, path, forms, WithDag::Yes, compression, version);
}

// The layout of a file without an SVDAG has not changed since version 1, so its version is 1.
void write_scene_without_dag(const dag::VoxelScene& scene, const fs::path& path, const OtherForms& forms,
                             const Compression& compression) {
  write_all(scene, path, forms, WithDag::No, compression, kOldestSceneVersion);
}

void write_bricks(const bricks::FrozenBricks& bricks, const FileOrigin& origin, const fs::path& path,
                  const dag::VoxelScene* scene, const Compression& compression) {
  h5::NewFile file(path);
  write_header(file.root(), origin, kOldestSceneVersion);
  if (scene != nullptr && scene->palette.count > 0) write_palette(file.root(), *scene);
  write_bricks_group(file.root(), bricks, compression);
  file.commit();
}

dag::VoxelScene read_scene(const fs::path& path) {
  h5::Quiet quiet;
  const h5::Object file = open_with_dag(path);
  dag::VoxelScene scene = read_scene_but_voxels(file);
  scene.dag = read_svdag_group(file, checked_version(file), std::move(scene.dag));
  return scene;
}

dag::VoxelScene read_scene_without_dag(const fs::path& path) {
  h5::Quiet quiet;
  return read_scene_but_voxels(open_checked(path));
}

SceneInfo read_scene_info(const fs::path& path) {
  h5::Quiet quiet;
  const h5::Object file = open_with_dag(path);
  SceneInfo info = {read_scene_but_voxels(file), {}, checked_version(file)};
  for (const LevelSizes& level : read_level_sizes(file, info.scene.dag.depth())) {
    dag::DagLevel& to = info.scene.dag.levels[info.level_words.size()];
    to.nodes = level.nodes;
    to.svo_nodes = level.svo_nodes;
    info.level_words.push_back(level.words);
  }
  return info;
}

bricks::FrozenBricks read_bricks(const fs::path& path) {
  h5::Quiet quiet;
  const h5::Object file = open_checked(path);
  if (!h5::has_child(file, "bricks"))
    throw Error("holds no bricks").at(path.string()).hint("convert it into bricks first");
  return read_bricks_group(file);
}

spatial::FrozenHash read_hash(const fs::path& path) {
  h5::Quiet quiet;
  const h5::Object file = open_checked(path);
  if (!h5::has_child(file, "hash"))
    throw Error("holds no spatial hash").at(path.string()).hint("convert it into a spatial hash first");
  return read_hash_group(file);
}

std::optional<scene::Palette> scene_palette(const fs::path& path) {
  h5::Quiet quiet;
  const h5::Object file = open_checked(path);
  if (!h5::has_child(file, "palette")) return std::nullopt;
  dag::VoxelScene scene;
  read_palette(file, scene);
  if (scene.palette.count == 0) return std::nullopt;
  return scene.palette;
}

SceneFileParts scene_file_parts(const fs::path& path) {
  h5::Quiet quiet;
  const h5::Object file = open_checked(path);
  return {h5::has_child(file, "svdag"), h5::has_child(file, "bricks"), h5::has_child(file, "hash")};
}

bool is_scene_file(const fs::path& path) {
  constexpr std::string_view kMagic = "\x89HDF\r\n\x1a\n";
  return first_bytes(path, kMagic.size()) == kMagic;
}

}  // namespace vox
