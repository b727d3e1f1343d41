#include "formats/voxels/voxel_file.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "formats/file_types.h"
#include "formats/volume/volume_formats.h"
#include "formats/voxels/dag_files/dag_files.h"
#include "formats/voxels/magica_vox/magica_vox.h"
#include "formats/voxels/minecraft/schem.h"
#include "formats/voxels/openvdb/vdb.h"
#include "formats/voxels/voxel_formats.h"
#include "libvox/attributes/packed_values.h"
#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/dag/from_cubes.h"
#include "libvox/voxelize/grid.h"

namespace vox {
namespace {

// Calls body(i) for every cube, on several threads.
template <class Body>
void for_each_cube(const VoxelFile& file, const Body& body) {
  for (size_t begin = 0, end = 0; begin < file.cubes.size(); begin = end) {
    end = file.load ? file.load(begin, file.cubes.size()) : file.cubes.size();
    parallel_for(begin, end, [&](size_t i) {
      throw_if_cancelled();
      body(i);
    });
  }
}

// Returns the number of voxels of each color.
scene::ColorTally count_table(const VoxelFile& file) {
  tbb::enumerable_thread_specific<std::vector<uint64_t>> parts(
      [&] { return std::vector<uint64_t>(file.table.size()); });
  for_each_cube(file, [&](size_t i) {
    VoxelSink sink = VoxelSink::counting_table(parts.local().data());
    file.read(i, sink);
  });
  scene::ColorTally tally;
  for (size_t value = 0; value < file.table.size(); ++value) {
    uint64_t count = 0;
    for (const auto& part : parts) count += part[value];
    if (count > 0) tally.add(file.table[value], count);
  }
  return tally;
}

scene::ColorTally count_rgb(const VoxelFile& file) {
  if (file.count_colors) return file.count_colors();
  tbb::enumerable_thread_specific<scene::ColorTally> parts;
  for_each_cube(file, [&](size_t i) {
    VoxelSink sink = VoxelSink::counting_colors(parts.local());
    file.read(i, sink);
    sink.flush();
  });
  scene::ColorTally tally;
  for (const scene::ColorTally& part : parts) tally.merge(part);
  return tally;
}

// Matches colors with the entries of a palette.
struct Matching {
  scene::Palette palette;
  std::optional<scene::PaletteError> error;
  std::vector<uint8_t> entries;                // for the values of a table
  std::optional<scene::NearestEntry> nearest;  // for other colors

