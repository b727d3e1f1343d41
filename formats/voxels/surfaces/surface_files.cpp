#include "formats/voxels/surfaces/surface.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "formats/mesh/mesh.h"
#include "formats/voxels/export.h"
#include "libvox/base/error.h"
#include "libvox/base/json.h"
#include "libvox/base/units.h"
#include "libvox/scene/oklab.h"

namespace vox {
namespace {

constexpr uint64_t kLeastLineBytes = 9;  // the least bytes of a vertex or a face

// The names of the materials in an OBJ file. Each is a single unique word, because some readers end a name at
// a blank and treat everything after a # as a comment.
class ObjNames {
 public:
  explicit ObjNames(const dag::VoxelScene& scene) {
    for (uint8_t value = 1; value < FaceFinder::kValues; ++value) {
      std::string word = surface_name(scene, value);
      std::erase(word, '#');
      std::ranges::replace_if(
          word, [](unsigned char c) { return c <= ' '; }, '_');
      while (std::ranges::count(names_, word) > 0) word += fmt::format("_{}", value - 1);
      names_[value] = word;
    }
  }
  const std::string& operator[](uint8_t value) const { return names_[value]; }

 private:
  std::array<std::string, FaceFinder::kValues> names_;
};

// By convention, MTL colors are sRGB.
std::string mtl_text(const dag::VoxelScene& scene, const Surface& surface, const ObjNames& names) {
  const auto channel = [](uint8_t code) { return std::round(code / 255. * 1e6) / 1e6; };
  std::string text;
  for (uint8_t value = 1; value < FaceFinder::kValues; ++value) {
    if (surface.parts_of(value).empty()) continue;
    const scene::Rgb8 color = surface_color(scene, value);
    text += fmt::format("newmtl {}\nKd {} {} {}\n\n", names[value], channel(color.r), channel(color.g),
                        channel(color.b));
  }
  return text;
}

// Writes a coordinate with enough decimals to resolve 1/1000 of a voxel, without trailing zeros.
std::string coordinate_text(double coordinate, double voxel_size) {
  const auto decimals = static_cast<int>(std::clamp(std::ceil(3 - std::log10(voxel_size)), 0., 300.));
  std::string text = fmt::format("{:.{}f}", coordinate, decimals);
  if (decimals == 0) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

// The world coordinates of a cube's layers as text, so that each is formatted once and not for every vertex.
class CoordinateTexts {
 public:
  CoordinateTexts(const dag::VoxelScene& scene, Int3 corner) : corner_(corner) {
    for (int32_t i = 0; i <= BorderedCube::kSide; ++i) {
      const Vec3d place = world_corner(scene, corner + Int3{i, i, i});
      for (uint32_t axis = 0; axis < 3; ++axis)
        texts_[axis][static_cast<size_t>(i)] = coordinate_text(place[axis], scene.voxel_size[axis]);
    }
  }
  const std::string& of(const Int3& at, uint32_t axis) const {
    return texts_[axis][static_cast<size_t>(at[axis] - corner_[axis])];
  }

 private:
  Int3 corner_;
  std::array<std::array<std::string, BorderedCube::kSide + 1>, 3> texts_;
};

// The colors of vertices in OBJ files, which many readers know: three numbers from 0 to 1 behind the coordinates.
const std::array<std::string, 256>& channel_texts() {
  static const std::array<std::string, 256> texts = [] {
    std::array<std::string, 256> made;
    for (size_t code = 0; code < made.size(); ++code)
      made[code] = fmt::format(" {}", std::round(static_cast<double>(code) / 255. * 1e4) / 1e4);
    return made;
  }();
  return texts;
}

std::vector<uint8_t> obj_lines(const dag::VoxelScene& scene, const SurfacePart& part,
                               const SurfaceMesh& mesh) {
  const CoordinateTexts texts(scene, part.corner);
  fmt::memory_buffer lines;
  const auto put = [&](std::string_view text) { lines.append(text); };
  for (size_t i = 0; i < mesh.vertices.size(); ++i) {
    put("v");
    for (uint32_t axis = 0; axis < 3; ++axis) put(" "), put(texts.of(mesh.vertices[i], axis));
    if (!mesh.colors.empty()) {
      const scene::Rgb8 color = scene::unpacked_color(mesh.colors[i]);
      for (const uint8_t code : {color.r, color.g, color.b}) put(channel_texts()[code]);
    }
    put("\n");
  }
  const uint64_t first = part.first_vertex + 1;
  for (const std::array<uint32_t, 4>& quad : mesh.quads)
    fmt::format_to(std::back_inserter(lines), FMT_COMPILE("f {} {} {} {}\n"), first + quad[0],
                   first + quad[1], first + quad[2], first + quad[3]);
  return {lines.begin(), lines.end()};
}

}  // namespace

void write_surface_obj(const dag::VoxelScene& scene, const std::filesystem::path& path,
                       const std::optional<VoxelBox>& clip, ranks::Ranks& ranks) {
  const Surface surface(scene, export_region(scene, clip, path), path, ranks);
  const ObjNames names(scene);
  const std::string text = mtl_text(scene, surface, names), id = id_of_materials(text);
  ExportFile materials(std::filesystem::path(path).replace_extension(".mtl"), 0, Writers::One, ranks);
  materials.write(mtl_first_line(id));
  materials.write(text);

  ExportFile file(path, (surface.vertices() + surface.quads()) * kLeastLineBytes, Writers::One, ranks);
  file.write(obj_first_line(fmt::format("{} faces, {} vertices", surface.quads(), surface.vertices()), id));
  file.write(fmt::format("mtllib {}.mtl\n", path.stem().string()));
  for (uint8_t value = 1; value < FaceFinder::kValues; ++value) {
    const auto parts = surface.parts_of(value);
    if (parts.empty()) continue;
    file.write(fmt::format("usemtl {}\n", names[value]));
    file.write_pieces(parts.size(),
                      [&](uint64_t i) { return obj_lines(scene, parts[i], surface.mesh(parts[i])); });
  }
  file.commit_behind(materials);
}

namespace {

std::string surface_ply_header(const Surface& surface, FloatKind floats) {
  const std::string_view type = floats == FloatKind::Single ? "float" : "double";
  return fmt::format(
      "{3}element vertex {0}\nproperty {1} x\nproperty {1} y\nproperty {1} z\n"
      "property uchar red\nproperty uchar green\nproperty uchar blue\n"
      "element face {2}\nproperty list uchar int vertex_indices\nend_header\n",
      surface.vertices(), type, surface.quads(), kPlyBegin);
}

template <class Float>
std::vector<uint8_t> ply_vertices(const dag::VoxelScene& scene, const SurfaceMesh& mesh,
                                  scene::Rgb8 color_of_part) {
  RecordBytes bytes(mesh.vertices.size() * (3 * sizeof(Float) + 3));
  for (size_t i = 0; i < mesh.vertices.size(); ++i) {
    const Vec3d place = world_corner(scene, mesh.vertices[i]);
    for (const double coordinate : {place.x, place.y, place.z}) bytes.put(static_cast<Float>(coordinate));
    const scene::Rgb8 color = mesh.colors.empty() ? color_of_part : scene::unpacked_color(mesh.colors[i]);
    for (const uint8_t channel : {color.r, color.g, color.b}) bytes.put(channel);
  }
  return bytes.finish();
}

std::vector<uint8_t> ply_faces(const SurfaceMesh& mesh, uint64_t first_vertex) {
  RecordBytes bytes(mesh.quads.size() * 17);
  for (const std::array<uint32_t, 4>& quad : mesh.quads) {
    bytes.put(uint8_t{4});
    for (const uint32_t vertex : quad) bytes.put(static_cast<int32_t>(first_vertex + vertex));
  }
  return bytes.finish();
}

}  // namespace

void write_surface_ply(const dag::VoxelScene& scene, const std::filesystem::path& path,
                       const std::optional<VoxelBox>& clip, ranks::Ranks& ranks) {
  const VoxelBox region = export_region(scene, clip, path);
  const Surface surface(scene, region, path, ranks);
  const FloatKind floats = float_for(scene, region);
  const auto parts = surface.parts();
  ExportFile file(path, surface.vertices() * (floats == FloatKind::Single ? 15 : 27) + surface.quads() * 17,
                  Writers::Several, ranks);
  file.write(surface_ply_header(surface, floats));
  file.write_pieces(parts.size(), [&](uint64_t i) {
    const SurfaceMesh& mesh = surface.mesh(parts[i]);
    const scene::Rgb8 color = surface_color(scene, parts[i].value);
    return floats == FloatKind::Single ? ply_vertices<float>(scene, mesh, color)
                                       : ply_vertices<double>(scene, mesh, color);
  });
  file.write_pieces(parts.size(),
                    [&](uint64_t i) { return ply_faces(surface.mesh(parts[i]), parts[i].first_vertex); });
  file.commit();
}

namespace {

constexpr uint64_t kPositionBytes = 12;         // three floats
constexpr uint64_t kColorBytes = 8;             // four uint16, linear light
constexpr uint64_t kQuadIndexBytes = 24;        // two triangles of three uint32
constexpr uint64_t kMostGlbBytes = UINT32_MAX;  // GLB's lengths have 32 bits
constexpr uint64_t kMostJsonBytes = 1 << 20;

// The numbers that glTF 2.0 defines.
constexpr int kIsUint16 = 5123, kIsUint32 = 5125, kIsFloat = 5126, kForVertices = 34962, kForIndices = 34963;

// The range of positions and of indices that a material has.
struct MaterialRun {
  uint8_t value = 0;
  uint64_t first_vertex = 0, vertices = 0, first_quad = 0, quads = 0;
  VoxelBox bounds = {};
};

std::vector<MaterialRun> material_runs(const Surface& surface) {
  std::vector<MaterialRun> runs;
  for (const SurfacePart& part : surface.parts()) {
    if (runs.empty() || runs.back().value != part.value)
      runs.push_back({.value = part.value,
                      .first_vertex = part.first_vertex,
                      .first_quad = part.first_quad,
                      .bounds = part.bounds});
    runs.back().vertices += part.vertices;
    runs.back().quads += part.rectangles.size();
    runs.back().bounds = hull(runs.back().bounds, part.bounds);
  }
  return runs;
}

// Returns the node's matrix, column by column. It takes voxels to the world, with y up.
std::array<double, 16> world_matrix(const dag::VoxelScene& scene) {
  std::array<double, 16> matrix = {};
  // The axis that a scene's axis becomes, with its sign.
  struct Turned {
    uint32_t axis;
    double sign;
  };
  const std::array<Turned, 3> turned =
      scene.up == dag::UpAxis::Y   ? std::array<Turned, 3>{{{0, 1}, {1, 1}, {2, 1}}}
      : scene.up == dag::UpAxis::Z ? std::array<Turned, 3>{{{0, 1}, {2, -1}, {1, 1}}}
                                   : std::array<Turned, 3>{{{1, 1}, {0, 1}, {2, -1}}};
  for (uint32_t from = 0; from < 3; ++from) {
    const auto [to, sign] = turned[from];
    matrix[from * 4 + to] = sign * scene.voxel_size[from];
    matrix[12 + to] = sign * scene.origin[from];
  }
  matrix[15] = 1;
  return matrix;
}

class GlbText {
 public:
  GlbText(const dag::VoxelScene& scene, const Surface& surface) : scene_(scene), surface_(surface) {
    root_.object("asset").set("version", "2.0").set("generator", kGlbGenerator);
    root_.set("scene", 0);
    root_.array("scenes").append().array("nodes").append(0);
    Json& node = root_.array("nodes").append().set("mesh", 0);
    Json& matrix = node.array("matrix");
    for (const double number : world_matrix(scene)) matrix.append(number);
  }

