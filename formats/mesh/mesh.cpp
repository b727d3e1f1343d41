#include "formats/mesh/mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <assimp/Importer.hpp>
#include <cmath>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "formats/file_types.h"
#include "formats/images/image.h"
#include "formats/io/output_file.h"
#include "formats/io/read_file.h"
#include "libvox/base/error.h"
#include "libvox/base/json.h"
#include "libvox/base/log.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/voxelize/grid.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

using SceneReader = scene::Scene (*)(const fs::path&, const MeshOptions&);

void check_file(const fs::path& path) {
  std::error_code failed;
  if (!fs::exists(path, failed)) throw Error(failed ? failed.message() : "no such file");
  if (fs::is_directory(path, failed)) throw Error("is a directory");
  check_input(path);
}

SceneReader reader_of(FileFormat format) {
  switch (format) {
    case FileFormat::Obj:
      return read_obj;
    case FileFormat::Gltf:
      return read_gltf;
    case FileFormat::Ply:
      return read_ply;
    case FileFormat::Stl:
      return read_stl;
    case FileFormat::Off:
      return read_off;
    default:
      return read_assimp;
  }
}

SceneReader reader_by_extension(const fs::path& path) {
  if (const FileType* type = file_type(path, FileRole::Mesh)) return reader_of(type->format);
  const std::string extension = path.extension().string();
  if (extension.size() > 1 && Assimp::Importer().IsExtensionSupported(extension)) return read_assimp;
  return nullptr;
}

// Chooses the reader for a file whose name does not tell its format.
SceneReader reader_by_content(const fs::path& path) {
  const std::string start = first_bytes(path, 16);
  if (start.starts_with("\x89HDF")) throw Error("this is an HDF5 file, such as a scene file, not a mesh");
  if (start.starts_with("ply\n") || start.starts_with("ply\r")) return read_ply;
  if (start.starts_with("solid ")) return read_stl;
  if (start.starts_with("OFF") || start.starts_with("COFF") || start.starts_with("NOFF")) return read_off;
  if (start.starts_with("glTF")) return read_gltf;
  throw Error("not a supported mesh file")
      .hint(fmt::format(
          "supported: {}, and other formats that Assimp reads; volumes, points and voxels of other "
          "programs are known by their extensions",
          listed_names(FileRole::Mesh, FileUse::Read, FileList::Commas)));
}

constexpr double kWidest = 1e15;
constexpr double kSmallest = 1e-30;  // 4-byte integers that are read as floats are smaller than this

struct CoordinateRange {
  double least = std::numeric_limits<double>::infinity(), most = -least;

