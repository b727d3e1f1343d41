#include "formats/voxels/surfaces/surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>

#include "formats/volume/places.h"
#include "formats/voxels/export.h"
#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/morton.h"
#include "libvox/base/progress.h"
#include "libvox/ranks/ranks.h"

namespace vox {
namespace {

constexpr uint64_t kMostNumbers = INT32_MAX;
constexpr scene::Rgb8 kSurfaceOfNoMaterial = {200, 200, 200};

SurfacePart surface_part(SurfaceMesher& mesher, const FaceFinder& finder, Int3 corner, uint8_t value) {
  const std::span<const FaceRectangle> rectangles = finder.rectangles(value);
  const std::span<const uint32_t> colors = finder.colors();
  const SurfaceMesh& mesh = mesher.mesh(corner, rectangles, colors);
  VoxelBox bounds = {mesh.vertices[0], mesh.vertices[0]};
  for (const Int3& at : mesh.vertices) bounds = hull(bounds, {at, at});
  return {.corner = corner,
          .value = value,
          .bounds = bounds,
          .rectangles = {rectangles.begin(), rectangles.end()},
          .colors = {colors.begin(), colors.end()},
          .vertices = mesh.vertices.size()};
}

uint64_t order_of(const Int3& corner) {
  const auto [x, y, z] = vec_of<uint32_t>(corner);
  return morton_encode(x, y, z);
}

}  // namespace

void throw_surface_too_large(const dag::VoxelScene& scene, const std::string& problem,
                             const std::filesystem::path& target) {
  const uint32_t resolution = scene.dag.resolution;
  throw Error(problem)
      .at(target.string())
      .hint(coarser_hint(coarser_resolution(resolution, resolution / 2)))
      .about("resolution");
}

namespace {

// The facts about a part that one rank tells others, besides its rectangles.
struct SentPart {
  Int3 corner;
  uint8_t value;
  VoxelBox bounds;
  uint64_t vertices, rectangles, colors;
};

// Returns the next `count` elements of a list.
template <class T>
std::vector<T> next_of(typename std::vector<T>::const_iterator& at, uint64_t count) {
  const auto first = at;
  at += static_cast<ptrdiff_t>(count);
  return {first, at};
}

// Collective. Returns the parts that all ranks have found.
std::vector<SurfacePart> of_all_ranks(ranks::Ranks& ranks, std::vector<SurfacePart> parts) {
  if (ranks.count() == 1) return parts;
  throw_if_cancelled();  // parts of words that could not be read stay here
  std::vector<SentPart> sent;
  std::vector<FaceRectangle> rectangles;
  std::vector<uint32_t> colors;
  for (const SurfacePart& part : parts) {
    sent.push_back(
        {part.corner, part.value, part.bounds, part.vertices, part.rectangles.size(), part.colors.size()});
    rectangles.insert(rectangles.end(), part.rectangles.begin(), part.rectangles.end());
    colors.insert(colors.end(), part.colors.begin(), part.colors.end());
  }
  sent = brought_to_all(ranks, sent);
  rectangles = brought_to_all(ranks, rectangles);
  colors = brought_to_all(ranks, colors);
  parts.clear();
  auto rectangle = rectangles.cbegin();
  auto color = colors.cbegin();
  for (const SentPart& part : sent)
    parts.push_back({.corner = part.corner,
                     .value = part.value,
                     .bounds = part.bounds,
                     .rectangles = next_of<FaceRectangle>(rectangle, part.rectangles),
                     .colors = next_of<uint32_t>(color, part.colors),
                     .vertices = part.vertices});
  return parts;
}

}  // namespace

Surface::Surface(const dag::VoxelScene& scene, const VoxelBox& region, const std::filesystem::path& target,
                 ranks::Ranks& ranks) {
  const std::vector<Int3> corners = corners_of_cubes(scene.dag, region, BorderedCube::kSide);
  const ranks::Counts begins = share_begins(ranks, corners.size());
  const auto check = [&](uint64_t vertices, uint64_t quads) {
    if (std::max(vertices, quads) > kMostNumbers)
      throw_surface_too_large(
          scene, fmt::format("its surface has more than {} faces or vertices", kMostNumbers), target);
  };
  std::optional<dag::LeafColors> colors;
  if (scene.colors) colors.emplace(scene);
  tbb::enumerable_thread_specific<FaceFinder> finders;
  tbb::enumerable_thread_specific<std::vector<SurfacePart>> found;
  std::atomic<uint64_t> vertices = 0, quads = 0;
  parallel_for(begins[ranks.rank()], begins[ranks.rank() + 1], [&](uint64_t i) {
    throw_if_cancelled();
    FaceFinder& finder = finders.local();
    finder.read(scene.dag, region, corners[i], colors ? &*colors : nullptr);
    for (uint8_t value = 1; value < FaceFinder::kValues; ++value) {
      if (finder.rectangles(value).empty()) continue;
      const SurfacePart& part =
          found.local().emplace_back(surface_part(meshers_.local(), finder, corners[i], value));
      vertices += part.vertices;
      quads += part.rectangles.size();
      check(vertices, quads);
    }
  });
  for (std::vector<SurfacePart>& parts : found) std::ranges::move(parts, std::back_inserter(parts_));
  check(sum_of(ranks, vertices), sum_of(ranks, quads));
  parts_ = of_all_ranks(ranks, std::move(parts_));
  std::ranges::sort(parts_, {},
                    [](const SurfacePart& part) { return std::tuple(part.value, order_of(part.corner)); });
  for (size_t i = 1; i < parts_.size(); ++i) {
    parts_[i].first_vertex = parts_[i - 1].first_vertex + parts_[i - 1].vertices;
    parts_[i].first_quad = parts_[i - 1].first_quad + parts_[i - 1].rectangles.size();
  }
}

std::span<const SurfacePart> Surface::parts_of(uint8_t value) const {
  const auto first = std::ranges::lower_bound(parts_, value, {}, &SurfacePart::value);
  return {first, std::ranges::upper_bound(first, parts_.end(), value, {}, &SurfacePart::value)};
}

uint64_t Surface::vertices() const {
  return parts_.empty() ? 0 : parts_.back().first_vertex + parts_.back().vertices;
}

uint64_t Surface::quads() const {
  return parts_.empty() ? 0 : parts_.back().first_quad + parts_.back().rectangles.size();
}

const SurfaceMesh& Surface::mesh(const SurfacePart& part) const {
  return meshers_.local().mesh(part.corner, part.rectangles, part.colors);
}

scene::Rgb8 surface_color(const dag::VoxelScene& scene, uint8_t value) {
  if (scene.colors) return {255, 255, 255};
  return scene.dag.materials ? scene.palette.colors[value - 1u] : kSurfaceOfNoMaterial;
}

std::string surface_name(const dag::VoxelScene& scene, uint8_t value) {
  if (!scene.dag.materials) return "voxels";
  const std::string& name = scene.palette.names[value - 1u];
  return name.empty() ? fmt::format("material {}", value - 1) : name;
}

FloatKind float_for(const dag::VoxelScene& scene, const VoxelBox& region) {
  // The relative error of a float is at most 2^-24.
  constexpr double kMostVoxels = 1 << 16;
  double most = 0;
  for (const Vec3d& corner : {world_corner(scene, region.min), world_corner(scene, region.max)})
    most = std::max({most, std::abs(corner.x), std::abs(corner.y), std::abs(corner.z)});
  return most <= kMostVoxels * scene.voxel_size.shortest() ? FloatKind::Single : FloatKind::Double;
}

namespace {

// Returns `count` ones, 1 to 64, from bit `first` on.
uint64_t ones(int32_t first, int32_t count) {
  return ~uint64_t{0} >> (64 - count) << first;
}

}  // namespace

void FaceFinder::read(const dag::FrozenDag& dag, const VoxelBox& region, Int3 corner,
                      const dag::LeafColors* colors) {
  cube_.read(dag, region, corner);
  if (colors != nullptr) {
    if (!cube_colors_) cube_colors_.emplace();
    cube_colors_->read(dag, *colors, corner);
  }
  for (auto& rectangles : rectangles_) rectangles.clear();
  colors_.clear();
  find_along_x();
  find_along_y();
  find_along_z();
  if (colors != nullptr) sort_by_color();
}

void FaceFinder::sort_by_color() {
  std::vector<FaceRectangle>& rectangles = rectangles_[1];
  std::vector<std::pair<uint32_t, FaceRectangle>> both(rectangles.size());
  for (size_t i = 0; i < both.size(); ++i) both[i] = {colors_[i], rectangles[i]};
  std::ranges::stable_sort(both, {}, &std::pair<uint32_t, FaceRectangle>::first);
  for (size_t i = 0; i < both.size(); ++i) std::tie(colors_[i], rectangles[i]) = both[i];
}

// The bits of a row are voxels along x, so the faces along x are moved from rows to slices bit by bit.
void FaceFinder::find_along_x() {
  std::vector<Slice> down(kSide, Slice{}), up(kSide, Slice{});
  for (int32_t z = 0; z < kSide; ++z)
    for (int32_t y = 0; y < kSide; ++y) {
      const uint64_t row = cube_.row(y, z);
      if (row == 0) continue;
      const auto put = [&](std::vector<Slice>& slices, uint64_t faces) {
        for (; faces != 0; faces &= faces - 1)
          slices[static_cast<size_t>(lowest_bit(faces))][static_cast<size_t>(z)] |= uint64_t{1} << y;
      };
      put(down, row & ~cube_.row_before(y, z));
      put(up, row & ~cube_.row_behind(y, z));
    }
  for (int32_t x = 0; x < kSide; ++x) {
    merge(down[static_cast<size_t>(x)], 0, x, FaceRectangle::Looks::Down);
    merge(up[static_cast<size_t>(x)], 0, x, FaceRectangle::Looks::Up);
  }
}

void FaceFinder::find_along_y() {
  for (int32_t y = 0; y < kSide; ++y) {
    Slice down, up;
    for (int32_t z = 0; z < kSide; ++z) {
      down[static_cast<size_t>(z)] = cube_.row(y, z) & ~cube_.row(y - 1, z);
      up[static_cast<size_t>(z)] = cube_.row(y, z) & ~cube_.row(y + 1, z);
    }
    merge(down, 1, y, FaceRectangle::Looks::Down);
    merge(up, 1, y, FaceRectangle::Looks::Up);
  }
}

void FaceFinder::find_along_z() {
  for (int32_t z = 0; z < kSide; ++z) {
    Slice down, up;
    for (int32_t y = 0; y < kSide; ++y) {
      down[static_cast<size_t>(y)] = cube_.row(y, z) & ~cube_.row(y, z - 1);
      up[static_cast<size_t>(y)] = cube_.row(y, z) & ~cube_.row(y, z + 1);
    }
    merge(down, 2, z, FaceRectangle::Looks::Down);
    merge(up, 2, z, FaceRectangle::Looks::Up);
  }
}

// Each rectangle begins at the first remaining face. It is as wide as faces of its material and color continue, and
// then as high as complete rows of them do.
void FaceFinder::merge(Slice& faces, uint32_t axis, int32_t layer, FaceRectangle::Looks looks) {
  const auto row = [&](int32_t v) -> uint64_t& { return faces[static_cast<size_t>(v)]; };
  const auto content = [&](int32_t u, int32_t v) {
    const Int3 at = in_layer(axis, layer, u, v);
    return std::pair(cube_.value(at), cube_colors_ ? (*cube_colors_)[at] : 0);
  };
  for (int32_t v = 0; v < kSide; ++v)
    while (row(v) != 0) {
      const int32_t u = lowest_bit(row(v));
      const std::pair<uint8_t, uint32_t> of = content(u, v);
      const int32_t most = std::countr_one(row(v) >> u);
      int32_t width = 1, height = 1;
      while (width < most && content(u + width, v) == of) ++width;
      const uint64_t bits = ones(u, width);
      const auto goes_on = [&](int32_t next) {
        if ((row(next) & bits) != bits) return false;
        for (int32_t i = u; i < u + width; ++i)
          if (content(i, next) != of) return false;
        return true;
      };
      while (v + height < kSide && goes_on(v + height)) ++height;
      for (int32_t i = v; i < v + height; ++i) row(i) &= ~bits;
      const auto [x, y, z] =
          vec_of<uint8_t>(in_layer(axis, looks == FaceRectangle::Looks::Up ? layer + 1 : layer, u, v));
      if (cube_colors_) colors_.push_back(of.second);
      rectangles_[of.first].push_back({.corner = {x, y, z},
                                       .axis = static_cast<uint8_t>(axis),
                                       .looks = looks,
                                       .width = static_cast<uint8_t>(width),
                                       .height = static_cast<uint8_t>(height)});
    }
}

namespace {

constexpr uint32_t kNoVertex = UINT32_MAX;
constexpr int32_t kCorners = BorderedCube::kSide + 1;  // corners of voxels along each axis

size_t number_of_corner(const Int3& at) {
  return index_in({kCorners, kCorners, kCorners}, at);
}

}  // namespace

SurfaceMesher::SurfaceMesher() : numbers_(size_t{kCorners} * kCorners * kCorners, kNoVertex) {}

uint32_t SurfaceMesher::vertex(const Int3& at) {
  uint32_t& number = numbers_[number_of_corner(at)];
  if (number == kNoVertex) {
    number = static_cast<uint32_t>(mesh_.vertices.size());  // fits, because there are at most 65³ corners
    mesh_.vertices.push_back(corner_ + at);
  }
  return number;
}

void SurfaceMesher::forget_vertices(size_t first) {
  for (size_t i = first; i < mesh_.vertices.size(); ++i)
    numbers_[number_of_corner(mesh_.vertices[i] - corner_)] = kNoVertex;
}

const SurfaceMesh& SurfaceMesher::mesh(Int3 corner, std::span<const FaceRectangle> rectangles,
                                       std::span<const uint32_t> colors) {
  corner_ = corner;
  mesh_.vertices.clear();
  mesh_.quads.clear();
  mesh_.colors.clear();
  size_t first_of_color = 0;
  for (size_t i = 0; i < rectangles.size(); ++i) {
    const FaceRectangle& rectangle = rectangles[i];
    if (!colors.empty() && i > 0 && colors[i] != colors[i - 1]) {
      forget_vertices(first_of_color);
      first_of_color = mesh_.vertices.size();
    }
    const Int3 lowest = {rectangle.corner[0], rectangle.corner[1], rectangle.corner[2]};
    const Int3 along_u = in_layer(rectangle.axis, 0, rectangle.width, 0),
               along_v = in_layer(rectangle.axis, 0, 0, rectangle.height);
    std::array<uint32_t, 4> quad = {vertex(lowest), vertex(lowest + along_u),
                                    vertex(lowest + along_u + along_v), vertex(lowest + along_v)};
    // So far the order is that of a face that looks along u × v: up for x and z, down for y.
    const bool is_turned = (rectangle.looks == FaceRectangle::Looks::Up) != (rectangle.axis != 1);
    if (is_turned) std::swap(quad[1], quad[3]);
    mesh_.quads.push_back(quad);
    if (!colors.empty()) mesh_.colors.resize(mesh_.vertices.size(), colors[i]);
  }
  forget_vertices(first_of_color);
  return mesh_;
}

}  // namespace vox
