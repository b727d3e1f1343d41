#include "formats/voxels/export.h"

#include <fmt/format.h>
#include <tbb/concurrent_queue.h>
#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <set>
#include <system_error>
#include <thread>

#include "formats/file_types.h"
#include "formats/io/output_file.h"
#include "formats/pages/scene_page.h"
#include "formats/volume/places.h"
#include "formats/volume/volume_formats.h"
#include "formats/voxels/dag_files/dag_files.h"
#include "formats/voxels/magica_vox/magica_vox.h"
#include "formats/voxels/minecraft/schem.h"
#include "formats/voxels/openvdb/vdb.h"
#include "formats/voxels/surfaces/surface.h"
#include "formats/voxels/voxel_formats.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/dag/node.h"
#include "libvox/dag/walk.h"
#include "libvox/ranks/ranks.h"

namespace vox {
namespace {

FileFormat export_format(const std::filesystem::path& path) {
  return file_format(path, FileRole::Export);
}

}  // namespace

bool is_export_path(const std::filesystem::path& path) {
  return has_role(path, FileRole::Export);
}

void check_export_resolution(uint32_t resolution, const std::filesystem::path& path,
                             const ExportOptions& options) {
  const FileFormat format = export_format(path);
  if (options.pieces.side > 0) return;
  if (is_dense_grid(path) || (format == FileFormat::VtkHdf && options.vtk == VtkKind::Image))
    check_dense_resolution(resolution, path);
}

bool export_holds_colors(const dag::VoxelScene& scene, const std::filesystem::path& path,
                         const ExportOptions& options) {
  using enum FileFormat;
  const FileFormat format = export_format(path);
  if (is_one_of(format, {GprMax, Nrrd, Npy, Raw})) return !scene.named_colors.empty();
  if (format == Nvdb) return !options.nvdb || options.nvdb == NvdbGrid::Rgba;
  return is_one_of(format, {HashDag, Npz, Vl32, MagicaVoxel, Schem, Vdb, Obj, Gltf, Ply, VtkHdf, Png});
}

bool export_holds_normals(const std::filesystem::path& path, const ExportOptions& options) {
  const FileFormat format = export_format(path);
  return format == FileFormat::Npz || (format == FileFormat::Ply && options.ply == PlyContent::Points);
}

uint64_t written_bytes(const std::filesystem::path& path, const ExportOptions& options) {
  if (!is_slices_path(path) && export_format(path) != FileFormat::Json && options.pieces.side == 0)
    return size_of_written(path);
  uint64_t bytes = 0;
  try {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path.parent_path()))
      if (entry.is_regular_file()) bytes += entry.file_size();
  } catch (const std::filesystem::filesystem_error& error) {
    throw Error(fmt::format("is written, but its size cannot be read: {}", error.code().message()))
        .at(path.parent_path().string());
  }
  return bytes;
}

namespace {

// True for formats whose voxels are cubes of one size, or have none.
bool holds_cubes_alone(FileFormat format) {
  using enum FileFormat;
  return is_one_of(format, {MagicaVoxel, Binvox, Schem, HashDag, SymVox, SymVoxMirrored, Vl32});
}

// A part of a scene keeps the scene's coordinates.
void write_chunks(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, const ExportOptions& options) {
  SceneStreamOptions stream;
  const std::filesystem::path folder = folder_of_chunks(path);
  stream.page.title = folder.filename().string();
  stream.page.command = scene.command;
  stream.index = StreamPage::LeftOut;
  stream.overwrite = options.pieces.overwrite;
  if (!clip) return void(write_scene_stream(scene, folder, stream));
  write_scene_stream(dag::clipped_scene(scene, export_region(scene, clip, path)), folder, stream);
}

}  // namespace

