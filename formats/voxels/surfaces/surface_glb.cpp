#include <fmt/format.h>

#include <array>

#include "formats/voxels/export_file.h"
#include "formats/voxels/surfaces/record_bytes.h"
#include "formats/voxels/surfaces/surface.h"
#include "formats/voxels/surfaces/surface_files.h"
#include "libvox/base/error.h"
#include "libvox/base/json.h"
#include "libvox/base/units.h"
#include "libvox/scene/oklab.h"

namespace vox {
namespace {

constexpr uint64_t kPositionBytes = 12;         // three floats
constexpr uint64_t kQuadIndexBytes = 24;        // two triangles of three uint32
constexpr uint64_t kMostGlbBytes = UINT32_MAX;  // GLB's lengths have 32 bits
constexpr uint64_t kMostJsonBytes = 1 << 20;

// The numbers that glTF 2.0 defines.
constexpr int kIsFloat = 5126, kIsUint32 = 5125, kForVertices = 34962, kForIndices = 34963;

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
    matrix[from * 4 + to] = sign * scene.voxel_size;
    matrix[12 + to] = sign * scene.origin[from];
  }
  matrix[15] = 1;
  return matrix;
}

class GlbText {
 public:
  GlbText(const dag::VoxelScene& scene, const Surface& surface) : scene_(scene), surface_(surface) {
    root_.object("asset").set("version", "2.0").set("generator", "vox");
    root_.set("scene", 0);
    root_.array("scenes").append().array("nodes").append(0);
    Json& node = root_.array("nodes").append().set("mesh", 0);
    Json& matrix = node.array("matrix");
    for (const double number : world_matrix(scene)) matrix.append(number);
  }

  // Returns the JSON chunk, padded to a multiple of four bytes.
  std::string text() {
    const std::vector<MaterialRun> runs = material_runs(surface_);
    Json& primitives = root_.array("meshes").append().array("primitives");
    Json &materials = root_.array("materials"), &accessors = root_.array("accessors");
    for (size_t i = 0; i < runs.size(); ++i) {
      add_material(materials.append(), runs[i].value);
      add_positions(accessors.append(), runs[i]);
      add_indices(accessors.append(), runs[i]);
      Json& primitive = primitives.append().set("material", i).set("indices", 2 * i + 1);
      primitive.object("attributes").set("POSITION", 2 * i);
    }
    add_views();
    std::string text = root_.text();
    return text.append((4 - text.size() % 4) % 4, ' ');
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
  void add_views() {
    const uint64_t positions = surface_.vertices() * kPositionBytes,
                   indices = surface_.quads() * kQuadIndexBytes;
    Json& views = root_.array("bufferViews");
    views.append().set("buffer", 0).set("byteLength", positions).set("target", kForVertices);
    views.append()
        .set("buffer", 0)
        .set("byteOffset", positions)
        .set("byteLength", indices)
        .set("target", kForIndices);
    root_.array("buffers").append().set("byteLength", positions + indices);
  }

  const dag::VoxelScene& scene_;
  const Surface& surface_;
  Json root_;
};

// Returns the file's header and the heads of its chunks (glTF 2.0, §4.4).
std::string glb_head(const std::string& json, uint64_t payload) {
  constexpr uint32_t kVersion = 2;
  RecordBytes head(28);
  const auto name = [&](std::string_view four) {
    for (const char c : four) head.put(c);
  };
  name("glTF");
  head.put(kVersion);
  head.put(static_cast<uint32_t>(28 + json.size() + payload));
  head.put(static_cast<uint32_t>(json.size()));
  name("JSON");
  const auto front = head.finish();
  RecordBytes tail(8);
  tail.put(static_cast<uint32_t>(payload));
  for (const char c : std::string_view("BIN\0", 4)) tail.put(c);
  const auto back = tail.finish();
  return std::string(front.begin(), front.end()) + json + std::string(back.begin(), back.end());
}

std::vector<uint8_t> glb_positions(const SurfaceMesh& mesh) {
  RecordBytes bytes(mesh.vertices.size() * kPositionBytes);
  for (const Int3& at : mesh.vertices)
    for (const int32_t coordinate : {at.x, at.y, at.z}) bytes.put(static_cast<float>(coordinate));  // exact
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
                       const std::optional<VoxelBox>& clip) {
  const Surface surface(scene, export_region(scene, clip, path), path);
  if (surface.quads() == 0)
    throw Error("no voxel is filled, and a GLB file cannot hold a mesh without faces").at(path.string());
  const uint64_t payload = surface.vertices() * kPositionBytes + surface.quads() * kQuadIndexBytes;
  if (payload + kMostJsonBytes > kMostGlbBytes)
    throw_surface_too_large(
        scene, fmt::format("its surface takes {}, and a GLB file has less than 4 GiB", format_bytes(payload)),
        path);
  const auto parts = surface.parts();
  ExportFile file(path, payload);
  file.write(glb_head(GlbText(scene, surface).text(), payload));
  file.write_pieces(parts.size(), [&](uint64_t i) { return glb_positions(surface.mesh(parts[i])); });
  file.write_pieces(parts.size(), [&](uint64_t i) {
    const uint64_t first_of_material = surface.parts_of(parts[i].value).front().first_vertex;
    return glb_indices(surface.mesh(parts[i]), parts[i].first_vertex - first_of_material);
  });
  file.commit();
}

}  // namespace vox