  VoxelSink sink(dag::VoxelCube& cube) const {
    return nearest ? VoxelSink::nearest(cube, *nearest) : VoxelSink::looked_up(cube, entries.data());
  }
};

void match_entries(Matching& matching, const std::vector<scene::Rgb8>& table) {
  const scene::NearestEntry nearest(matching.palette);
  for (const scene::Rgb8 color : table) matching.entries.push_back(nearest(color));
}

Matching match_colors(const VoxelFile& file, const VoxelFileOptions& options) {
  Matching matching;
  if (file.values == VoxelValues::Entries) {
    matching.palette = *options.palette;
    const auto& colors = file.palette.colors;
    match_entries(matching, {colors.begin(), colors.begin() + file.palette.count});
    return matching;
  }
  const bool is_table = file.values == VoxelValues::Table;
  const scene::ColorHistogram histogram = scene::count_colors(is_table ? count_table(file) : count_rgb(file));
  matching.palette = options.palette ? *options.palette : scene::auto_palette(histogram, options.weights);
  matching.error = scene::palette_error(histogram, matching.palette);
  if (is_table) {
    match_entries(matching, file.table);
  } else {
    matching.nearest.emplace(matching.palette);
  }
  return matching;
}

std::array<double, scene::kPaletteSize> shares_of(const std::array<uint64_t, 16>& voxels_of,
                                                  uint64_t voxels) {
  std::array<double, scene::kPaletteSize> shares = {};
  for (size_t i = 0; i < shares.size() && voxels > 0; ++i)
    shares[i] = static_cast<double>(voxels_of[i]) / static_cast<double>(voxels);
  return shares;
}

// Returns the palette for entries that stay as they are.
scene::Palette entries_palette(const VoxelFile& file, const VoxelFileOptions& options) {
  if (!options.palette) return file.palette;
  if (options.palette->count < file.palette.count)
    throw Error(fmt::format("has {} materials, but the palette has {} colors", file.palette.count,
                            options.palette->count));
  return *options.palette;
}

// Returns the packed color of a reader's value.
uint32_t color_of_value(const VoxelFile& file, uint32_t value) {
  switch (file.values) {
    case VoxelValues::Table:
      return scene::packed_color(file.table[value]);
    case VoxelValues::Entries:
      return scene::packed_color(file.palette.colors[value]);
    default:
      return (value & 0xff) << 16 | (value & 0xff00) | (value >> 16 & 0xff);
  }
}

// Returns the colors of a cube's voxels in Morton order.
std::vector<uint32_t> colors_of_cube(const VoxelFile& file, size_t i) {
  thread_local dag::VoxelCube cube;
  thread_local std::vector<uint32_t> values(size_t{dag::VoxelCube::kLeaves} * 64);
  cube.clear();
  VoxelSink sink = VoxelSink::keeping(cube, values.data());
  file.read(i, sink);
  cube.settle();
  if (cube.filling() >= 0)
    for (uint32_t leaf = 0; leaf < dag::VoxelCube::kLeaves; ++leaf) cube.put_mask(leaf, ~uint64_t{0});
  uint64_t voxels = 0;
  cube.for_each_leaf([&](uint32_t leaf) { voxels += static_cast<uint64_t>(popcount(cube.mask(leaf))); });
  std::vector<uint32_t> colors;
  colors.reserve(voxels);
  cube.for_each_leaf([&](uint32_t leaf) {
    for (uint64_t left = cube.mask(leaf); left != 0; left &= left - 1)
      colors.push_back(color_of_value(file, values[leaf << 6 | static_cast<uint32_t>(lowest_bit(left))]));
  });
  return colors;
}

// Returns the colors of all voxels in the order of a depth-first walk, in which cubes are given.
attributes::PackedValues colors_of(const VoxelFile& file) {
  constexpr size_t kAtOnce = 64;
  attributes::ValueWriter writer;
  Progress progress("reading colors", file.cubes.size());
  for (size_t begin = 0, loaded = 0; begin < file.cubes.size();) {
    if (begin == loaded) loaded = file.load ? file.load(begin, file.cubes.size()) : file.cubes.size();
    const size_t end = std::min(loaded, begin + kAtOnce);
    std::vector<std::vector<uint32_t>> parts(end - begin);
    parallel_for(begin, end, [&](size_t i) { parts[i - begin] = colors_of_cube(file, i); });
    for (const std::vector<uint32_t>& part : parts) writer.put(part);
    begin = end;
    progress.update(begin, "");
  }
  return attributes::with_table(writer.finish());
}

ScenePlusError make_scene(const VoxelFile& file, const VoxelFileOptions& options) {
  const bool has_values = options.materials && file.values != VoxelValues::Filled;
  const bool materials = has_values && !options.colors;
  const bool as_they_are = file.values == VoxelValues::Entries && (!options.palette || !file.own_colors);
  ScenePlusError result;
  Matching matching;
  if (materials && !as_they_are) matching = match_colors(file, options);
  const auto sink_for = [&](dag::VoxelCube& cube) {
    if (!materials) return VoxelSink::filling(cube);
    return as_they_are ? VoxelSink::entries(cube) : matching.sink(cube);
  };
  dag::GatheredDag gathered = dag::dag_of_cubes({.resolution = file.resolution,
                                                 .materials = materials,
                                                 .cubes = file.cubes,
                                                 .read =
                                                     [&](size_t i, dag::VoxelCube& cube) {
                                                       VoxelSink sink = sink_for(cube);
                                                       file.read(i, sink);
                                                     },
                                                 .load = file.load},
                                                options.memory_limit);
  dag::VoxelScene& scene = result.scene;
  scene.dag = std::move(gathered.dag);
  if (has_values && options.colors) scene.colors = colors_of(file);
  if (materials) {
    scene.palette = as_they_are ? entries_palette(file, options) : matching.palette;
    scene.shares = shares_of(gathered.voxels_of, scene.dag.voxels);
  }
  scene.origin = file.origin;
  scene.voxel_size = file.voxel_size;
  scene.up = file.up;
  result.error = matching.error;
  return result;
}

}  // namespace

ScenePlusError scene_of_voxels(const VoxelFile& file, const VoxelFileOptions& options,
                               const std::filesystem::path& path) {
  try {
    return make_scene(file, options);
  } catch (const Cancelled&) {
    throw;
  } catch (Error& error) {
    throw Error(error).at(path.string());
  }
}

namespace {

VoxelFile open_voxels(const std::filesystem::path& path, FileFormat format) {
  if (format == FileFormat::MagicaVoxel) return open_magica_vox(path);
  if (format == FileFormat::Binvox) return open_binvox(path);
  if (format == FileFormat::Schem) return open_schem(path);
  if (format == FileFormat::Nvdb) return open_nvdb(path);
  if (format == FileFormat::Vdb) return open_vdb(path);
  return open_vl32(path);
}

ScenePlusError read_format(const std::filesystem::path& path, FileFormat format,
                           const VoxelFileOptions& options) {
  if (format == FileFormat::HashDag) return read_hash_dag(path, options);
  if (format == FileFormat::SymVox) return read_symvox(path, SymVoxKind::Plain, options);
  if (format == FileFormat::SymVoxMirrored) return read_symvox(path, SymVoxKind::Mirrored, options);
  return scene_of_voxels(open_voxels(path, format), options, path);
}

}  // namespace

ScenePlusError read_voxels(const std::filesystem::path& path, const VoxelFileOptions& options) {
  const FileType* type = file_type(path, FileRole::Voxels);
  if (type == nullptr)
    throw Error(fmt::format("its extension '{}' names no format of voxels, expected {}",
                            path.extension().string(),
                            listed_extensions(FileRole::Voxels, FileUse::Read, FileList::Or)))
        .at(path.string());
  try {
    return read_format(path, type->format, options);
  } catch (const Cancelled&) {
    throw;
  } catch (Error& error) {
    if (error.has_place()) throw;
    throw Error(error).at(path.string());
  }
}

namespace {

constexpr double kMostSteps = 64;  // the most by which one axis may be finer than another

// The relation between voxels and values along an axis.
struct VoxelAxis {
  int32_t values = 0, voxels = 0;
  double values_per_voxel = 1;

