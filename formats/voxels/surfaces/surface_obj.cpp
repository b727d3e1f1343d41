#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>

#include "formats/voxels/export_file.h"
#include "formats/voxels/surfaces/surface.h"
#include "formats/voxels/surfaces/surface_files.h"

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
      const bool is_taken = std::ranges::count(names_, word) > 0;
      names_[value] = is_taken ? fmt::format("{}_{}", word, value - 1) : word;
    }
  }
  const std::string& operator[](uint8_t value) const { return names_[value]; }

 private:
  std::array<std::string, FaceFinder::kValues> names_;
};

// By convention, MTL colours are sRGB.
std::string mtl_text(const dag::VoxelScene& scene, const Surface& surface, const ObjNames& names) {
  const auto channel = [](uint8_t code) { return std::round(code / 255. * 1e6) / 1e6; };
  std::string text = "# made by vox\n";
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
        texts_[axis][static_cast<size_t>(i)] = coordinate_text(place[axis], scene.voxel_size);
    }
  }
  const std::string& of(const Int3& at, uint32_t axis) const {
    return texts_[axis][static_cast<size_t>(at[axis] - corner_[axis])];
  }

 private:
  Int3 corner_;
  std::array<std::array<std::string, BorderedCube::kSide + 1>, 3> texts_;
};

std::vector<uint8_t> obj_lines(const dag::VoxelScene& scene, const SurfacePart& part,
                               const SurfaceMesh& mesh) {
  const CoordinateTexts texts(scene, part.corner);
  fmt::memory_buffer lines;
  const auto put = [&](std::string_view text) { lines.append(text); };
  for (const Int3& at : mesh.vertices) {
    put("v");
    for (uint32_t axis = 0; axis < 3; ++axis) put(" "), put(texts.of(at, axis));
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
                       const std::optional<VoxelBox>& clip) {
  const Surface surface(scene, export_region(scene, clip, path), path);
  const ObjNames names(scene);
  ExportFile materials(std::filesystem::path(path).replace_extension(".mtl"), 0);
  materials.write(mtl_text(scene, surface, names));

  ExportFile file(path, (surface.vertices() + surface.quads()) * kLeastLineBytes);
  file.write(fmt::format("# {} faces, {} vertices; made by vox\nmtllib {}.mtl\n", surface.quads(),
                         surface.vertices(), path.stem().string()));
  for (uint8_t value = 1; value < FaceFinder::kValues; ++value) {
    const auto parts = surface.parts_of(value);
    if (parts.empty()) continue;
    file.write(fmt::format("usemtl {}\n", names[value]));
    file.write_pieces(parts.size(),
                      [&](uint64_t i) { return obj_lines(scene, parts[i], surface.mesh(parts[i])); });
  }
  AtomicFile* const both[] = {&materials.file(), &file.file()};
  commit_together(both);
}

}  // namespace vox