  std::string text() {
    const std::vector<MaterialRun> runs = material_runs(surface_);
    Json& primitives = root_.array("meshes").append().array("primitives");
    Json &materials = root_.array("materials"), &accessors = root_.array("accessors");
    const bool has_colors = scene_.colors.has_value();  // and one run
    for (size_t i = 0; i < runs.size(); ++i) {
      add_material(materials.append(), runs[i].value);
      add_positions(accessors.append(), runs[i]);
      add_indices(accessors.append(), runs[i]);
      Json& primitive = primitives.append().set("material", i).set("indices", 2 * i + 1);
      Json& attributes = primitive.object("attributes").set("POSITION", 2 * i);
      if (has_colors) attributes.set("COLOR_0", 2 * i + 2);
    }
    if (has_colors) add_colors(accessors.append());
    add_views();
    return root_.text();
  }

 private:
  void add_material(Json& material, uint8_t value) const {
    const Vec3d color = scene::srgb_to_linear(surface_color(scene_, value));
    Json& surface = material.set("name", surface_name(scene_, value)).object("pbrMetallicRoughness");
    surface.array("baseColorFactor").append(color.x).append(color.y).append(color.z).append(1.);
    surface.set("metallicFactor", 0);
  }
  static void add_positions(Json& accessor, const MaterialRun& run) {
    accessor.set("bufferView", 0).set("byteOffset", run.first_vertex * kPositionBytes);
    accessor.set("componentType", kIsFloat).set("count", run.vertices).set("type", "VEC3");
    for (const auto& [name, corner] : {std::pair{"min", run.bounds.min}, {"max", run.bounds.max}})
      accessor.array(name).append(corner.x).append(corner.y).append(corner.z);
  }
  static void add_indices(Json& accessor, const MaterialRun& run) {
    accessor.set("bufferView", 1).set("byteOffset", run.first_quad * kQuadIndexBytes);
    accessor.set("componentType", kIsUint32).set("count", run.quads * 6).set("type", "SCALAR");
  }
  void add_colors(Json& accessor) const {
    accessor.set("bufferView", 2).set("componentType", kIsUint16).set("normalized", true);
    accessor.set("count", surface_.vertices()).set("type", "VEC4");
  }
  void add_views() {
    const uint64_t positions = surface_.vertices() * kPositionBytes,
                   indices = surface_.quads() * kQuadIndexBytes,
                   colors = scene_.colors ? surface_.vertices() * kColorBytes : 0;
    Json& views = root_.array("bufferViews");
    views.append().set("buffer", 0).set("byteLength", positions).set("target", kForVertices);
    views.append()
        .set("buffer", 0)
        .set("byteOffset", positions)
        .set("byteLength", indices)
        .set("target", kForIndices);
    if (colors > 0)
      views.append()
          .set("buffer", 0)
          .set("byteOffset", positions + indices)
          .set("byteLength", colors)
          .set("target", kForVertices);
    root_.array("buffers").append().set("byteLength", positions + indices + colors);
  }

