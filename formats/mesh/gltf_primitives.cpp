#include "formats/mesh/gltf_scene.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>

#include "formats/io/child_process.h"
#include "formats/io/scan.h"
#include "formats/mesh/gltf_json.h"
#include "formats/mesh/mesh.h"
#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/units.h"

#ifdef VOX_HAS_DRACO
#include <draco/compression/decode.h>
#endif

namespace vox {
namespace {

constexpr uint64_t kTriangleGrain = 1 << 14;

using Range = tbb::blocked_range<uint64_t>;

// Calls body(at), where at(i) is the vertex of the i-th corner.
template <class Body>
auto with_corners(const GltfCorners& corners, Body body) {
  const std::byte* data = corners.indices.data;
  const uint64_t stride = corners.indices.stride;
  auto indexed = [=]<class T>(T) {
    return [=](uint64_t i) { return uint32_t{value_at<T>(data + i * stride)}; };
  };
  if (!data) return body([](uint64_t i) { return static_cast<uint32_t>(i); });
  if (corners.indices.component == GltfComponent::Uint8) return body(indexed(uint8_t{}));
  if (corners.indices.component == GltfComponent::Uint16) return body(indexed(uint16_t{}));
  return body(indexed(uint32_t{}));
}

// Returns the corners of triangle t (glTF 2.0, §3.7.2.1).
template <GltfMode mode>
std::array<uint64_t, 3> corners_of(uint64_t t) {
  if constexpr (mode == GltfMode::Strip) return {t, t + 1 + t % 2, t + 2 - t % 2};
  if constexpr (mode == GltfMode::Fan) return {t + 1, t + 2, 0};
  return {3 * t, 3 * t + 1, 3 * t + 2};
}

template <GltfMode mode>
void write(const GltfCorners& corners, const TriangleTarget& target, scene::Triangle* to) {
  with_corners(corners, [&](auto vertex_at) {
    parallel_for(Range(0, triangle_count(corners), kTriangleGrain), [&](const Range& range) {
      for (uint64_t t = range.begin(); t < range.end(); ++t) {
        scene::Triangle triangle = {.position = {},
                                    .texcoord = {scene::kNone, scene::kNone, scene::kNone},
                                    .material = target.material};
        std::array<uint64_t, 3> corner = corners_of<mode>(t);
        for (size_t i = 0; i < 3; ++i) {
          uint32_t vertex = vertex_at(corner[i]);
          triangle.position[i] = vertex + target.position_shift;
          if (target.textured) triangle.texcoord[i] = vertex + target.texcoord_shift;
        }
        to[t] = triangle;
      }
    });
  });
}

}  // namespace

uint64_t triangle_count(const GltfCorners& corners) {
  if (corners.mode == GltfMode::Triangles) return corners.count / 3;
  bool strip = corners.mode == GltfMode::Strip || corners.mode == GltfMode::Fan;
  return strip && corners.count > 2 ? corners.count - 2 : 0;
}

VertexRange find_range(const GltfCorners& corners, uint64_t vertices) {
  struct Extremes {
    uint32_t lowest = UINT32_MAX, highest = 0;
  };
  Extremes found = with_corners(corners, [&](auto vertex_at) {
    return tbb::parallel_reduce(
        Range(0, corners.count, kTriangleGrain), Extremes(),
        [&](const Range& range, Extremes extremes) {
          for (uint64_t i = range.begin(); i < range.end(); ++i) {
            uint32_t vertex = vertex_at(i);
            extremes.lowest = std::min(extremes.lowest, vertex);
            extremes.highest = std::max(extremes.highest, vertex);
          }
          return extremes;
        },
        [](Extremes a, Extremes b) {
          return Extremes{std::min(a.lowest, b.lowest), std::max(a.highest, b.highest)};
        });
  });
  if (corners.count == 0) return {};
  if (found.highest >= vertices)
    throw Error(fmt::format("its indices refer to vertex {}, but it has {}", found.highest, vertices))
        .hint("is the file damaged?");
  return {.first = found.lowest, .end = uint64_t{found.highest} + 1};
}

void write_triangles(const GltfCorners& corners, const TriangleTarget& target, scene::Triangle* to) {
  if (corners.mode == GltfMode::Strip) return write<GltfMode::Strip>(corners, target, to);
  if (corners.mode == GltfMode::Fan) return write<GltfMode::Fan>(corners, target, to);
  write<GltfMode::Triangles>(corners, target, to);
}

GltfElements DracoMesh::index_elements() const {
  return {.data = reinterpret_cast<const std::byte*>(indices.data()),
          .count = indices.size(),
          .stride = sizeof(uint32_t),
          .width = 1,
          .component = GltfComponent::Uint32};
}

GltfElements DracoMesh::elements(const std::string& attribute, const GltfAccessor& accessor) const {
  return {.data = attributes.at(attribute).data(),
          .count = vertices,
          .stride = uint64_t{size_of(accessor.component)} * accessor.width,
          .width = accessor.width,
          .component = accessor.component,
          .normalized = accessor.normalized};
}

#ifdef VOX_HAS_DRACO

namespace {

using draco::PointAttribute;

// A flat surface may take as little as a byte for a vertex, for which the decoder needs about 200 bytes.
constexpr uint64_t kBytes = uint64_t{256} << 20, kBytesPerByte = 256;

std::vector<std::byte> values_of(const draco::Mesh& mesh, const DracoJob::Attribute& wanted) {
  const PointAttribute* attribute = mesh.GetAttributeByUniqueId(wanted.id);
  if (!attribute)
    throw Error(fmt::format("its Draco data have no attribute {} ({})", wanted.id, wanted.name));
  if (attribute->num_components() != wanted.width)
    throw Error(fmt::format("{} has {} components in its Draco data, {} in its accessor", wanted.name,
                            attribute->num_components(), wanted.width));
  std::vector<std::byte> bytes(size_t{mesh.num_points()} * wanted.width * size_of(wanted.component));
  with_component_type(wanted.component, [&]<class T>(T) {
    auto* to = reinterpret_cast<T*>(bytes.data());
    for (draco::PointIndex i(0); i < mesh.num_points(); ++i, to += wanted.width)
      if (!attribute->ConvertValue<T>(attribute->mapped_index(i), static_cast<int8_t>(wanted.width), to))
        throw Error(fmt::format("{} does not have the type of its accessor in its Draco data", wanted.name));
  });
  return bytes;
}

std::unique_ptr<draco::Mesh> decode(std::span<const std::byte> data) {
  draco::DecoderBuffer buffer;
  buffer.Init(reinterpret_cast<const char*>(data.data()), data.size());
  draco::Decoder decoder;
  auto mesh = decoder.DecodeMeshFromBuffer(&buffer);
  if (!mesh.ok())
    throw Error(fmt::format("its Draco data cannot be decoded: {}", mesh.status().error_msg_string()));
  return std::move(mesh).value();
}

// Runs in the child process. It writes an error message to the file, empty if there is none, then the mesh.
void decode_into(MemoryFile& file, const DracoJob& job) {
  std::string problem;
  DracoMesh result;
  try {
    std::unique_ptr<draco::Mesh> mesh = decode(job.data);
    for (draco::FaceIndex f(0); f < mesh->num_faces(); ++f)
      for (draco::PointIndex corner : mesh->face(f)) result.indices.push_back(corner.value());
    result.vertices = mesh->num_points();
    for (const DracoJob::Attribute& wanted : job.attributes)
      result.attributes[wanted.name] = values_of(*mesh, wanted);
  } catch (const std::bad_alloc&) {
    problem = "out of memory while decoding its Draco data";
  } catch (const std::exception& error) {
    problem = error.what();
  }
  file.write_list(problem);
  if (!problem.empty()) return;
  file.write_list(result.indices);
  file.write(std::as_bytes(std::span(&result.vertices, 1)));
  for (const DracoJob::Attribute& wanted : job.attributes) file.write_list(result.attributes[wanted.name]);
}

DracoMesh result_of(MemoryFile& file, const DracoJob& job) {
  std::string problem;
  file.read_list(problem);
  if (!problem.empty()) throw Error(fmt::format("{}: {}", job.place, problem)).hint("is the file damaged?");
  DracoMesh mesh;
  file.read_list(mesh.indices);
  file.read(std::as_writable_bytes(std::span(&mesh.vertices, 1)));
  for (const DracoJob::Attribute& wanted : job.attributes) {
    std::vector<std::byte>& bytes = mesh.attributes[wanted.name];
    file.read_list(bytes);
    if (mesh.vertices > bytes.size() ||
        bytes.size() != mesh.vertices * wanted.width * size_of(wanted.component))
      throw Error(fmt::format("{}: Draco's result is inconsistent", job.place));
  }
  return mesh;
}

}  // namespace

bool can_read_draco() {
  return true;
}

std::vector<DracoMesh> decode_draco(const std::vector<DracoJob>& jobs) {
  if (jobs.empty()) return {};
  uint64_t bytes = 0;
  for (const DracoJob& job : jobs) bytes += job.data.size();
  MemoryFile file;
  try {
    run_in_child_process({.seconds = 20 + 4 * (bytes >> 20), .bytes = kBytes + kBytesPerByte * bytes},
                         [&](ChildMemory&) {
                           for (const DracoJob& job : jobs) decode_into(file, job);
                         });
  } catch (const Cancelled&) {
    throw;
  } catch (const ChildTookTooMuch& error) {
    throw Error(fmt::format("decoding {} of Draco data {}, which no valid file needs", format_bytes(bytes),
                            error.what()))
        .hint("is the file damaged?");
  } catch (const Error& error) {
    throw Error(fmt::format("Draco {}", error.what())).hint("is the file damaged?");
  }
  file.rewind();
  std::vector<DracoMesh> meshes;
  for (const DracoJob& job : jobs) meshes.push_back(result_of(file, job));
  return meshes;
}

#else

bool can_read_draco() {
  return false;
}

std::vector<DracoMesh> decode_draco(const std::vector<DracoJob>& jobs) {
  if (jobs.empty()) return {};
  throw Error(fmt::format("{}: compressed by Draco, which this build does not support", jobs[0].place))
      .hint("build vox where libdraco is installed, or export without KHR_draco_mesh_compression");
}

#endif

}  // namespace vox