  void add(double value) {
    if (!std::isfinite(value)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

// Warns if a scene is wider than 1e15, or if all coordinates are below 1e-30, as when bytes were interpreted as the wrong
// type. `path` is for the message.
void warn_of_implausible(const scene::Scene& scene, const std::filesystem::path& path) {
  CoordinateRange x, y, z;
  for (const scene::Triangle& triangle : scene.triangles)
    for (const uint32_t index : triangle.position) {
      x.add(scene.positions[index].x);
      y.add(scene.positions[index].y);
      z.add(scene.positions[index].z);
    }
  double widest = 0, largest = 0;
  for (const CoordinateRange& range : {x, y, z}) {
    widest = std::max(widest, range.most - range.least);
    largest = std::max({largest, range.most, -range.least});
  }
  if (widest > kWidest) {
    log_warning("{}: the scene is {:.3g} wide: is the file damaged, or its header wrong?", path.string(),
                widest);
  } else if (largest > 0 && largest < kSmallest) {
    log_warning("{}: no coordinate is larger than {:.3g}: is the file damaged, or its header wrong?",
                path.string(), largest);
  }
}

}  // namespace

bool is_mesh_path(const fs::path& path) {
  return reader_by_extension(path) != nullptr;
}

scene::Scene read_mesh(const fs::path& path, const MeshOptions& options) {
  SceneReader reader = nullptr;
  refuse_foreign(path);
  try {
    check_file(path);
    reader = reader_by_extension(path);
    if (!reader) reader = reader_by_content(path);
  } catch (Error& error) {
    throw error.at(path.string());
  }
  scene::Scene scene;
  try {
    scene = reader(path, options);
  } catch (const std::bad_alloc&) {
    throw Error("out of memory while reading the file").at(path.string());
  }
  if (options.meters_per_unit > 0) {
    for (Vec3d& position : scene.positions) position = position * options.meters_per_unit;
    scene.unit = scene::LengthUnit::Meter;
  }
  if (options.objects == MeshObjects::Apart)
    for (scene::Material& material : scene.materials)
      if (material.object.empty()) material.object = path.stem().string();
  warn_of_implausible(scene, path);
  voxelize::turn_up(scene, options.up.value_or(dag::UpAxis::Y));
  return scene;
}

MeshFiles read_meshes(std::span<const fs::path> paths, const MeshOptions& options) {
  MeshFiles meshes;
  for (const fs::path& path : paths) {
    log_debug("reading {}", path.string());
    scene::Scene scene = read_mesh(path, options);
    if (meshes.scene.triangles.empty() && meshes.scene.positions.empty()) {
      meshes.scene = std::move(scene);
    } else {
      scene::append_scene(meshes.scene, std::move(scene));
    }
    throw_if_cancelled();
  }
  meshes.dropped = scene::drop_bad_triangles(meshes.scene);
  const auto& [not_finite, degenerate] = meshes.dropped;
  if (not_finite > 0)
    log_warning("dropped {} triangles with coordinates that are not finite", format_count(not_finite));
  if (degenerate > 0) log_warning("dropped {} triangles without area", format_count(degenerate));
  if (meshes.scene.triangles.empty()) throw Error("no triangles to convert").at(paths[0].string());
  return meshes;
}

namespace {

constexpr std::string_view kRead[] = {"KHR_draco_mesh_compression",
                                      "EXT_meshopt_compression",
                                      "KHR_mesh_quantization",
                                      "EXT_mesh_gpu_instancing",
                                      "KHR_texture_transform",
                                      "EXT_texture_webp",
                                      "KHR_materials_emissive_strength",
                                      "KHR_materials_pbrSpecularGlossiness",
                                      "KHR_materials_unlit"};

// Extensions that change neither the surface nor its base color and emission. They describe reflection,
// light sources, movement, and alternative materials.
constexpr std::string_view kWithoutEffect[] = {
    "KHR_materials_anisotropy", "KHR_materials_clearcoat", "KHR_materials_diffuse_transmission",
    "KHR_materials_dispersion", "KHR_materials_ior",       "KHR_materials_iridescence",
    "KHR_materials_sheen",      "KHR_materials_specular",  "KHR_materials_transmission",
    "KHR_materials_variants",   "KHR_materials_volume",    "KHR_lights_punctual",
    "EXT_lights_image_based",   "KHR_animation_pointer",   "KHR_xmp_json_ld"};

struct OptionalLibrary {
  std::string_view name, extension;  // the extension that needs the library
  bool there;
};

std::optional<std::string_view> missing_library(std::string_view extension) {
  for (const OptionalLibrary& library :
       {OptionalLibrary{"Draco", "KHR_draco_mesh_compression", can_read_draco()},
        OptionalLibrary{"meshoptimizer", "EXT_meshopt_compression", can_read_meshopt()},
        OptionalLibrary{"libwebp", "EXT_texture_webp", can_read_webp()}})
    if (library.extension == extension && !library.there) return library.name;
  return std::nullopt;
}

bool holds(const auto& list, std::string_view name) {
  return std::ranges::find(list, name) != std::end(list);
}

}  // namespace

void check_gltf_extensions(const std::vector<std::string>& required) {
  for (const std::string& name : required) {
    if (auto library = missing_library(name))
      throw Error(fmt::format("the file needs {}, but this build was made without {}", name, *library))
          .hint("build vox where that library is installed, or export without the extension");
    if (holds(kRead, name) || holds(kWithoutEffect, name)) continue;
    Error error(fmt::format("the file needs the extension {}, which is not supported", name));
    error.hint(name == "KHR_texture_basisu" ? "convert its KTX2 textures to PNG, JPEG or WebP"
                                            : "export it without that extension");
    throw error;
  }
}

namespace {

constexpr std::array<const char*, voxelize::kMeshFaults> kFaultNames = {"open_edges", "non_manifold_edges",
                                                                        "turned_triangles", "crossings"};

void set_object(Json& entry, const voxelize::ObjectFaults& object) {
  entry.set("name", object.name).set("triangles", object.triangles);
  for (size_t kind = 0; kind < kFaultNames.size(); ++kind) entry.set(kFaultNames[kind], object.counts[kind]);
  Json& places = entry.object("places");
  for (size_t kind = 0; kind < kFaultNames.size(); ++kind) {
    Json& list = places.array(kFaultNames[kind]);
    for (const voxelize::FaultPlace& place : object.places[kind]) {
      Json& at = list.append();
      at.set("x", place.at.x).set("y", place.at.y).set("z", place.at.z).set("triangle", place.triangle);
      if (place.other != scene::kNone) at.set("other", place.other);
    }
  }
}

bool has_faults(const voxelize::ObjectFaults& object) {
  return std::ranges::any_of(object.counts, [](uint64_t count) { return count > 0; });
}

}  // namespace

std::string mesh_report_text(const voxelize::MeshFaults& faults, scene::LengthUnit unit) {
  Json report;
  report.set("format", kMeshReport).set("unit", scene::unit_name(unit));
  for (size_t kind = 0; kind < kFaultNames.size(); ++kind)
    report.set(kFaultNames[kind], faults.count(static_cast<voxelize::MeshFault>(kind)));
  report.set("objects", faults.objects.size())
      .set("objects_at_fault", std::ranges::count_if(faults.objects, has_faults));
  Json& list = report.array("faults");
  size_t listed = 0;
  for (const voxelize::ObjectFaults& object : faults.objects)
    if (has_faults(object) && listed++ < kMostReportedObjects) set_object(list.append(), object);
  return report.text();
}

void write_mesh_report(const std::filesystem::path& path, const voxelize::MeshFaults& faults,
                       scene::LengthUnit unit) {
  OutputFile file(path);
  file.write(mesh_report_text(faults, unit) + "\n");
  file.commit();
}

std::string faults_text(const voxelize::MeshFaults& faults) {
  using voxelize::MeshFault;
  return fmt::format(
      "{}, {} of more than two triangles, {} that face the other way than their neighbors, and {} of "
      "triangles",
      format_count(faults.count(MeshFault::OpenEdge), "open edge"),
      format_count(faults.count(MeshFault::NonManifoldEdge), "edge"),
      format_count(faults.count(MeshFault::TurnedTriangle), "triangle"),
      format_count(faults.count(MeshFault::Crossing), "crossing"));
}

}  // namespace vox
