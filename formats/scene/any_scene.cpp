#include "formats/scene/any_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>
#include <variant>

#include "formats/file_types.h"
#include "formats/mesh/mesh.h"
#include "formats/points/points.h"
#include "formats/scene/groups.h"
#include "formats/scene/scene_file.h"
#include "formats/voxels/openvdb/vdb.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/log.h"
#include "libvox/base/process.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/digests.h"
#include "libvox/dag/verify.h"
#include "libvox/dag/walk.h"
#include "libvox/device/devices.h"
#include "libvox/edit/editor.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

// Compares the digest of a scene's content, which the scene has, with the one that its file has.
void compare_digests(dag::VoxelScene& scene, const dag::Digest& of_file, const char* form, Damage damage,
                     const fs::path& path) {
  if (scene.dag.digest == of_file) return;
  const std::string problem = fmt::format("the digest is {}, but the {} a scene with {}",
                                          dag::to_string(of_file), form, dag::to_string(scene.dag.digest));
  if (damage == Damage::Accepted) {
    log_warning("{}: {}", path.string(), problem);
    scene.source += fmt::format("{}damaged: its digest was {}", scene.source.empty() ? "" : "; ",
                                dag::to_string(of_file));
    return;
  }
  Error error(problem);
  error.at(path.string());
  if (damage == Damage::Refused)
    error.hint("the file is damaged; the caller can allow reading what it holds").about("overwrite");
  throw error;
}

dag::VoxelScene scene_of_hash(const fs::path& path, const EngineOptions& options, Damage damage) {
  dag::VoxelScene scene = read_scene_without_dag(path);
  const dag::Digest expected = scene.dag.digest;
  scene.dag = spatial::dag_of_hash(make_engine(options)->handle(), read_hash(path));
  compare_digests(scene, expected, "spatial hash holds", damage, path);
  return scene;
}

dag::VoxelScene scene_of_bricks(const fs::path& path, const EngineOptions& options,
                                const SceneFileParts& parts, Damage damage) {
  const bool has_scene = parts.dag || parts.hash;
  dag::VoxelScene scene = has_scene ? read_scene_without_dag(path) : read_scene_of_bricks_but_voxels(path);
  const dag::Digest expected = scene.dag.digest;
  scene.dag = dag_of_bricks(path, scene, options.memory_limit);
  if (has_scene) compare_digests(scene, expected, "bricks hold", damage, path);
  return scene;
}

// True if the work is for a GPU, named or found.
bool chooses_gpu(const EngineOptions& options) {
  return options.device.starts_with("cuda") || (options.device == "auto" && device::gpu_count() > 0);
}

// True if the user limits the memory of the process. A limit for a GPU says nothing about it.
bool limits_host(const EngineOptions& options) {
  return options.memory_limit > 0 && !chooses_gpu(options);
}

// Returns how many bytes the process may take.
uint64_t host_limit(const EngineOptions& options) {
  return limits_host(options) ? options.memory_limit : resident_bytes() + available_bytes() / 5 * 4;
}

constexpr uint64_t kLarge = uint64_t{8} << 30, kManyChunks = uint64_t{1} << 27;  // see Loading

// Returns how many bytes of words are read as a whole, with so much memory left.
uint64_t most_at_once(Loading loading, uint64_t left) {
  constexpr uint64_t kSmall = 64 << 20;
  switch (loading) {
    case Loading::Whole:
      return UINT64_MAX;
    case Loading::IfItFits:
      return left / 4 * 3;
    case Loading::AsUsed:
      return std::min(left / 2, kLarge);
    case Loading::ByChunks:
      return std::min(left / 2, kManyChunks);
    case Loading::InParts:
      return std::min(left / 2, kSmall);
  }
  return 0;
}

