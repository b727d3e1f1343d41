// Makes scenes of points and of values of a volume, in files or in the caller's memory.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "capi/handles.h"
#include "formats/points/point_voxels.h"
#include "formats/points/splat_voxels.h"
#include "formats/volume/volume_formats.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"

namespace vox {

VoxelFileOptions reading_options(const vox_engine& engine, const VoxelizeOptions& options) {
  return {.materials = options.materials != VoxelMaterials::None,
          .colors = options.build.colors,
          .palette = options.palette,
          .weights = {},
          .memory_limit = engine.options.memory_limit};
}

SurveyedCloud surveyed(PointCloud cloud, const VoxelizeOptions& options, const std::filesystem::path& name) {
  if (cloud.has_shapes && options.point_radius > 0)
    throw Error("its splats have sizes of their own, so that a radius has no effect").at(name.string());
  const CloudSurvey found =
      cloud.has_shapes ? survey_splats(cloud, PointOptions().splat_opacity) : survey(cloud);
  if (found.not_finite > 0)
    log_warning("dropped {} with coordinates that are not finite", format_count(found.not_finite, "point"));
  if (found.points == 0) throw Error("no points to convert").at(name.string());
  if (found.oversized > 0)
    log_warning("{}: {} too large for the cloud, and {} as {} alone", name.string(),
                found.oversized == 1 ? "a splat is" : format_count(found.oversized, "splat") + " are",
                found.oversized == 1 ? "counts" : "count",
                found.oversized == 1 ? "its center" : "their centers");
  cloud = with_small_splats(std::move(cloud), found);
  const Vec3d around = Vec3d{1, 1, 1} * options.point_radius;
  return {std::move(cloud), {found.box.min - around, found.box.max + around}};
}

dag::VoxelScene voxels_of_cloud(const vox_engine& engine, PointCloud cloud, const voxelize::Grid& grid,
                                const VoxelizeOptions& options, const std::filesystem::path& name) {
  const VoxelFileOptions reading = reading_options(engine, options);
  const uint64_t room = room_for_points(engine.options.memory_limit);
  const VoxelFile voxels =
      cloud.has_shapes
          ? splat_voxels(
                cloud, grid,
                {.opacity = PointOptions().splat_opacity, .materials = reading.materials, .room = room})
          : point_voxels(std::move(cloud), grid,
                         {.radius = options.point_radius, .materials = reading.materials, .room = room});
  return scene_of_voxels(voxels, reading, name).scene;
}

dag::VoxelScene scene_of_cloud(const vox_engine& engine, PointCloud cloud, const VoxelizeOptions& options,
                               const std::filesystem::path& name) {
  SurveyedCloud found = surveyed(std::move(cloud), options, name);
  const voxelize::Grid grid = voxelize::fit_box(found.box, options.grid);
  return voxels_of_cloud(engine, std::move(found.cloud), grid, options, name);
}

dag::VoxelScene scene_of_values(const vox_engine& engine, const StoredVolume& stored,
                                const ValueOptions& options, const std::filesystem::path& name) {
  using Kind = VolumeMaterials::Kind;
  // Small whole numbers that are equal to those beside them are labels, and other values are divided into bins.
  const bool may_be_labels = !options.kind && !options.threshold.raw;
  const Kind kind = options.kind.value_or(may_be_labels && seem_labels(stored) ? Kind::Labels : Kind::Bins);
  const ValueEntries entries = kind == Kind::Labels
                                   ? labels_of(stored, {.kind = kind}, options.palette)
                                   : bins_of(stored, {.kind = kind}, options.threshold, options.palette);
  return scene_of_voxels(voxels_of_volume(stored, entries), {.memory_limit = engine.options.memory_limit},
                         name)
      .scene;
}

namespace {

// --- points in arrays ---

template <class Number>
CloudPiece piece_of(const vox_points& points, uint64_t first, uint64_t last) {
  CloudPiece piece;
  const auto* numbers = static_cast<const Number*>(points.positions);
  for (uint64_t i = first; i < last; ++i) {
    CloudPoint& point = piece.points.emplace_back();
    for (uint32_t axis = 0; axis < 3; ++axis) point.place[axis] = double{numbers[3 * i + axis]};
    const uint8_t* color = points.colors == nullptr ? nullptr : points.colors + 3 * i;
    if (color != nullptr) point.rgb = rgb_value({color[0], color[1], color[2]});
  }
  return piece;
}

// The cloud reads the caller's arrays, or copies that `reading` has.
PointCloud cloud_of(vox_points points, ReadArrays& reading) {
  constexpr uint64_t kMost = uint64_t{1} << 40;
  if (points.count == 0 || points.count > kMost)
    throw UsageError(fmt::format("points->count is {}, expected 1 to 2^40", points.count));
  if (points.positions == nullptr) throw UsageError("points->positions is NULL");
  const uint32_t type = known_choice<uint32_t>(points.position_type, 2, "points->position_type");
  points.positions = reading.on_host(
      points.positions, 3 * points.count * (type == VOX_FLOAT32 ? sizeof(float) : sizeof(double)));
  points.colors = reading.on_host(points.colors, 3 * points.count);
  return {.has_colors = points.colors != nullptr,
          .pieces = (points.count + kPieceRecords - 1) / kPieceRecords,
          .read = [=](size_t piece) {
            const uint64_t first = piece * kPieceRecords;
            const uint64_t last = std::min(points.count, first + kPieceRecords);
            return type == VOX_FLOAT32 ? piece_of<float>(points, first, last)
                                       : piece_of<double>(points, first, last);
          }};
}

// --- values in arrays and in raw files ---

Vec3d spacing_of(const vox_volume& volume) {
  Vec3d spacing = {volume.spacing[0], volume.spacing[1], volume.spacing[2]};
  if (spacing == Vec3d{0, 0, 0}) return {1, 1, 1};
  for (uint32_t axis = 0; axis < 3; ++axis)
    if (!std::isfinite(spacing[axis]) || spacing[axis] <= 0)
      throw UsageError(
          fmt::format("volume->spacing[{}] is {}, expected a positive number", axis, spacing[axis]));
  return spacing;
}

StoredVolume volume_in_memory(const StoredInfo& info, const void* values) {
  const auto* bytes = static_cast<const std::byte*>(values);
  return {info, [info, bytes](const VoxelBox& box, std::byte* to) {
            const uint64_t each = stored_bytes(info.type), row = each * static_cast<uint64_t>(box.size().x);
            for (int32_t z = box.min.z; z < box.max.z; ++z)
              for (int32_t y = box.min.y; y < box.max.y; ++y, to += row) {
                const auto before = static_cast<uint64_t>(z) * static_cast<uint64_t>(info.size.y);
                const uint64_t at = (before + static_cast<uint64_t>(y)) * static_cast<uint64_t>(info.size.x);
                std::memcpy(to, bytes + each * (at + static_cast<uint64_t>(box.min.x)), row);
              }
          }};
}

StoredVolume stored_volume(const vox_volume& volume, ReadArrays& reading) {
  StoredInfo info;
  info.size = volume::checked_volume_size(volume.size[0], volume.size[1], volume.size[2]);
  info.type = known_choice<StoredType>(volume.type, 10, "volume->type");
  info.spacing = spacing_of(volume);
  for (uint32_t axis = 0; axis < 3; ++axis) {
    if (!std::isfinite(volume.origin[axis])) throw UsageError("volume->origin is not finite");
    info.origin[axis] = volume.origin[axis];
  }
  const bool is_file = volume.path != nullptr;
  if (is_file == (volume.values != nullptr))
    throw UsageError("one of volume->values and volume->path is needed");
  const auto order = known_choice<ByteOrder>(volume.big_endian, 2, "volume->big_endian");
  if (!is_file && (order == ByteOrder::Big || volume.offset > 0))
    throw UsageError("volume->big_endian and volume->offset are for volume->path");
  info.source = is_file ? volume.path : "volume->values";
  if (!is_file) {
    if (volume.bytes != info.bytes())
      throw UsageError(
          fmt::format("volume->bytes is {}, but the values have {}", volume.bytes, info.bytes()));
    return volume_in_memory(info, reading.on_host(volume.values, volume.bytes));
  }
  StoredVolume stored =
      open_raw(volume.path, {.size = info.size, .type = info.type, .order = order, .offset = volume.offset});
  stored.info = info;
  return stored;
}

ValueOptions value_options(const vox_volume& volume) {
  ValueOptions options;
  const auto kind = known_choice<uint32_t>(volume.materials, 4, "volume->materials");
  if (kind != VOX_VALUES_AUTO) options.kind = static_cast<VolumeMaterials::Kind>(kind - VOX_VALUES_BINS);
  if (known_choice<uint32_t>(volume.has_threshold, 2, "volume->has_threshold") == 1) {
    if (!std::isfinite(volume.threshold)) throw UsageError("volume->threshold is not finite");
    if (kind == VOX_VALUES_LABELS) throw UsageError("volume->threshold has no effect on labels");
    options.threshold.raw = volume.threshold;
  }
  if (volume.palette == nullptr && volume.palette_count > 0)
    throw UsageError("volume->palette is NULL, but volume->palette_count is not 0");
  if (volume.palette != nullptr) options.palette = palette_of(volume.palette, volume.palette_count, "volume");
  if (options.palette && kind == VOX_VALUES_FILLED)
    throw UsageError("volume->palette has no effect without materials");
  return options;
}

}  // namespace
}  // namespace vox

