#include "formats/scene/any_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "formats/scene/scene_file.h"
#include "formats/voxels/read_voxels.h"
#include "formats/voxels/volumes/volume_voxels.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

void check_made_digest(const dag::Digest& found, const dag::Digest& expected, const char* form,
                       const fs::path& path) {
  if (found != expected)
    throw Error(fmt::format("the digest is {}, but the {} a scene with {}", dag::to_string(expected), form,
                            dag::to_string(found)))
        .at(path.string());
}

dag::VoxelScene scene_of_hash(const fs::path& path, const EngineOptions& options) {
  dag::VoxelScene scene = read_scene_without_dag(path);
  const dag::Digest expected = scene.dag.digest;
  scene.dag = make_engine(options)->dag_of_hash(read_hash(path));
  check_made_digest(scene.dag.digest, expected, "spatial hash holds", path);
  return scene;
}

// In the bricks of a scene 0 is empty, and m + 1 is material m.
ValueEntries entries_of_materials(const std::optional<scene::Palette>& palette) {
  const auto classify = [](const std::byte* values, uint64_t count, uint8_t* entries) {
    std::transform(values, values + count, entries,
                   [](std::byte value) { return static_cast<uint8_t>(static_cast<uint8_t>(value) - 1); });
  };
  static_assert(kNoEntry == 0xff);
  return {palette.value_or(scene::Palette()), classify};
}

void check_materials(const bricks::FrozenBricks& bricks, bool has_scene, const fs::path& path) {
  const Error wrong = Error("holds bricks of a volume, whose values are no materials of a scene")
                          .at(path.string())
                          .hint("vox-convert makes a scene of a volume");
  if (!has_scene || bricks.info.type != volume::ValueType::U8 || bricks.background != 0) throw wrong;
  const volume::ValueRange range = volume::value_range(bricks::bricks_volume(bricks));
  if (range.high > scene::kPaletteSize) throw wrong;
}

dag::VoxelScene scene_of_bricks(const fs::path& path, const EngineOptions& options,
                                const SceneFileParts& parts) {
  const bricks::FrozenBricks bricks = read_bricks(path);
  const std::optional<scene::Palette> palette = scene_palette(path);
  const bool has_scene = parts.dag || parts.hash;
  check_materials(bricks, has_scene || palette.has_value(), path);
  const volume::Volume volume = bricks::bricks_volume(bricks);
  StoredVolume stored;
  stored.info.size = volume.info.size;
  stored.info.spacing = volume.info.spacing;
  stored.info.origin = volume.info.origin;
  stored.read = volume.read;
  dag::VoxelScene made = scene_of_voxels(voxels_of_volume(stored, entries_of_materials(palette)),
                                         {.memory_limit = options.memory_limit}, path)
                             .scene;
  if (!has_scene) return made;
  dag::VoxelScene scene = read_scene_without_dag(path);
  check_made_digest(made.dag.digest, scene.dag.digest, "bricks hold", path);
  scene.dag = std::move(made.dag);
  return scene;
}

[[noreturn]] void fail_without(const char* form, const fs::path& path) {
  throw Error(fmt::format("holds no {}", form)).at(path.string());
}

}  // namespace

SceneFileParts scene_parts(const fs::path& path) {
  return is_voxels_path(path) ? SceneFileParts{.dag = true} : scene_file_parts(path);
}

dag::VoxelScene read_any_scene(const fs::path& path, const EngineOptions& options, SceneForm form) {
  const SceneFileParts parts = scene_parts(path);
  if (form == SceneForm::Svdag && !parts.dag) fail_without("SVDAG", path);
  if (form == SceneForm::Hash && !parts.hash) fail_without("spatial hash", path);
  if (form == SceneForm::Bricks && !parts.bricks) fail_without("bricks", path);
  if (is_voxels_path(path)) {
    dag::VoxelScene scene = read_voxels(path, {.memory_limit = options.memory_limit}).scene;
    scene.source = path.filename().string();
    return scene;
  }
  if (form == SceneForm::Bricks) return scene_of_bricks(path, options, parts);
  const bool takes_hash = form == SceneForm::Hash || (form == SceneForm::Any && parts.hash && !parts.dag);
  return takes_hash ? scene_of_hash(path, options) : read_scene(path);
}

}  // namespace vox