  const dag::VoxelScene& scene_;
  const Surface& surface_;
  Json root_;
};

std::vector<uint8_t> glb_positions(const SurfaceMesh& mesh) {
  RecordBytes bytes(mesh.vertices.size() * kPositionBytes);
  for (const Int3& at : mesh.vertices)
    for (const int32_t coordinate : {at.x, at.y, at.z}) bytes.put(static_cast<float>(coordinate));  // exact
  return bytes.finish();
}

std::vector<uint8_t> glb_colors(const SurfaceMesh& mesh) {
  RecordBytes bytes(mesh.colors.size() * kColorBytes);
  for (const uint32_t color : mesh.colors) {
    const Vec3d light = scene::srgb_to_linear(scene::unpacked_color(color));
    for (const double channel : {light.x, light.y, light.z, 1.})
      bytes.put(static_cast<uint16_t>(std::lround(channel * UINT16_MAX)));
  }
  return bytes.finish();
}

// `first` is the number of the mesh's first vertex within its material.
std::vector<uint8_t> glb_indices(const SurfaceMesh& mesh, uint64_t first) {
  RecordBytes bytes(mesh.quads.size() * kQuadIndexBytes);
  for (const std::array<uint32_t, 4>& quad : mesh.quads)
    for (const size_t corner : {0u, 1u, 2u, 0u, 2u, 3u})
      bytes.put(static_cast<uint32_t>(first + quad[corner]));
  return bytes.finish();
}

}  // namespace

void write_surface_glb(const dag::VoxelScene& scene, const std::filesystem::path& path,
                       const std::optional<VoxelBox>& clip, ranks::Ranks& ranks) {
  const Surface surface(scene, export_region(scene, clip, path), path, ranks);
  if (surface.quads() == 0)
    throw Error("no voxel is filled, and a GLB file cannot hold a mesh without faces").at(path.string());
  const uint64_t vertex_bytes = kPositionBytes + (scene.colors ? kColorBytes : 0);
  const uint64_t payload = surface.vertices() * vertex_bytes + surface.quads() * kQuadIndexBytes;
  if (payload + kMostJsonBytes > kMostGlbBytes)
    throw_surface_too_large(
        scene, fmt::format("its surface takes {}, and a GLB file has less than 4 GiB", format_bytes(payload)),
        path);
  const auto parts = surface.parts();
  ExportFile file(path, payload, Writers::Several, ranks);
  file.write(glb_head(GlbText(scene, surface).text(), payload));
  file.write_pieces(parts.size(), [&](uint64_t i) { return glb_positions(surface.mesh(parts[i])); });
  file.write_pieces(parts.size(), [&](uint64_t i) {
    const uint64_t first_of_material = surface.parts_of(parts[i].value).front().first_vertex;
    return glb_indices(surface.mesh(parts[i]), parts[i].first_vertex - first_of_material);
  });
  if (scene.colors)
    file.write_pieces(parts.size(), [&](uint64_t i) { return glb_colors(surface.mesh(parts[i])); });
  file.commit();
}

}  // namespace vox
