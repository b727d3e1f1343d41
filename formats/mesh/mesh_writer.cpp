#include "formats/mesh/mesh.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <string>
#include <vector>

#include "formats/file_types.h"
#include "formats/images/image.h"
#include "formats/io/output_file.h"
#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/progress.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

FileFormat format_of(const fs::path& path) {
  if (!is_written_mesh_path(path))
    throw Error(fmt::format("is not the name of a mesh format that vox writes, expected {}",
                            listed_extensions(FileRole::Mesh, FileUse::Written, FileList::Or)))
        .at(path.string());
  return file_type(path, FileRole::Mesh)->format;
}

}  // namespace

bool is_obj_of_vox(std::string_view file) {
  return file.starts_with('#') && file.substr(0, file.find('\n')).ends_with(kObjMark);
}

namespace {

constexpr std::string_view kIdBegin = "materials ";
constexpr size_t kIdDigits = 16;

}  // namespace

// FNV-1a. The length separates each text from the next one.
std::string id_of_materials(std::string_view mtl, std::span<const std::string> textures) {
  uint64_t id = 0xcbf29ce484222325;
  const auto add = [&](std::string_view text) {
    for (const char c : text) id = (id ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    id = mix64(id ^ text.size());
  };
  add(mtl);
  for (const std::string& texture : textures) add(texture);
  return fmt::format("{:0{}x}", id, kIdDigits);
}

std::string obj_first_line(const std::string& counts, const std::string& id) {
  return fmt::format("# {}; {}{}; {}\n", counts, kIdBegin, id, kObjMark);
}

std::string mtl_first_line(const std::string& id) {
  return fmt::format("# {}{}; {}\n", kIdBegin, id, kObjMark);
}

std::string_view materials_id(std::string_view file) {
  if (!is_obj_of_vox(file)) return "";
  const std::string_view line = file.substr(0, file.find('\n'));
  const size_t at = line.find(kIdBegin);
  return at == std::string_view::npos ? "" : line.substr(at + kIdBegin.size(), kIdDigits);
}

bool is_written_mesh_path(const fs::path& path) {
  const FileType* type = file_type(path, FileRole::Mesh);
  return type && type->use == FileUse::Both;
}

void write_mesh(const scene::Scene& scene, const fs::path& path) {
  format_of(path) == FileFormat::Obj ? write_obj(scene, path) : write_glb(scene, path);
}

std::vector<fs::path> mesh_files(const scene::Scene& scene, const fs::path& path) {
  if (format_of(path) == FileFormat::Obj) return obj_files(scene, path);
  return {path};
}

namespace {

// Writes line(out, i) for i in [0, count). Pieces are formatted in parallel and written in order.
template <class Line>
void write_lines(OutputFile& file, size_t count, const Line& line) {
  constexpr size_t kChunk = 1 << 14, kInFlight = 16;
  size_t next = 0;
  auto start = [&](tbb::flow_control& control) {
    if (next >= count) control.stop();
    throw_if_cancelled();
    size_t first = next;
    next += kChunk;
    return first;
  };
  auto format = [&](size_t first) {
    fmt::memory_buffer out;
    for (size_t i = first; i < std::min(first + kChunk, count); ++i) line(out, i);
    return fmt::to_string(out);
  };
  auto write = [&](const std::string& text) { file.write(text); };
  tbb::parallel_pipeline(kInFlight,
                         tbb::make_filter<void, size_t>(tbb::filter_mode::serial_in_order, start) &
                             tbb::make_filter<size_t, std::string>(tbb::filter_mode::parallel, format) &
                             tbb::make_filter<std::string, void>(tbb::filter_mode::serial_in_order, write));
}

void write_face(fmt::memory_buffer& buffer, const scene::Triangle& triangle) {
  auto out = std::back_inserter(buffer);
  buffer.push_back('f');
  for (size_t i = 0; i < 3; ++i) {
    fmt::format_to(out, FMT_COMPILE(" {}"), uint64_t{triangle.position[i]} + 1);
    if (triangle.texcoord[i] != scene::kNone)
      fmt::format_to(out, FMT_COMPILE("/{}"), uint64_t{triangle.texcoord[i]} + 1);
  }
  buffer.push_back('\n');
}

void write_geometry(OutputFile& file, const scene::Scene& scene) {
  write_lines(file, scene.positions.size(), [&](fmt::memory_buffer& out, size_t i) {
    const Vec3d& p = scene.positions[i];
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("v {} {} {}\n"), p.x, p.y, p.z);
  });
  write_lines(file, scene.texcoords.size(), [&](fmt::memory_buffer& out, size_t i) {
    const Vec2f& uv = scene.texcoords[i];  // 1 - v is exact in double
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("vt {} {}\n"), double{uv.x}, 1 - double{uv.y});
  });
  MaterialGroups groups(scene);
  for (uint32_t material = 0; material < scene.materials.size(); ++material) {
    std::span<const uint32_t> group = groups.of(material);
    if (group.empty()) continue;
    file.write(fmt::format("usemtl {}\n", scene.materials[material].name));
    write_lines(file, group.size(),
                [&](fmt::memory_buffer& out, size_t i) { write_face(out, scene.triangles[group[i]]); });
  }
}