// Returns a paged scene if the whole one would take too much memory, and if there are several ranks.
std::optional<dag::VoxelScene> scene_as_used(const fs::path& path, const EngineOptions& options,
                                             Loading loading, const ranks::Ranks& ranks) {
  constexpr uint64_t kLeastBudget = 16 << 20, kMostBudget = uint64_t{6} << 30;
  const SceneFileParts parts = scene_file_parts(path);
  if (parts.normals && !parts.colors) return std::nullopt;
  if (parts.colors && (ranks.count() > 1 || chooses_gpu(options))) return std::nullopt;
  const SceneInfo info = read_scene_info(path);
  uint64_t bytes = 0;
  for (uint32_t level = 0; level < info.level_words.size(); ++level)
    bytes += info.level_words[level] * sizeof(uint32_t) +
             dag::NodePlaces::blocks_for(info.scene.dag.levels[level].nodes) * sizeof(dag::PlacesBlock);
  const uint64_t limit = host_limit(options);
  const uint64_t left = limit - std::min(resident_bytes(), limit);
  const uint64_t whole =
      parts.colors ? 2 * bytes : 0;  // the DAG, if colors are paged, and the numbers of its voxels
  const uint64_t color_bytes = info.colors ? info.colors->bytes : 0;
  bytes += color_bytes;
  if (ranks.count() == 1 && bytes <= most_at_once(loading, left)) return std::nullopt;
  const uint64_t half = limit / 2 - std::min(limit / 2, whole);
  const uint64_t budget = limits_host(options) ? std::max(half, kLeastBudget) : std::min(half, kMostBudget);
  std::error_code none;  // without a folder for temporary files, pieces are read again
  std::optional<dag::VoxelScene> scene =
      read_paged_scene(path, std::make_shared<PagedBudget>(budget, fs::temp_directory_path(none)));
  if (scene)
    log_debug("{}: {} of {} are read as they are used, {} at a time", path.string(),
              format_bytes(parts.colors ? color_bytes : bytes), parts.colors ? "colors" : "words",
              format_bytes(budget));
  return scene;
}

[[noreturn]] void fail_without(const char* form, const fs::path& path) {
  throw Error(fmt::format("holds no {}", form)).at(path.string());
}

// A GPU takes longer to start than the processor takes to verify a smaller DAG.
constexpr uint64_t kWorthAGpu = 128 << 20;

// Returns the first command that uses the script's file with this number, which counts from 1, or null if
// every command with that file has an error.
const edit::Command* first_use(const edit::Script& script, uint32_t file) {
  const auto found = std::ranges::find_if(script.commands, [&](const edit::Command& command) {
    const edit::Edit* edit = std::get_if<edit::Edit>(&command.action);
    return edit && edit::scene_of(*edit) == file;
  });
  return found == script.commands.end() ? nullptr : &*found;
}

dag::VoxelScene read_other_scene(const fs::path& file, const dag::VoxelScene& scene, Damage damage) {
  dag::VoxelScene other = read_any_scene(file, {.device = "cpu"}, SceneForm::Any, damage);
  if (scene.dag.materials) other = in_palette(std::move(other), "when it is a brush", {});
  if (other.dag.materials && !scene.dag.materials)
    throw Error("has materials, the scene that is edited has none")
        .at(file.string())
        .hint("convert its source without materials");
  if (!other.dag.materials && scene.dag.materials)
    throw Error("has no materials, the scene that is edited has some").at(file.string());
  return other;
}

using std::filesystem::path;

void check_dag(const dag::FrozenDag& dag, EngineOptions options, ranks::Ranks& ranks) {
  const uint64_t memory = memory_for_values(options);
  if (ranks.count() > 1) return dag::verify(dag, memory, ranks);
  if (dag.paged || (options.device == "auto" && dag.bytes() < kWorthAGpu)) options.device = "cpu";
  dag::verify_on(make_engine(options)->handle(), dag, memory);
}

void check_dag_and_palette(const dag::VoxelScene& scene, const EngineOptions& options, ranks::Ranks& ranks) {
  check_dag(scene.dag, options, ranks);
  dag::check_materials(scene.dag, scene.palette.count, ranks);
}