void export_scene(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, const ExportOptions& options, ranks::Ranks& ranks) {
  if (!clip) check_export_resolution(scene.dag.resolution, path, options);
  const bool is_first = ranks.rank() == 0;
  if (is_first && !scene.voxel_size.is_cube() && holds_cubes_alone(export_format(path)))
    log_warning("{}: the format holds cubes: other programs show the voxels of {} as such", path.string(),
                format_sides(scene.voxel_size));
  if (options.pieces.side > 0) return is_first ? write_in_pieces(scene, path, clip, options) : void();
  switch (export_format(path)) {
    case FileFormat::Nrrd:
    case FileFormat::Npy:
      return write_dense_grid(scene, path, clip, ranks);
    case FileFormat::Raw:
      return write_dense_grid(scene, path, clip, ranks, options.raw);
    case FileFormat::Npz:
      return is_first ? write_npz(scene, path, clip, options.normals) : void();
    case FileFormat::GprMax:
      return is_first ? write_gprmax(scene, path, clip) : void();
    case FileFormat::MagicaVoxel:
      return write_magica_vox(scene, path, clip, ranks);
    case FileFormat::Binvox:
      return write_binvox(scene, path, clip, options.binvox, ranks);
    case FileFormat::Schem:
      return is_first ? write_schem(scene, path, clip) : void();
    case FileFormat::Obj:
      return write_surface_obj(scene, path, clip, ranks);
    case FileFormat::Gltf:
      return write_surface_glb(scene, path, clip, ranks);
    case FileFormat::Ply:
      return options.ply == PlyContent::Points ? write_voxel_points(scene, path, clip, options.normals, ranks)
                                               : write_surface_ply(scene, path, clip, ranks);
    case FileFormat::VtkHdf:
      return is_first ? write_vtkhdf(scene, path, clip, options.vtk) : void();
    case FileFormat::HashDag:
      return is_first ? write_hash_dag(scene, path, clip, options.memory_limit) : void();
    case FileFormat::SymVox:
      return is_first ? write_symvox(scene, path, clip, SymVoxKind::Plain, options.memory_limit) : void();
    case FileFormat::SymVoxMirrored:
      return is_first ? write_symvox(scene, path, clip, SymVoxKind::Mirrored, options.memory_limit) : void();
    case FileFormat::Nvdb:
      return write_nvdb(scene, path, clip,
                        options.nvdb.value_or(scene.colors ? NvdbGrid::Rgba : NvdbGrid::U8), ranks);
    case FileFormat::Vdb:
      return is_first ? write_vdb(scene, path, clip) : void();
    case FileFormat::VoxelOctree:
      return is_first ? write_voxel_octree(scene, path, clip) : void();
    case FileFormat::Vl32:
      return write_vl32(scene, path, clip, ranks);
    case FileFormat::Json:
      if (is_first && is_tileset_path(path))
        return write_tiles(scene, path, clip,
                           {.origin = options.origin, .overwrite = options.pieces.overwrite});
      return is_first ? write_chunks(scene, path, clip, options) : void();
    case FileFormat::Png:
      return is_first ? write_slices(scene, path, clip, options.slices) : void();
    default:
      throw Error(fmt::format("its extension '{}' names no format, expected {}", path.extension().string(),
                              listed_extensions(FileRole::Export, FileUse::Written, FileList::Or)))
          .at(path.string());
  }
}

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostPieces = 16;  // pieces in memory at a time

constexpr const char* kPart = "of a scene file, a clip box writes a part";

void require_space(const fs::path& target, uint64_t bytes) {
  fs::path folder = target.parent_path();
  std::error_code unknown;
  fs::space_info space = fs::space(folder.empty() ? "." : folder, unknown);
  if (unknown || space.available >= bytes) return;
  throw Error(fmt::format("needs at least {}, but its disk has {} free", format_bytes(bytes),
                          format_bytes(space.available)))
      .at(target.string())
      .hint(lower_resolution_hint())
      .about("resolution");
}

}  // namespace

VoxelBox export_region(const dag::VoxelScene& scene, const std::optional<VoxelBox>& clip,
                       const fs::path& target) {
  VoxelBox whole = cube_at({0, 0, 0}, scene.dag.resolution);
  if (!clip) return whole;
  VoxelBox region = intersection(whole, *clip);
  if (!region.empty()) return region;
  throw Error(fmt::format("the clip box holds none of the scene's {0} x {0} x {0} voxels", whole.max.x))
      .at(target.string());
}

std::string coarser_resolution(uint32_t resolution, uint32_t most) {
  while (resolution > most) resolution = (resolution + 1) / 2;
  return resolution % 1024 == 0 ? fmt::format("{}K", resolution / 1024) : fmt::format("{}", resolution);
}

std::string lower_resolution_hint() {
  return fmt::format("a lower resolution makes a coarser one; {}", kPart);
}

std::string coarser_hint(const std::string& resolution) {
  return fmt::format("a resolution of {} makes a coarser one; {}", resolution, kPart);
}

