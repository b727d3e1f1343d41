#include "libvox/voxelize/prepare.h"

#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "libvox/attributes/packed_values.h"
#include "libvox/base/loops.h"

namespace vox::voxelize {
namespace {

using SnappedCorner = std::array<int32_t, 3>;
using Edge = std::array<SnappedCorner, 2>;

SnappedCorner corner_of(const Int3& place) {
  return {place.x, place.y, place.z};
}

struct Twin {
  std::array<SnappedCorner, 3> corners;  // in ascending order
  bool turned = false;  // true if the order of the triangle's own corners is an odd permutation of this one
  uint32_t number = 0;
};

Twin twin_of(uint32_t number, const TriangleShape& shape) {
  Twin twin = {
      {corner_of(shape.corner[0]), corner_of(shape.corner[1]), corner_of(shape.corner[2])}, false, number};
  for (const size_t a : {size_t{0}, size_t{1}, size_t{0}}) {
    const size_t b = a + 1;
    if (twin.corners[a] <= twin.corners[b]) continue;
    std::swap(twin.corners[a], twin.corners[b]);
    twin.turned = !twin.turned;
  }
  return twin;
}

// Each edge belongs to an even number of triangles, so that parity says what is inside.
bool is_closed(const std::vector<std::array<SnappedCorner, 3>>& triangles) {
  std::vector<Edge> edges;
  for (const auto& [a, b, c] : triangles)
    for (const Edge& edge : {Edge{a, b}, Edge{b, c}, Edge{a, c}}) edges.push_back(edge);
  tbb::parallel_sort(edges);
  for (size_t i = 0; i < edges.size(); i += 2)
    if (i + 1 == edges.size() || edges[i] != edges[i + 1]) return false;
  return true;
}

}  // namespace

std::vector<uint32_t> duplicates_among(std::span<const uint32_t> numbers,
                                       std::span<const TriangleShape> shapes, uint64_t with_area) {
  std::vector<Twin> twins;
  for (size_t i = 0; i < numbers.size(); ++i)
    if (has_area(shapes[i])) twins.push_back(twin_of(numbers[i], shapes[i]));
  tbb::parallel_sort(twins, [](const Twin& a, const Twin& b) {
    return std::tie(a.corners, a.number) < std::tie(b.corners, b.number);
  });
  std::vector<uint32_t> duplicates, turned;  // of pairs that face opposite ways, the second
  std::vector<std::array<SnappedCorner, 3>> pairs;
  for (size_t begin = 0, end = 0; begin < twins.size(); begin = end) {
    std::array<bool, 2> is_known = {};
    for (end = begin; end < twins.size() && twins[end].corners == twins[begin].corners; ++end) {
      bool& known = is_known[twins[end].turned ? 1 : 0];
      if (known) {
        duplicates.push_back(twins[end].number);
      } else if (twins[end].turned != twins[begin].turned) {
        turned.push_back(twins[end].number);
      }
      known = true;
    }
    if (is_known[0] && is_known[1]) pairs.push_back(twins[begin].corners);
  }
  if (2 * pairs.size() + duplicates.size() == with_area && is_closed(pairs))
    duplicates.insert(duplicates.end(), turned.begin(), turned.end());
  std::ranges::sort(duplicates);
  return duplicates;
}

namespace {

MaterialRef material_ref(const scene::IndexedMaterial& material) {
  MaterialRef ref = {};
  ref.index = material.index;
  ref.flags = static_cast<uint16_t>((material.vertex_colors ? MaterialRef::kVertexColors : 0) |
                                    (material.invisible ? MaterialRef::kInvisible : 0));
  ref.wraps = static_cast<uint8_t>(static_cast<uint32_t>(material.wrap_u) |
                                   static_cast<uint32_t>(material.wrap_v) << 4);
  return ref;
}

// Appends the texels of a texture. They start at a whole word of both arrays.
void add_texture(const scene::IndexedTexture& texture, PreparedMaterials& out) {
  const uint64_t first = std::max({out.nibbles.size() * 8, out.opaque.size() * 32, out.texel_colors.size()});
  if (!texture.nibbles.empty()) {
    out.nibbles.resize(first / 8);
    out.nibbles.insert(out.nibbles.end(), texture.nibbles.begin(), texture.nibbles.end());
    out.nibbles.resize((out.nibbles.size() + 3) / 4 * 4);
  } else if (!texture.colors.empty()) {
    out.texel_colors.resize(first);
    out.texel_colors.insert(out.texel_colors.end(), texture.colors.begin(), texture.colors.end());
    out.texel_colors.resize((out.texel_colors.size() + 31) / 32 * 32);
  }
  if (!texture.opaque.empty()) {
    out.opaque.resize(first / 32);
    out.opaque.insert(out.opaque.end(), texture.opaque.begin(), texture.opaque.end());
  }
  for (const auto& level : texture.levels)
    out.levels.push_back({level.width, level.height, first + level.first_texel});
}

}  // namespace

PreparedMaterials prepare_materials(const scene::IndexedScene& indexed) {
  PreparedMaterials out;
  std::vector<uint32_t> first_level;
  for (const scene::IndexedTexture& texture : indexed.textures) {
    first_level.push_back(static_cast<uint32_t>(out.levels.size()));
    add_texture(texture, out);
  }
  for (const scene::IndexedMaterial& material : indexed.materials) {
    MaterialRef ref = material_ref(material);
    if (material.texture != scene::kNone) {
      const scene::IndexedTexture& texture = indexed.textures[material.texture];
      ref.first_level = first_level[material.texture];
      ref.level_count = static_cast<uint32_t>(texture.levels.size());
      const bool holes_alone = texture.nibbles.empty() && texture.colors.empty();
      ref.flags = static_cast<uint16_t>(ref.flags | MaterialRef::kTextured |
                                        (texture.opaque.empty() ? 0 : MaterialRef::kHasHoles) |
                                        (holes_alone ? MaterialRef::kHolesAlone : 0));
    }
    out.materials.push_back(ref);
    out.plain_colors.push_back(material.color);
  }
  for (const scene::IndexedMaterial& material : indexed.materials) {
    out.materials.push_back(material_ref(material));
    out.plain_colors.push_back(material.color);
  }
  out.color_lut = indexed.color_lut;
  return out;
}

std::vector<uint32_t> table_colors(PreparedMaterials& materials) {
  for (const MaterialRef& material : materials.materials)
    if ((material.flags & MaterialRef::kVertexColors) != 0) return {};
  std::vector<uint8_t> is_used(size_t{1} << attributes::kMostValueBits);
  for (const auto* colors : {&materials.texel_colors, &materials.plain_colors})
    for (const uint32_t color : *colors) is_used[color] = 1;
  std::vector<uint32_t> table;
  for (uint32_t color = 0; color < is_used.size(); ++color) {
    if (is_used[color] != 0) table.push_back(color);
  }
  if (table.size() > attributes::kMostTabled) return {};
  std::vector<uint16_t> number_of(table.empty() ? 0 : table.back() + 1);
  for (size_t i = 0; i < table.size(); ++i) number_of[table[i]] = static_cast<uint16_t>(i);
  for (auto* colors : {&materials.texel_colors, &materials.plain_colors})
    parallel_for(size_t{0}, colors->size(), [&](size_t i) { (*colors)[i] = number_of[(*colors)[i]]; });
  return table;
}

namespace {

struct Corner {
  Vec3d voxels;  // position in voxels
  Vec2<double> texcoord;
  std::array<double, 4> color;
};

Corner between(const Corner& a, const Corner& b, double t) {
  Corner result;
  result.voxels = a.voxels + (b.voxels - a.voxels) * t;
  result.texcoord = {a.texcoord.x + (b.texcoord.x - a.texcoord.x) * t,
                     a.texcoord.y + (b.texcoord.y - a.texcoord.y) * t};
  for (size_t i = 0; i < 4; ++i) result.color[i] = a.color[i] + (b.color[i] - a.color[i]) * t;
  return result;
}

// Returns the part of a polygon with sign · coordinate <= kGuardVoxels (Sutherland & Hodgman 1974).
std::vector<Corner> cut(const std::vector<Corner>& polygon, uint32_t axis, double sign) {
  std::vector<Corner> result;
  auto inside_by = [&](const Corner& corner) { return kGuardVoxels - sign * corner.voxels[axis]; };
  for (size_t i = 0; i < polygon.size(); ++i) {
    const Corner &from = polygon[i], &to = polygon[(i + 1) % polygon.size()];
    double a = inside_by(from), b = inside_by(to);
    if (a >= 0) result.push_back(from);
    if ((a >= 0) != (b >= 0)) {
      result.push_back(between(from, to, a / (a - b)));
      result.back().voxels[axis] = sign * kGuardVoxels;
    }
  }
  return result;
}

TriangleShading shading_of(const std::array<const Corner*, 3>& corners, uint32_t level) {
  TriangleShading shading;
  shading.level = level;
  for (size_t i = 0; i < 3; ++i) {
    shading.texcoord[i] = {static_cast<float>(corners[i]->texcoord.x),
                           static_cast<float>(corners[i]->texcoord.y)};
    auto byte = [&](size_t channel) { return static_cast<uint8_t>(std::lround(corners[i]->color[channel])); };
    shading.color[i] = {byte(0), byte(1), byte(2), byte(3)};
  }
  return shading;
}

void append_parts(const MeshRef& mesh, uint32_t number, std::vector<CutPart>& parts) {
  const scene::Triangle& triangle = mesh.triangles[number];
  const TriangleCorners corners = mesh.corners(triangle);
  std::vector<Corner> polygon;
  for (uint32_t i = 0; i < 3; ++i) {
    const Vec2f uv = mesh.texcoord(triangle, i);
    const scene::Rgba8 color = mesh.color(triangle, i);
    polygon.push_back(
        {corners[i], {uv.x, uv.y}, {double(color.r), double(color.g), double(color.b), double(color.a)}});
  }
  for (uint32_t axis = 0; axis < 3; ++axis) polygon = cut(cut(polygon, axis, 1), axis, -1);
  const uint32_t level = mesh.level(triangle, corners);
  for (size_t i = 2; i < polygon.size(); ++i) {
    const std::array<const Corner*, 3> three = {&polygon[0], &polygon[i - 1], &polygon[i]};
    CutPart part = {};
    for (size_t c = 0; c < 3; ++c) part.shape.corner[c] = mesh.grid.snap(three[c]->voxels);
    part.shape.material = mesh.shown_material(triangle);
    part.shading = shading_of(three, level);
    part.triangle = number;
    part.place = static_cast<uint16_t>(i - 2);
    part.count = static_cast<uint16_t>(polygon.size() - 2);
    parts.push_back(part);
  }
}

}  // namespace

std::vector<CutPart> cut_triangles(const MeshRef& mesh, const std::vector<uint32_t>& triangles) {
  constexpr size_t kBlock = 1 << 10;
  std::vector<std::vector<CutPart>> blocks((triangles.size() + kBlock - 1) / kBlock);
  parallel_for(size_t{0}, blocks.size(), [&](size_t block) {
    const size_t end = std::min(triangles.size(), (block + 1) * kBlock);
    for (size_t i = block * kBlock; i < end; ++i) append_parts(mesh, triangles[i], blocks[block]);
  });
  std::vector<CutPart> parts;
  for (std::vector<CutPart>& block : blocks) {
    parts.insert(parts.end(), block.begin(), block.end());
    block = {};
  }
  return parts;
}

}  // namespace vox::voxelize