// The bricks of a scene may stand in a file with its palette alone.
void check_palette_of_bricks(const bricks::FrozenBricks& bricks, const path& file) {
  const std::optional<scene::Palette> palette = scene_palette(file);
  if (!palette) return;
  const double highest = volume::value_range(bricks::bricks_volume(bricks)).high;
  if (highest > palette->count)
    throw Error(fmt::format("a voxel has the material {:g}, but the palette has only the entries 0 to {}",
                            highest - 1, palette->count - 1));
}

void check_forms(const OtherForms& forms, const dag::VoxelScene& scene, const EngineOptions& options) {
  if (forms.normals != nullptr) attributes::verify(*forms.normals);
  if (forms.symmetric != nullptr)
    dag::check_same_nodes(make_engine(options)->handle(), *forms.symmetric, scene.dag);
  if (forms.bricks != nullptr) {
    bricks::verify(*forms.bricks);
    bricks::check_same_voxels(*forms.bricks, scene);
  }
  if (forms.hash != nullptr) {
    spatial::verify(*forms.hash);
    spatial::check_same_voxels(*forms.hash, scene.dag);
  }
}

void check_digest(const dag::VoxelScene& written, const dag::VoxelScene& scene) {
  if (written.dag.digest != scene.dag.digest)
    throw Error(fmt::format("the digest is {}, but the scene's is {}", dag::to_string(written.dag.digest),
                            dag::to_string(scene.dag.digest)));
  if (written.colors != scene.colors) throw Error("the colors differ from the scene's");
}

// A PLY file holds a mesh if it has faces.
InputKind kind_of_points(const FileType& type, const std::filesystem::path& path) {
  if (type.format == FileFormat::Splat || type.format == FileFormat::Spz) return InputKind::Splats;
  if (type.format != FileFormat::Ply) return InputKind::Points;
  switch (ply_points_of(path)) {
    case PlyPoints::None:
      return InputKind::Mesh;
    case PlyPoints::Plain:
      return InputKind::Points;
    case PlyPoints::Splats:
      return InputKind::Splats;
  }
  return InputKind::Mesh;
}

}  // namespace

SceneFileParts scene_parts(const fs::path& path) {
  return kind_of_input(path) == InputKind::Voxels ? SceneFileParts{.dag = true} : scene_file_parts(path);
}

Damage damage_with(Overwrite overwrite) {
  return overwrite == Overwrite::AllFiles ? Damage::Accepted : Damage::Refused;
}

void warn_of_lost_names(const dag::VoxelScene& scene, bool has_other_palette) {
  const size_t kept = has_other_palette ? 0 : scene::kPaletteSize;
  if (scene.named_colors.size() > kept)
    log_warning("the names of {} materials are left out: a palette {}", scene.named_colors.size(),
                has_other_palette ? "that is given has its own" : fmt::format("holds {}", kept));
}

dag::VoxelScene in_palette(dag::VoxelScene scene, const char* where, const EngineOptions& options) {
  if (!scene.colors) return scene;
  log_info("24-bit colors become a palette of {} {}", scene::kPaletteSize, where);
  warn_of_lost_names(scene, false);
  return dag::with_palette(std::move(scene), {.memory_limit = options.memory_limit});
}

void check_content(dag::VoxelScene& scene, const fs::path& path, Damage damage, uint64_t memory,
                   ranks::Ranks& ranks) {
  if (damage == Damage::Ignored) return;
  const dag::Digest expected = std::exchange(scene.dag.digest, dag::digest_of(scene.dag, memory, ranks));
  if (scene.dag.digest == expected) return;
  compare_digests(scene, expected, "SVDAG holds", damage, path);
  dag::count_octree(scene.dag);
}

void check_content_on(device::DeviceHandle gpu, dag::VoxelScene& scene, const fs::path& path, Damage damage,
                      uint64_t memory) {
  if (damage == Damage::Ignored) return;
  if (scene.dag.paged || scene.dag.bytes() < kWorthAGpu) return check_content(scene, path, damage, memory);
  try {
    dag::verify_on(gpu, scene.dag, memory);
  } catch (const Cancelled&) {
    throw;
  } catch (
      const Error&) {  // if it is not the digest that is wrong, the scene has been accepted when it was read
    check_content(scene, path, damage, memory);
  }
}