Vec3d world_corner(const dag::VoxelScene& scene, Int3 voxel) {
  return scene.origin + vec_of<double>(voxel) * scene.voxel_size;
}

std::optional<Int3> origin_in_voxels(const dag::VoxelScene& scene) {
  constexpr double kWhole = 1e-6;  // allows for rounding errors of double precision
  Int3 origin = {0, 0, 0};
  for (uint32_t axis = 0; axis < 3; ++axis) {
    const double place = scene.origin[axis] / scene.voxel_size[axis], whole = std::round(place);
    const double most = INT32_MAX - static_cast<double>(scene.dag.side());
    if (!(std::abs(place - whole) <= kWhole) || std::abs(whole) > most) return std::nullopt;
    origin[axis] = static_cast<int32_t>(whole);
  }
  return origin;
}

void log_no_whole_origin(const fs::path& path) {
  log_info("{}: voxel (0, 0, 0) is the scene's lower corner: its origin is not a whole number of voxels",
           path.string());
}

ExportFile::ExportFile(const fs::path& target, uint64_t least_bytes, Writers writers, ranks::Ranks& ranks)
    : ranks_(ranks) {
  if (ranks.rank() > 0) return;
  file_.emplace(target, writers);
  require_space(file_->target(), least_bytes);
}

void ExportFile::commit() {
  if (file_) file_->commit();
}

void ExportFile::commit_behind(ExportFile& other) {
  if (!file_) return;
  AtomicFile* const both[] = {&*other.file_, &*file_};
  commit_together(both);
}