// MTL colors are sRGB by convention.
double to_srgb(float linear) {
  double x = linear;
  double srgb = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
  return std::round(srgb * 1e6) / 1e6;
}

std::string material_text(const scene::Material& material, const std::vector<std::string>& image_files) {
  const auto& color = material.base_color;
  std::string text = fmt::format("newmtl {}\nKd {} {} {}\n", material.name, to_srgb(color[0]),
                                 to_srgb(color[1]), to_srgb(color[2]));
  if (color[3] < 1) text += fmt::format("d {}\n", color[3]);
  if (material.image == scene::kNone) return text + '\n';
  const char* clamp = material.wrap_u == scene::Wrap::Clamp ? "-clamp on " : "";
  const std::string& file = image_files[material.image];
  text += fmt::format("map_Kd {}{}\n", clamp, file);
  if (material.alpha_cutoff > 0) text += fmt::format("map_d {}{}\n", clamp, file);
  return text + '\n';
}

// Returns names STEM_NAME.png, in which characters that are awkward in a file name are replaced, with a
// number if the name is taken.
std::vector<std::string> name_images(const std::vector<scene::Image>& images, const std::string& stem) {
  std::vector<std::string> names;
  for (const scene::Image& image : images) {
    std::string plain = fs::path(image.name).stem().string();
    std::ranges::replace_if(
        plain, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
    std::string name = fmt::format("{}_{}.png", stem, plain);
    for (int i = 2; std::ranges::count(names, name) > 0; ++i)
      name = fmt::format("{}_{}_{}.png", stem, plain, i);
    names.push_back(name);
  }
  return names;
}

}  // namespace

std::vector<fs::path> obj_files(const scene::Scene& scene, const fs::path& path) {
  std::vector<fs::path> files = {path, fs::path(path).replace_extension(".mtl")};
  for (const std::string& name : name_images(scene.images, path.stem().string()))
    files.push_back(path.parent_path() / name);
  return files;
}

void write_obj(const scene::Scene& scene, const fs::path& path) {
  std::string stem = path.stem().string();
  std::vector<std::string> image_files = name_images(scene.images, stem);
  std::list<OutputFile> files;  // the OBJ file comes last, so that it never names a missing file
  std::vector<std::string> pngs = encode_png(scene.images);
  std::string materials;
  for (const scene::Material& material : scene.materials) materials += material_text(material, image_files);
  const std::string id = id_of_materials(materials, pngs);
  for (size_t i = 0; i < pngs.size(); ++i)
    files.emplace_back(path.parent_path() / image_files[i], Writers::One)
        .write(with_texts(std::move(pngs[i]), {{kSoftwareKey, kSoftware}}));

  OutputFile& mtl = files.emplace_back(fs::path(path).replace_extension(".mtl"), Writers::One);
  mtl.write(mtl_first_line(id));
  mtl.write(materials);

  OutputFile& obj = files.emplace_back(path, Writers::One);
  obj.write(obj_first_line(
      fmt::format("{} triangles, {} vertices", scene.triangles.size(), scene.positions.size()), id));
  obj.write(fmt::format("mtllib {}.mtl\n", stem));
  write_geometry(obj, scene);

  OutputFile::commit_together(files);
}

}  // namespace vox