vox_status vox_voxelize_points(vox_engine* engine, const vox_points* points,
                               const vox_voxelize_options* options, vox_scene** scene) {
  return vox::call_for_scene(engine, scene, [&](vox_engine& on) {
    const vox_points given = vox::known_part(&vox::needed(points, "points"), "points");
    const vox::VoxelizeOptions checked = vox::options_for_memory(options, vox::InputKind::Points, "points");
    vox::check_grid_options(checked);
    vox::ReadArrays reading;
    vox::dag::VoxelScene made = vox::scene_of_cloud(on, vox::cloud_of(given, reading), checked, "points");
    vox::sign(made, "", "vox_voxelize_points");
    return made;
  });
}

vox_status vox_voxelize_volume(vox_engine* engine, const vox_volume* volume, vox_scene** scene) {
  return vox::call_for_scene(engine, scene, [&](vox_engine& on) {
    const vox_volume given = vox::known_part(&vox::needed(volume, "volume"), "volume");
    vox::ReadArrays reading;
    const vox::StoredVolume stored = vox::stored_volume(given, reading);
    vox::dag::VoxelScene made =
        vox::scene_of_values(on, stored, vox::value_options(given), stored.info.source);
    vox::sign(made, given.path == nullptr ? "" : std::filesystem::path(given.path).filename().string(),
              "vox_voxelize_volume");
    return made;
  });
}