void ExportFile::write(std::span<const uint8_t> bytes) {
  write(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void ExportFile::write(std::string_view text) {
  if (!file_) return;
  write_at(file_->descriptor(), end_, text, file_->target());
  end_ += text.size();
}

void ExportFile::write_again(uint64_t offset, std::string_view text) {
  if (file_) write_at(file_->descriptor(), offset, text, file_->target());
}

void ExportFile::write_pieces(uint64_t count, const std::function<std::vector<uint8_t>(uint64_t)>& make) {
  ranks_.count() > 1 ? write_shared_pieces(count, make) : write_own_pieces(count, make);
}

// Each rank makes a share of the next pieces. Rank 0 writes them while the others make the next ones. Ranks wait for each
// other once for so many pieces, so that these should have some megabytes.
void ExportFile::write_shared_pieces(uint64_t count,
                                     const std::function<std::vector<uint8_t>(uint64_t)>& make) {
  constexpr uint64_t kEnoughBytes = 32 << 20;
  uint64_t at_once = 4 * ranks_.count();
  for (uint64_t first = 0, next = 0; first < count; first = next) {
    next = first + std::min(at_once, count - first);
    const ranks::Counts begins = share_begins(ranks_, next - first);
    const uint64_t own = first + begins[ranks_.rank()];
    std::vector<std::vector<uint8_t>> pieces(begins[ranks_.rank() + 1] - begins[ranks_.rank()]);
    parallel_for(size_t{0}, pieces.size(), [&](size_t i) {
      throw_if_cancelled();
      pieces[i] = make(own + i);
    });
    throw_if_cancelled();  // pieces of words that could not be read stay here
    std::vector<uint8_t> bytes;
    for (const std::vector<uint8_t>& piece : pieces) bytes.insert(bytes.end(), piece.begin(), piece.end());
    if (sum_of(ranks_, bytes.size()) < kEnoughBytes) at_once *= 2;
    write(brought_to_first(ranks_, bytes));
  }
}

void ExportFile::write_own_pieces(uint64_t count, const std::function<std::vector<uint8_t>(uint64_t)>& make) {
  // Each piece in the pipeline has a slot, and the pipeline passes the slot's number on. If it passed the
  // pieces themselves, those that wait in it would leak when an error ends it.
  struct Slot {
    uint64_t piece = 0, offset = 0;
    std::vector<uint8_t> bytes = {};
  };
  std::vector<Slot> slots(std::clamp<size_t>(2 * std::thread::hardware_concurrency(), 2, kMostPieces));
  tbb::concurrent_queue<size_t> free_slots;
  for (size_t slot = 0; slot < slots.size(); ++slot) free_slots.push(slot);
  uint64_t next = 0;
  const auto number = [&](tbb::flow_control& control) {
    size_t slot = 0;
    if (next == count)
      control.stop();
    else if (free_slots.try_pop(slot))  // succeeds: as many slots as pieces
      slots[slot].piece = next++;
    return slot;
  };
  const auto make_piece = [&](size_t slot) {
    throw_if_cancelled();
    slots[slot].bytes = make(slots[slot].piece);
    return slot;
  };
  const auto place_piece = [&](size_t slot) {
    slots[slot].offset = end_;
    end_ += slots[slot].bytes.size();
    return slot;
  };
  const auto write_piece = [&](size_t slot) {
    const std::vector<uint8_t>& bytes = slots[slot].bytes;
    write_at(file_->descriptor(), slots[slot].offset,
             {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file_->target());
    free_slots.push(slot);
  };
  using tbb::filter_mode;
  tbb::parallel_pipeline(slots.size(),
                         tbb::make_filter<void, size_t>(filter_mode::serial_in_order, number) &
                             tbb::make_filter<size_t, size_t>(filter_mode::parallel, make_piece) &
                             tbb::make_filter<size_t, size_t>(filter_mode::serial_in_order, place_piece) &
                             tbb::make_filter<size_t, void>(filter_mode::parallel, write_piece));
}

namespace {

// Returns one bit for each byte, set if the byte is not 0.
uint64_t bits_of_row(const uint8_t* bytes) {
  uint64_t bits = 0;
  for (uint32_t x = 0; x < BorderedCube::kSide; x += 8) {
    uint64_t eight = 0;
    std::memcpy(&eight, bytes + x, sizeof(eight));
    // The function finds which of eight bytes are not 0; in a leaf's mask these bytes are octants.
    if (eight != 0) bits |= uint64_t{dag::filled_blocks(eight)} << x;
  }
  return bits;
}

}  // namespace

std::vector<Int3> corners_of_cubes(const dag::FrozenDag& dag, const VoxelBox& region, uint32_t side) {
  std::vector<Int3> corners;
  dag::for_each_node(dag, region, [&](uint32_t level, Int3 corner, const uint32_t*) {
    if (dag.level_side(level) > side) return true;
    corners.push_back(corner);
    return false;
  });
  return corners;
}

std::vector<Int3> corners_of_chunks(const dag::FrozenDag& dag, const VoxelBox& region, const Int3& side) {
  constexpr uint32_t kCubeSide = 64;
  // Returns the lower corner, on one axis, of the chunk that contains the box's lower corner.
  const auto chunk_at = [&](const VoxelBox& box, uint32_t axis) {
    return box.min[axis] - (box.min[axis] - region.min[axis]) % side[axis];
  };
  std::set<std::array<int32_t, 3>> found;
  for (const Int3& corner : corners_of_cubes(dag, region, kCubeSide)) {
    const VoxelBox box = intersection(cube_at(corner, kCubeSide), region);
    for (int32_t z = chunk_at(box, 2); z < box.max.z; z += side.z)
      for (int32_t y = chunk_at(box, 1); y < box.max.y; y += side.y)
        for (int32_t x = chunk_at(box, 0); x < box.max.x; x += side.x) found.insert({z, y, x});
  }
  std::vector<Int3> corners;
  for (const auto& [z, y, x] : found) corners.push_back({x, y, z});
  return corners;
}

BorderedCube::BorderedCube() : values_(size_t{kRows} * kRows * kStride), rows_(size_t{kRows} * kRows) {}

void BorderedCube::read(const dag::FrozenDag& dag, const VoxelBox& region, Int3 corner) {
  const VoxelBox around = cube_at(corner - Int3{1, 1, 1}, kRows);
  const VoxelBox box = intersection(around, region);
  if (box != around) {
    std::fill(values_.begin(), values_.end(), uint8_t{0});
    std::fill(rows_.begin(), rows_.end(), 0);
  }
  if (box.empty()) return;
  dense_.resize(box.voxels());
  dag::write_dense(dag, box, dense_.data());
  const auto length = static_cast<size_t>(box.size().x);
  const uint8_t* from = dense_.data();
  for (int32_t z = box.min.z; z < box.max.z; ++z)
    for (int32_t y = box.min.y; y < box.max.y; ++y, from += length) {
      const Int3 at = Int3{box.min.x, y, z} - corner;
      std::memcpy(&values_[place(at)], from, length);
      rows_[row_index(at.y, at.z)] = bits_of_row(&values_[place({0, at.y, at.z})]);
    }
}

}  // namespace vox
