#include "formats/images/palette_file.h"
#include "formats/io/output_file.h"
#include "formats/mesh/mesh_report.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

constexpr std::string_view kMaterialList = "vox materials 1";

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

// Reports on meshes are lists of the same kind, and may replace one another.
bool is_material_list_of_vox(std::string_view file) {
  const std::string_view head = file.substr(0, 100);
  return head.find(kMaterialList) != file.npos || head.find(kMeshReport) != file.npos;
}

}  // namespace vox