  int32_t value_at(int32_t voxel) const {
    return std::min(static_cast<int32_t>((voxel + 0.5) * values_per_voxel), values - 1);
  }
};

using VoxelAxes = std::array<VoxelAxis, 3>;

VoxelAxes axes_of_volume(const StoredInfo& info, double voxel_size) {
  VoxelAxes axes;
  for (uint32_t i = 0; i < 3; ++i) {
    const double steps = info.spacing[i] / voxel_size, voxels = std::round(info.size[i] * steps);
    if (!(steps <= kMostSteps))
      throw Error(
          fmt::format("values are {} x {} x {} units apart, expected at most {} times as far along one "
                      "axis as along another",
                      info.spacing.x, info.spacing.y, info.spacing.z, kMostSteps));
    if (!(voxels <= voxelize::kMaxResolution))
      throw Error(
          fmt::format("of {} values along one axis {} voxels would be made, but a scene has at most {}",
                      info.size[i], voxels, voxelize::kMaxResolution));
    axes[i] = {info.size[i], static_cast<int32_t>(std::max(voxels, 1.0)), 1 / steps};
  }
  return axes;
}

struct CubeValues {
  std::vector<std::byte> values;
  std::vector<uint8_t> entries;
};

// Reads the values of a box of the volume and converts them to entries.
class EntryReader {
 public:
  EntryReader(StoredVolume stored, const ValueEntries& entries, const VoxelAxes& axes)
      : stored_(std::move(stored)), classify_(entries.classify), axes_(axes) {}

