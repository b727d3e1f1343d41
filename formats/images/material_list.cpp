#include <fmt/format.h>
#include <simdjson.h>

#include <cmath>
#include <string>

#include "formats/images/palette_file.h"
#include "formats/io/output_file.h"
#include "formats/io/read_file.h"
#include "formats/mesh/gltf_json.h"
#include "formats/mesh/mesh_report.h"
#include "formats/script/script_parts.h"
#include "libvox/base/error.h"
#include "libvox/scene/oklab.h"

namespace vox {
namespace {

constexpr std::string_view kMaterialList = "vox materials 1";

// Returns the sRGB color of CIELAB under D50 (ISO 13655), adapted to D65 by Bradford's matrix.
scene::Rgb8 color_of_lab(const std::array<double, 3>& lab) {
  const double y = (lab[0] + 16) / 116, x = y + lab[1] / 500, z = y - lab[2] / 200;
  const auto part = [](double root) {
    return root > 6. / 29 ? root * root * root : 108. / 841 * (root - 4. / 29);
  };
  const Vec3d xyz = {0.96422 * part(x), part(y), 0.82521 * part(z)};
  return scene::linear_to_srgb({dot(xyz, Vec3d{3.1338561, -1.6168667, -0.4906146}),
                                dot(xyz, Vec3d{-0.9787684, 1.9161415, 0.0334540}),
                                dot(xyz, Vec3d{0.0719453, -0.2289914, 1.4052427})});
}

scene::Rgb8 color_of(const GltfObject& material) {
  const bool is_measured = material.has("lab");
  if (is_measured == material.has("color")) throw Error("expected one of 'color' and 'lab'");
  if (is_measured) {
    const auto lab = material.numbers_or<3>("lab", {});
    if (!(lab[0] >= 0 && lab[0] <= 100 && std::abs(lab[1]) <= 200 && std::abs(lab[2]) <= 200))
      throw Error("'lab' is not a color of CIELAB, with L from 0 to 100");
    return color_of_lab(lab);
  }
  const std::string text = material.text_or("color", "");
  const std::optional<scene::Rgb8> color = parse_hex_color(text);
  if (!color) throw Error(fmt::format("'{}' is not a color, expected #rrggbb", text));
  return *color;
}

scene::Palette palette_of_list(simdjson::dom::object root) {
  scene::Palette palette;
  GltfObject(root).each("materials", [&](const GltfObject& material) {
    if (palette.count == scene::kPaletteSize)
      throw Error(fmt::format("a palette holds at most {} materials", scene::kPaletteSize));
    if (material.whole_or("number", palette.count) != palette.count)
      throw Error(fmt::format("'number' is not {}, the place in the list", palette.count));
    palette.colors[palette.count] = color_of(material);
    palette.names[palette.count] = material.text_or("name", scene::hex_name(palette.colors[palette.count]));
    ++palette.count;
  });
  return palette;
}

}  // namespace

void set_materials(Json& facts, const dag::VoxelScene& scene) {
  Json& materials = facts.array("materials");
  for (uint32_t number = 0; number < scene.palette.count; ++number) {
    Json& entry = materials.append();
    entry.set("number", number)
        .set("name", scene.palette.names[number])
        .set("color", scene::hex_name(scene.palette.colors[number]))
        .set("share", scene.shares[number]);
    if (scene.palette.members.empty()) continue;
    Json& members = entry.array("stands_for");
    for (const scene::NamedEntry& member : scene.palette.members)
      if (member.entry == number) members.set("", member.name);
  }
}

void write_material_list(const std::filesystem::path& path, const dag::VoxelScene& scene) {
  if (scene.palette.count == 0)
    throw Error("cannot be written: the scene has no materials").at(path.string());
  Json facts;
  facts.set("format", kMaterialList);
  set_materials(facts, scene);
  OutputFile file(path);
  file.write(facts.text() + "\n");
  file.commit();
}

scene::Palette read_material_list(const std::filesystem::path& path) {
  const MappedFile file(path);
  simdjson::dom::parser parser;
  simdjson::dom::object root;
  const auto* const text = reinterpret_cast<const char*>(file.bytes().data());
  try {
    if (const auto problem = parser.parse(text, file.bytes().size()).get(root); problem != simdjson::SUCCESS)
      throw Error(fmt::format("is not a JSON object: {}", simdjson::error_message(problem)));
    return palette_of_list(root);
  } catch (Error& error) {
    throw error.at(path.string());
  }
}

// Reports on meshes are lists of the same kind, and may replace one another.
bool is_material_list_of_vox(std::string_view file) {
  const std::string_view head = file.substr(0, 100);
  return head.find(kMaterialList) != file.npos || head.find(kMeshReport) != file.npos;
}

}  // namespace vox
