#include "formats/mesh/mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/loops.h"
#include "libvox/base/process.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

constexpr uint32_t kMaxEarCorners = 512;  // cutting ears takes up to n³ steps

struct Corner {
  uint32_t position, texcoord;
  double x, y;  // projected along the polygon's normal, counter-clockwise
};

// Returns twice the area of abc, positive if it turns left.
double turn(const Corner& a, const Corner& b, const Corner& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

std::vector<Corner> fan_corners(std::span<const scene::Triangle> fan) {
  std::vector<Corner> corners = {{fan[0].position[0], fan[0].texcoord[0], 0, 0},
                                 {fan[0].position[1], fan[0].texcoord[1], 0, 0}};
  for (const scene::Triangle& triangle : fan)
    corners.push_back({triangle.position[2], triangle.texcoord[2], 0, 0});
  return corners;
}

// Projects the corners along the axis in which the polygon's normal (Newell's) is longest.
void project(std::vector<Corner>& corners, const std::vector<Vec3d>& positions) {
  Vec3d origin = positions[corners[0].position], normal = {0, 0, 0};
  for (size_t i = 0; i + 1 < corners.size(); ++i)
    normal =
        normal + cross(positions[corners[i].position] - origin, positions[corners[i + 1].position] - origin);
  double x = std::abs(normal.x), y = std::abs(normal.y), z = std::abs(normal.z);
  for (Corner& corner : corners) {
    Vec3d p = positions[corner.position] - origin;
    if (x >= y && x >= z) {
      corner.x = p.y, corner.y = normal.x < 0 ? -p.z : p.z;
    } else if (y >= z) {
      corner.x = p.z, corner.y = normal.y < 0 ? -p.x : p.x;
    } else {
      corner.x = p.x, corner.y = normal.z < 0 ? -p.y : p.y;
    }
  }
}

bool is_convex(const std::vector<Corner>& ring) {
  size_t n = ring.size();
  for (size_t i = 0; i < n; ++i)
    if (turn(ring[i], ring[(i + 1) % n], ring[(i + 2) % n]) < 0) return false;
  return true;
}

bool same_place(const Corner& a, const Corner& b) {
  return a.x == b.x && a.y == b.y;
}

// True if the triangle at corner i lies inside the polygon: it turns left, and no other corner lies in it.
bool is_ear(const std::vector<Corner>& ring, size_t i) {
  size_t n = ring.size();
  const Corner &a = ring[(i + n - 1) % n], &b = ring[i], &c = ring[(i + 1) % n];
  if (turn(a, b, c) < 0) return false;
  for (const Corner& p : ring)
    if (turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0 && !same_place(p, a) &&
        !same_place(p, b) && !same_place(p, c))
      return false;
  return true;
}

// Cuts the polygon into ears. If rounding, or a polygon that crosses itself, leaves no ear, any corner is
// cut, so that the loop ends.
void cut_ears(std::vector<Corner> ring, std::span<scene::Triangle> triangles) {
  size_t i = 0;
  for (scene::Triangle& triangle : triangles) {
    size_t n = ring.size();
    for (size_t tried = 0; tried < n && !is_ear(ring, i % n); ++tried) ++i;
    i %= n;
    const Corner &a = ring[(i + n - 1) % n], &b = ring[i], &c = ring[(i + 1) % n];
    triangle.position = {a.position, b.position, c.position};
    triangle.texcoord = {a.texcoord, b.texcoord, c.texcoord};
    if (std::ranges::find(triangle.texcoord, scene::kNone) != triangle.texcoord.end())
      triangle.texcoord = {scene::kNone, scene::kNone, scene::kNone};
    ring.erase(ring.begin() + static_cast<ptrdiff_t>(i));
  }
}

}  // namespace

void cut_concave_polygons(scene::Scene& scene, std::span<const Polygon> polygons) {
  std::atomic<uint64_t> too_large = 0;
  parallel_for(size_t{0}, polygons.size(), [&](size_t i) {
    std::span<scene::Triangle> fan =
        std::span(scene.triangles).subspan(polygons[i].first_triangle, polygons[i].corners - 2);
    std::vector<Corner> ring = fan_corners(fan);
    project(ring, scene.positions);
    if (is_convex(ring)) return;
    if (ring.size() <= kMaxEarCorners) {
      cut_ears(std::move(ring), fan);
    } else {
      ++too_large;
    }
  });
  if (too_large > 0)
    log_warning(
        "{} polygons with more than {} corners are not convex, but are cut into triangles as if they were",
        too_large.load(), kMaxEarCorners);
}