uint64_t memory_for_values(const EngineOptions& options) {
  constexpr uint64_t kLeast = 8 << 20;
  return std::max(host_limit(options) / 8, kLeast);
}

bool is_for_gpu(const EngineOptions& options, uint64_t bytes) {
  return chooses_gpu(options) && (options.device != "auto" || bytes >= kWorthAGpu);
}

Loading loading_onto(const EngineOptions& options) {
  return chooses_gpu(options) ? Loading::IfItFits : Loading::AsUsed;
}

dag::VoxelScene read_any_scene(const fs::path& path, const EngineOptions& options, SceneForm form,
                               Damage damage, Loading loading, ranks::Ranks& ranks) {
  const bool is_voxels = kind_of_input(path) == InputKind::Voxels;
  const SceneFileParts parts = is_voxels ? SceneFileParts{.dag = true} : scene_file_parts(path);
  if (form == SceneForm::Svdag && !parts.dag) fail_without("SVDAG", path);
  if (form == SceneForm::Symmetric && !parts.symmetric) fail_without("symmetric form", path);
  if (form == SceneForm::Hash && !parts.hash) fail_without("spatial hash", path);
  if (form == SceneForm::Bricks && !parts.bricks) fail_without("bricks", path);
  if (is_voxels) {
    dag::VoxelScene scene = read_voxels(path, {.memory_limit = options.memory_limit}).scene;
    scene.source = path.filename().string();
    return scene;
  }
  if (form == SceneForm::Bricks) return scene_of_bricks(path, options, parts, damage);
  const bool takes_bricks = form == SceneForm::Any && parts.bricks && !parts.dag && !parts.hash;
  if (takes_bricks && scene_palette(path)) return scene_of_bricks(path, options, parts, damage);
  const bool takes_hash = form == SceneForm::Hash || (form == SceneForm::Any && parts.hash && !parts.dag);
  if (takes_hash) return scene_of_hash(path, options, damage);
  if (loading != Loading::Whole) {
    if (std::optional<dag::VoxelScene> scene = scene_as_used(path, options, loading, ranks)) {
      const bool by_chunks = loading == Loading::ByChunks && scene->dag.bytes() > kManyChunks;
      if (!by_chunks) check_content(*scene, path, damage, memory_for_values(options), ranks);
      return *std::move(scene);
    }
  }
  dag::VoxelScene scene = read_scene(path);
  check_content(scene, path, damage, UINT64_MAX, ranks);
  return scene;
}

std::vector<dag::VoxelScene> read_script_scenes(const edit::Script& script, const dag::VoxelScene& scene,
                                                Damage damage, const edit::OnScriptError& on_error) {
  std::vector<dag::VoxelScene> others;
  for (const fs::path& file : script.files) {
    dag::VoxelScene& other = others.emplace_back();
    other.dag = dag::empty_dag(scene.dag.resolution, scene.dag.materials);
    const auto number = static_cast<uint32_t>(others.size());
    if (const edit::Command* command = first_use(script, number))
      edit::at_command(script, *command, on_error, [&] { other = read_other_scene(file, scene, damage); });
  }
  return others;
}

void verify_scene(const dag::VoxelScene& scene, const OtherForms& forms, const path& file,
                  const EngineOptions& options, ranks::Ranks& ranks) {
  at_place(file.string(), [&] {
    check_dag_and_palette(scene, options, ranks);
    if (ranks.rank() == 0) check_forms(forms, scene, options);
    if (ranks.rank() == 0 && scene.colors) attributes::verify(*scene.colors);
  });
}