  void read(Int3 corner, VoxelSink& to) const {
    const VoxelBox grid = {{0, 0, 0}, {axes_[0].voxels, axes_[1].voxels, axes_[2].voxels}};
    const VoxelBox voxels = intersection(cube_at(corner, dag::VoxelCube::kSide), grid);
    VoxelBox values;
    for (uint32_t i = 0; i < 3; ++i) {
      values.min[i] = axes_[i].value_at(voxels.min[i]);
      values.max[i] = axes_[i].value_at(voxels.max[i] - 1) + 1;
    }
    const std::vector<uint8_t>& entries = entries_in(values);
    const Int3 size = values.size(), sides = voxels.size();
    std::array<std::array<int32_t, dag::VoxelCube::kSide>, 3> from = {};
    for (uint32_t i = 0; i < 3; ++i)
      for (int32_t at = 0; at < sides[i]; ++at)
        from[i][static_cast<size_t>(at)] = axes_[i].value_at(voxels.min[i] + at) - values.min[i];
    Int3 at;
    for (at.z = 0; at.z < sides.z; ++at.z)
      for (at.y = 0; at.y < sides.y; ++at.y) {
        const int32_t row =
            (from[2][static_cast<size_t>(at.z)] * size.y + from[1][static_cast<size_t>(at.y)]) * size.x;
        for (at.x = 0; at.x < sides.x; ++at.x) {
          const int32_t place = row + from[0][static_cast<size_t>(at.x)];
          const uint8_t entry = entries[static_cast<size_t>(place)];
          if (entry != kNoEntry) to.put(at, entry);
        }
      }
  }

 private:
  // A box has at most 64³ values, because a voxel is no wider than the distance between values.
  const std::vector<uint8_t>& entries_in(const VoxelBox& box) const {
    CubeValues& room = rooms_.local();
    const uint64_t count = box.voxels();
    room.values.resize(count * stored_bytes(stored_.info.type));
    room.entries.resize(count);
    stored_.read(box, room.values.data());
    classify_(room.values.data(), count, room.entries.data());
    return room.entries;
  }

  StoredVolume stored_;
  std::function<void(const std::byte*, uint64_t, uint8_t*)> classify_;
  VoxelAxes axes_;
  mutable tbb::enumerable_thread_specific<CubeValues> rooms_;
};

// Returns the keys of all cubes of the grid, ascending.
std::vector<uint64_t> cubes_of_grid(const VoxelAxes& axes) {
  std::vector<uint64_t> cubes;
  Int3 at;
  for (at.z = 0; at.z < axes[2].voxels; at.z += dag::VoxelCube::kSide)
    for (at.y = 0; at.y < axes[1].voxels; at.y += dag::VoxelCube::kSide)
      for (at.x = 0; at.x < axes[0].voxels; at.x += dag::VoxelCube::kSide) cubes.push_back(dag::cube_key(at));
  std::ranges::sort(cubes);
  return cubes;
}

}  // namespace

VoxelFile voxels_of_volume(StoredVolume stored, const ValueEntries& entries) {
  stored = forwards(std::move(stored));
  const StoredInfo& info = stored.info;
  VoxelFile file;
  file.voxel_size = std::min({info.spacing.x, info.spacing.y, info.spacing.z});
  const VoxelAxes axes = axes_of_volume(info, file.voxel_size.x);
  file.resolution = static_cast<uint32_t>(std::max(
      {axes[0].voxels, axes[1].voxels, axes[2].voxels, static_cast<int32_t>(voxelize::kMinResolution)}));
  file.origin = info.origin;
  if (!std::isfinite(info.origin.x + info.origin.y + info.origin.z))
    throw Error(fmt::format("it begins at ({}, {}, {})", info.origin.x, info.origin.y, info.origin.z));
  file.up = info.up;
  file.values = entries.palette.count > 0 ? VoxelValues::Entries : VoxelValues::Filled;
  file.palette = entries.palette;
  file.cubes = cubes_of_grid(axes);
  const auto reader = std::make_shared<const EntryReader>(std::move(stored), entries, axes);
  file.read = [reader, cubes = file.cubes](size_t i, VoxelSink& to) {
    reader->read(dag::cube_corner(cubes[i]), to);
  };
  return file;
}

}  // namespace vox