void check_scene_fits(uint64_t triangles, uint64_t positions, uint64_t texcoords, bool colored) {
  if (triangles > kMaxTriangles || positions >= scene::kNone || texcoords >= scene::kNone)
    throw Error(fmt::format("{} triangles with {} vertices, including instances, are too many",
                            format_count(triangles), format_count(std::max(positions, texcoords))))
        .hint(fmt::format("at most {} triangles are supported", format_count(kMaxTriangles)));
  const uint64_t bytes = triangles * sizeof(scene::Triangle) + texcoords * sizeof(Vec2f) +
                         positions * (sizeof(Vec3d) + (colored ? sizeof(scene::Rgba8) : 0));
  if (bytes > available_bytes())
    throw Error(fmt::format("{} triangles, including instances, need {} of memory, but {} are free",
                            format_count(triangles), format_bytes(bytes), format_bytes(available_bytes())));
}

void split_by_object(scene::Scene& scene, std::span<const ObjectRun> runs) {
  std::map<std::pair<std::string_view, uint32_t>, uint32_t> copies;  // object and material → its copy
  std::vector<scene::Material> materials;
  const auto split = [&](uint64_t first, uint64_t end, std::string_view object) {
    uint32_t last = scene::kNone, copy = 0;  // consecutive triangles mostly have one material
    for (uint64_t i = first; i < end; ++i) {
      uint32_t& material = scene.triangles[i].material;
      if (material != last) {
        last = material;
        const auto [known, is_new] =
            copies.try_emplace({object, material}, static_cast<uint32_t>(materials.size()));
        if (is_new) materials.push_back(scene.materials[material]);
        if (is_new) materials.back().object = object;
        copy = known->second;
      }
      material = copy;
    }
  };
  for_each_run(runs, scene.triangles.size(), split);
  scene.materials = std::move(materials);
}

MaterialGroups::MaterialGroups(const scene::Scene& scene) : first_(scene.materials.size() + 1, 0) {
  if (scene.triangles.size() >= scene::kNone) throw Error("more triangles than 32-bit indices can address");
  for (const scene::Triangle& triangle : scene.triangles) ++first_[triangle.material + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  order_.resize(scene.triangles.size());
  std::vector<uint64_t> next = first_;
  for (uint32_t i = 0; i < order_.size(); ++i) order_[next[scene.triangles[i].material]++] = i;
}

namespace {

constexpr size_t kNamed = 5;  // number of missing textures that the warning names

std::string first_names(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names.first(std::min(names.size(), kNamed)))
    text += (text.empty() ? "" : ", ") + name;
  return names.size() > kNamed ? text + ", …" : text;
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

}  // namespace

OpenFolders open_folders(const std::filesystem::path& mesh, const MeshOptions& options) {
  if (options.outside == OutsideFiles::Read) return {};
  std::vector<std::filesystem::path> folders = {mesh.parent_path()};
  folders.insert(folders.end(), options.texture_paths.begin(), options.texture_paths.end());
  return OpenFolders(folders);
}

TextureFiles::TextureFiles(std::filesystem::path mesh, const MeshOptions& options)
    : mesh_(std::move(mesh)), folders_{mesh_.parent_path()}, open_(open_folders(mesh_, options)) {
  folders_.insert(folders_.end(), options.texture_paths.begin(), options.texture_paths.end());
}

std::optional<std::filesystem::path> TextureFiles::find_in(std::span<const std::filesystem::path> folders,
                                                           const std::string& name) {
  bool outside = false;
  for (const std::filesystem::path& folder : folders) try {
      if (auto file = find_file(folder, name, open_)) return file;
    } catch (const OutsideFile&) {
      outside = true;
    }
  add_once(outside ? outside_ : missing_, name);
  return std::nullopt;
}

std::optional<std::filesystem::path> TextureFiles::find(const std::string& name) {
  return find_in(folders_, name);
}

std::optional<std::filesystem::path> TextureFiles::find(const std::string& name,
                                                        const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> folders = {folder};
  folders.insert(folders.end(), folders_.begin(), folders_.end());
  return find_in(folders, name);
}

void TextureFiles::warn_of_missing() const {
  if (!missing_.empty())
    log_warning(
        "{}: {} not found: {}; the material's color is used instead (texture paths can name folders to "
        "look in)",
        mesh_.string(), format_count(missing_.size(), "texture"), first_names(missing_));
  if (!outside_.empty())
    log_warning(
        "{}: {} outside of its folder not read: {}; the material's color is used instead (files outside of "
        "it can be allowed)",
        mesh_.string(), format_count(outside_.size(), "texture"), first_names(outside_));
}

}  // namespace vox
