#include "formats/scene/scene_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "formats/file_types.h"
#include "formats/io/h5.h"
#include "formats/io/read_file.h"
#include "formats/scene/groups.h"
#include "formats/scene/scene_parts.h"
#include "libvox/voxelize/grid.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

enum class WithDag { Yes, No };

void write_all(const dag::VoxelScene& scene, const fs::path& path, const OtherForms& forms, WithDag dag,
               const Compression& compression, uint32_t version) {
  h5::NewFile file(path);
  write_scene_facts(file.root(), scene, version);
  if (dag == WithDag::Yes) write_svdag_group(file.root(), scene.dag, version, compression);
  if (scene.colors) write_attribute_group(file.root(), VoxelAttribute::Colors, *scene.colors, compression);
  if (forms.normals != nullptr)
    write_attribute_group(file.root(), VoxelAttribute::Normals, *forms.normals, compression);
  if (forms.symmetric != nullptr) write_symmetric_group(file.root(), *forms.symmetric, compression);
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
  throw Error("is no HDF5 file, so no scene file").at(path.string()).hint(conversion_hint(path));
}

h5::Object open_checked(const fs::path& path) {
  check_is_hdf5(path);
  h5::Object file = h5::open_file(path);
  checked_version(file);
  return file;
}

h5::Object open_with_dag(const fs::path& path) {
  h5::Object file = open_checked(path);
  if (h5::has_child(file, "svdag") || h5::has_child(file, "symmetric")) return file;
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

namespace {

// Returns the scene with its whole DAG. With a budget, its colors stay in the file.
dag::VoxelScene read_with_colors(const h5::Object& file, const fs::path& path,
                                 const std::shared_ptr<PagedBudget>& budget) {
  dag::VoxelScene scene = read_scene_but_voxels(file);
  scene.dag = h5::has_child(file, "svdag")
                  ? read_svdag_group(file, checked_version(file), std::move(scene.dag))
                  : expanded_symmetric_group(file, scene.dag);
  scene.colors = read_attribute_group(file, VoxelAttribute::Colors, scene.dag.voxels, budget);
  // Colors are found by the numbers of voxels, so that the count that the file states must be true.
  if (scene.colors)
    if (const uint64_t voxels = dag::octree_counts(scene.dag).voxels; voxels != scene.colors->count)
      throw Error(fmt::format("holds {} colors for {} voxels", scene.colors->count, voxels))
          .at(path.string());
  return scene;
}

}  // namespace

dag::VoxelScene read_scene(const fs::path& path) {
  h5::Quiet quiet;
  return read_with_colors(open_with_dag(path), path, {});
}

std::optional<dag::VoxelScene> read_paged_scene(const fs::path& path,
                                                const std::shared_ptr<PagedBudget>& budget) {
  h5::Quiet quiet;
  const h5::Object file = open_with_dag(path);
  if (has_attribute_group(file, VoxelAttribute::Colors)) return read_with_colors(file, path, budget);
  if (!h5::has_child(file, "svdag")) return std::nullopt;
  dag::VoxelScene scene = read_scene_but_voxels(file);
  std::optional<dag::FrozenDag> dag =
      page_svdag_group(file, checked_version(file), std::move(scene.dag), budget);
  if (!dag) return std::nullopt;
  scene.dag = *std::move(dag);
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
  if (h5::has_child(file, "symmetric")) info.symmetric = symmetric_size_of(file, info.scene.dag);
  for (const LevelSizes& level : h5::has_child(file, "svdag")
                                     ? read_level_sizes(file, info.version, info.scene.dag)
                                     : read_plain_sizes(file, info.scene.dag)) {
    dag::DagLevel& to = info.scene.dag.levels[info.level_words.size()];
    to.nodes = level.nodes;
    to.svo_nodes = level.svo_nodes;
    info.level_words.push_back(level.words);
  }
  info.colors = attribute_info_of(file, VoxelAttribute::Colors);
  info.normals = attribute_info_of(file, VoxelAttribute::Normals);
  return info;
}

static h5::Object open_with_bricks(const fs::path& path) {
  h5::Object file = open_checked(path);
  if (!h5::has_child(file, "bricks"))
    throw Error("holds no bricks").at(path.string()).hint("convert it into bricks first");
  return file;
}

bricks::FrozenBricks read_bricks(const fs::path& path, uint32_t level) {
  h5::Quiet quiet;
  return read_bricks_group(open_with_bricks(path), level);
}

std::vector<uint64_t> brick_level_bytes(const fs::path& path) {
  h5::Quiet quiet;
  return bricks_group_bytes(open_with_bricks(path));
}

dag::SymmetricDag read_symmetric(const fs::path& path) {
  h5::Quiet quiet;
  const h5::Object file = open_checked(path);
  if (!h5::has_child(file, "symmetric"))
    throw Error("holds no symmetric form").at(path.string()).hint("convert it into one first");
  return read_symmetric_group(file, read_scene_but_voxels(file).dag);
}

std::optional<attributes::PackedValues> read_normals(const fs::path& path, const dag::FrozenDag& dag) {
  h5::Quiet quiet;
  return read_attribute_group(open_checked(path), VoxelAttribute::Normals, dag::octree_counts(dag).voxels);
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
  const bool svdag = h5::has_child(file, "svdag"), symmetric = h5::has_child(file, "symmetric");
  return {svdag || symmetric,
          h5::has_child(file, "bricks"),
          h5::has_child(file, "hash"),
          has_attribute_group(file, VoxelAttribute::Colors),
          has_attribute_group(file, VoxelAttribute::Normals),
          svdag,
          symmetric};
}

bool is_scene_file(const fs::path& path) {
  return first_bytes(path, h5::kMagic.size()) == h5::kMagic;
}

namespace {

constexpr const char* kFormat = "vox-scene";

}  // namespace

bool is_scene_of_vox(const fs::path& path) {
  return h5::is_file_of_format(path, kFormat);
}

namespace {

// The names that the file uses, in the order of their enumerators.
constexpr const char* kMeter = "m";
const std::vector<std::string> kUpAxes = {"x", "y", "z"};
const std::vector<std::string> kCoverages = {"conservative", "thin"};

}  // namespace

dag::Digest checked_digest(const std::string& text, const h5::Object& object) {
  const std::optional<dag::Digest> digest = dag::parse_digest(text);
  if (!digest)
    throw Error(fmt::format("the digest '{}' has not 32 hexadecimal digits", text)).at(object.where());
  return *digest;
}

namespace {

// --- writing ---

void write_axes(const h5::Object& group, const dag::VoxelScene& scene) {
  if (scene.unit == scene::LengthUnit::Meter) h5::write_text(group, "unit", kMeter);
  h5::write_text(group, "up", kUpAxes[static_cast<size_t>(scene.up)]);
}

void write_placement(const h5::Object& file, const dag::VoxelScene& scene) {
  h5::Object group = h5::create_group(file, "scene");
  h5::write_attribute(group, "resolution", scene.dag.resolution);
  h5::write_attribute(group, "depth", scene.dag.depth());
  h5::write_attribute<double>(group, "origin", std::array{scene.origin.x, scene.origin.y, scene.origin.z});
  const VoxelSize& size = scene.voxel_size;
  if (size.is_cube())
    h5::write_attribute(group, "voxel_size", size.x);
  else
    h5::write_attribute<double>(group, "voxel_sides", std::array{size.x, size.y, size.z});
  write_axes(group, scene);
  h5::write_text(group, "coverage", kCoverages[static_cast<size_t>(scene.coverage)]);
  h5::write_attribute(group, "solid", uint8_t{scene.solid});
  h5::write_attribute(group, "material_bits", uint32_t{scene.dag.materials ? 4u : 0u});
  h5::write_attribute(group, "voxels", scene.dag.voxels);
  h5::write_text(group, "source", scene.source);
}

void write_history(const h5::Object& file, const std::vector<dag::EditRecord>& history) {
  std::vector<uint8_t> scripts;
  std::vector<uint64_t> ends;
  std::vector<std::string> times, digests;
  for (const dag::EditRecord& record : history) {
    scripts.insert(scripts.end(), record.script.begin(), record.script.end());
    ends.push_back(scripts.size());
    times.push_back(record.time);
    digests.push_back(dag::to_string(record.digest));
  }
  h5::Object group = h5::create_group(file, "history");
  h5::write_table(group, "script", std::span<const uint8_t>(scripts), {scripts.size()});
  h5::write_table(group, "script_end", std::span<const uint64_t>(ends), {ends.size()});
  h5::write_texts(group, "time", times);
  h5::write_texts(group, "digest", digests);
}

// --- reading ---

size_t read_choice(const h5::Object& object, const std::string& name,
                   const std::vector<std::string>& choices) {
  std::string text = h5::read_text(object, name);
  for (size_t i = 0; i < choices.size(); ++i)
    if (text == choices[i]) return i;
  throw Error(fmt::format("{} is '{}', expected one of: {}", name, text, fmt::join(choices, ", ")))
      .at(object.where());
}

// Bricks that an older vox wrote state no axis. Most scenes have y up.
void read_axes(const h5::Object& group, dag::VoxelScene& scene) {
  if (h5::has_attribute(group, "unit") && h5::read_text(group, "unit") == kMeter)
    scene.unit = scene::LengthUnit::Meter;
  if (h5::has_attribute(group, "up")) scene.up = static_cast<dag::UpAxis>(read_choice(group, "up", kUpAxes));
}

void read_header(const h5::Object& file, dag::VoxelScene& scene) {
  scene.generator = h5::read_text(file, "generator");
  scene.command = h5::read_text(file, "command");
  scene.created = h5::read_text(file, "created");
  scene.dag.digest = checked_digest(h5::read_text(file, "digest"), file);
}

VoxelSize read_voxel_size(const h5::Object& group) {
  if (!h5::has_attribute(group, "voxel_sides")) return h5::read_attribute<double>(group, "voxel_size");
  const Vec3d sides = read_vector(group, "voxel_sides");
  return {sides.x, sides.y, sides.z};
}

void read_placement(const h5::Object& file, dag::VoxelScene& scene) {
  h5::Object group = h5::open_group(file, "scene");
  auto require = [&](bool good, const std::string& problem) {
    if (!good) throw Error(problem).at(group.where());
  };
  uint32_t resolution = h5::read_attribute<uint32_t>(group, "resolution");
  require(resolution >= voxelize::kMinResolution && resolution <= voxelize::kMaxResolution,
          fmt::format("the resolution is {}, expected {} to {}", resolution, voxelize::kMinResolution,
                      voxelize::kMaxResolution));
  uint32_t bits = h5::read_attribute<uint32_t>(group, "material_bits");
  require(bits == 0 || bits == 4, fmt::format("has {} bits for each material, expected 0 or 4", bits));
  scene.dag = dag::empty_dag(resolution, bits == 4);
  uint32_t depth = h5::read_attribute<uint32_t>(group, "depth");
  require(depth == scene.dag.depth(),
          fmt::format("the depth is {}, expected {} at this resolution", depth, scene.dag.depth()));
  scene.dag.voxels = h5::read_attribute<uint64_t>(group, "voxels");
  scene.origin = read_vector(group, "origin");
  scene.voxel_size = read_voxel_size(group);
  for (uint32_t axis = 0; axis < 3; ++axis)
    require(std::isfinite(scene.voxel_size[axis]) && scene.voxel_size[axis] > 0,
            fmt::format("the voxel size is {}, expected a positive number", scene.voxel_size[axis]));
  if (h5::has_attribute(group, "unit") && h5::read_text(group, "unit") == kMeter)
    scene.unit = scene::LengthUnit::Meter;
  scene.up = static_cast<dag::UpAxis>(read_choice(group, "up", kUpAxes));
  scene.coverage = static_cast<scene::Coverage>(read_choice(group, "coverage", kCoverages));
  uint8_t solid = h5::read_attribute<uint8_t>(group, "solid");
  require(solid <= 1, fmt::format("solid is {}, expected 0 or 1", solid));
  scene.solid = solid == 1;
  scene.source = h5::read_text(group, "source");
}

void read_history(const h5::Object& file, std::vector<dag::EditRecord>& history) {
  h5::Object group = h5::open_group(file, "history");
  std::vector<uint8_t> scripts = h5::read_table<uint8_t>(group, "script", {h5::kAnyLength});
  std::vector<uint64_t> ends = h5::read_table<uint64_t>(group, "script_end", {h5::kAnyLength});
  std::vector<std::string> times = h5::read_texts(group, "time"), digests = h5::read_texts(group, "digest");
  if (times.size() != ends.size() || digests.size() != ends.size() ||
      !std::is_sorted(ends.begin(), ends.end()) || (ends.empty() ? 0 : ends.back()) != scripts.size())
    throw Error("its datasets contradict each other").at(group.where());
  auto text = reinterpret_cast<const char*>(scripts.data());
  for (size_t i = 0; i < ends.size(); ++i)
    history.push_back({std::string(text + (i == 0 ? 0 : ends[i - 1]), text + ends[i]), std::move(times[i]),
                       checked_digest(digests[i], group)});
}

}  // namespace

Vec3d read_vector(const h5::Object& group, const std::string& name) {
  double values[3];
  h5::read_attribute(group, name, std::span<double>(values));
  for (const double value : values)
    if (!std::isfinite(value)) throw Error(name + " is not finite").at(group.where());
  return {values[0], values[1], values[2]};
}

void write_header(const h5::Object& file, const FileOrigin& origin, uint32_t version) {
  h5::write_text(file, "format", kFormat);
  h5::write_attribute(file, "version", version);
  h5::write_text(file, "generator", origin.generator);
  h5::write_text(file, "command", origin.command);
  h5::write_text(file, "created", origin.created);
}

void write_scene_facts(const h5::Object& file, const dag::VoxelScene& scene, uint32_t version) {
  write_header(file, {scene.generator, scene.command, scene.created}, version);
  h5::write_text(file, "digest", dag::to_string(scene.dag.digest));
  write_placement(file, scene);
  write_palette(file, scene);
  write_history(file, scene.history);
}

uint32_t checked_version(const h5::Object& file) {
  if (!h5::has_attribute(file, "format") || h5::read_text(file, "format") != kFormat)
    throw Error("is an HDF5 file, but no vox scene").at(file.where());
  uint32_t version = h5::read_attribute<uint32_t>(file, "version");
  if (version < kOldestSceneVersion || version > kSceneVersion)
    throw Error(fmt::format("is a scene file of version {}, this program reads versions {} to {}", version,
                            kOldestSceneVersion, kSceneVersion))
        .at(file.where())
        .hint("a newer vox may read it");
  return version;
}

dag::VoxelScene read_scene_but_voxels(const h5::Object& file) {
  dag::VoxelScene scene;
  read_placement(file, scene);
  read_header(file, scene);
  read_palette(file, scene);
  read_history(file, scene.history);
  return scene;
}

void write_bricks(const bricks::FrozenBricks& bricks, const FileOrigin& origin, const fs::path& path,
                  const dag::VoxelScene* scene, const Compression& compression,
                  std::span<const bricks::FrozenBricks> coarser) {
  h5::NewFile file(path);
  write_header(file.root(), origin, kOldestSceneVersion);
  if (scene != nullptr && scene->palette.count > 0) write_palette(file.root(), *scene);
  write_bricks_group(file.root(), bricks, compression, 0, static_cast<uint32_t>(coarser.size()));
  for (uint32_t level = 1; level <= coarser.size(); ++level)
    write_bricks_group(file.root(), coarser[level - 1], compression, level);
  if (scene != nullptr) write_axes(h5::open_group(file.root(), bricks_group_name(0)), *scene);
  file.commit();
}

dag::VoxelScene read_scene_of_bricks_but_voxels(const fs::path& path) {
  h5::Quiet quiet;
  const h5::Object file = open_with_bricks(path);
  const h5::Object group = h5::open_group(file, bricks_group_name(0));
  dag::VoxelScene scene;
  scene.generator = h5::read_text(file, "generator");
  scene.command = h5::read_text(file, "command");
  scene.created = h5::read_text(file, "created");
  scene.origin = read_vector(group, "origin");
  const Vec3d sides = read_vector(group, "spacing");
  if (!(sides.x > 0 && sides.y > 0 && sides.z > 0))
    throw Error("the spacing is not positive").at(group.where());
  scene.voxel_size = {sides.x, sides.y, sides.z};
  scene.source = h5::read_text(group, "source");
  read_axes(group, scene);
  if (h5::has_child(file, "palette")) read_palette(file, scene);
  if (scene.palette.count == 0) fail_as_volume(path);
  scene.dag.materials = true;
  return scene;
}

}  // namespace vox