void verify_bricks(const bricks::FrozenBricks& bricks, const path& file) {
  at_place(file.string(), [&] {
    bricks::verify(bricks);
    check_palette_of_bricks(bricks, file);
    bricks::FrozenBricks finer;
    for (uint32_t level = 1; level < brick_level_bytes(file).size(); ++level) {
      bricks::FrozenBricks coarser = read_bricks(file, level);
      bricks::verify(coarser);
      volume::check_same_values(bricks::bricks_volume(coarser), fmt::format("level {} of the bricks", level),
                                volume::coarser_volume(bricks::bricks_volume(level == 1 ? bricks : finer)),
                                "the means of the level before");
      finer = std::move(coarser);
    }
  });
}

void verify_written(const dag::VoxelScene& scene, const path& file, const EngineOptions& options,
                    const attributes::PackedValues* normals) {
  const SceneFileParts parts = scene_file_parts(file);
  if (normals != nullptr && read_normals(file, scene.dag) != *normals)
    throw Error("the normals differ from the mesh's").at(file.string());
  if (parts.bricks) {
    const bricks::FrozenBricks bricks = read_bricks(file);
    at_place(file.string(), [&] { check_forms({.bricks = &bricks}, scene, options); });
  }
  if (parts.hash) {
    const spatial::FrozenHash hash = read_hash(file);
    at_place(file.string(), [&] { check_forms({.hash = &hash}, scene, options); });
  }
  if (parts.symmetric) {
    const dag::SymmetricDag symmetric = read_symmetric(file);
    at_place(file.string(), [&] { check_forms({.symmetric = &symmetric}, scene, options); });
  }
  if (!parts.dag && !parts.hash) return;
  const dag::VoxelScene written =
      parts.dag ? read_any_scene(file, options, SceneForm::Svdag, Damage::Ignored, loading_onto(options))
                : read_scene_without_dag(file);
  at_place(file.string(), [&] {
    if (parts.dag) check_dag_and_palette(written, options, ranks::alone());
    check_digest(written, scene);
  });
}

void verify_written(const volume::Volume& volume, const volume::ThresholdOptions& threshold,
                    const path& file) {
  const volume::Volume expected = volume::with_rule(volume, volume::value_rule(volume, threshold));
  const auto check = [&](const volume::Volume& written, const char* name) {
    volume::check_same_values(written, name, expected, "the volume");
  };
  if (is_volume(kind_of_input(file)))
    return at_place(file.string(), [&] { check(open_volume(file, {}), "the file"); });
  const bricks::FrozenBricks bricks = read_bricks(file);
  verify_bricks(bricks, file);
  at_place(file.string(), [&] { check(bricks::bricks_volume(bricks), "the bricks"); });
}

InputKind kind_of_input(const std::filesystem::path& path, const RawOptions& raw) {
  if (const FileType* volume = file_type(path, FileRole::Volume)) {
    if (volume->format == FileFormat::Vdb) return is_vdb_volume(path) ? InputKind::Volume : InputKind::Voxels;
    return volume->format == FileFormat::Raw ? InputKind::RawVolume : InputKind::Volume;
  }
  if (has_role(path, FileRole::Voxels)) return InputKind::Voxels;
  if (has_role(path, FileRole::Scene)) return InputKind::Scene;
  const FileType* points = file_type(path, FileRole::Points);
  if (raw.any() && points == nullptr && !is_mesh_path(path)) return InputKind::RawVolume;
  if (is_scene_file(path)) return InputKind::Scene;
  return points != nullptr ? kind_of_points(*points, path) : InputKind::Mesh;
}

std::vector<InputKind> kinds_of_inputs(std::span<const std::filesystem::path> paths, const RawOptions& raw) {
  std::vector<InputKind> kinds;
  kinds.reserve(paths.size());
  for (const std::filesystem::path& path : paths) kinds.push_back(kind_of_input(path, raw));
  return kinds;
}

std::string names_of_inputs(std::span<const std::filesystem::path> paths) {
  std::string text;
  for (const auto& path : paths) text += (text.empty() ? "" : ", ") + path.filename().string();
  return text;
}

}  // namespace vox
