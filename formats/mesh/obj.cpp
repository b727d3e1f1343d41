// The reader of OBJ (Wavefront, "Advanced Visualizer Manual", appendix B1).
#include "formats/io/text_file.h"
#include "formats/mesh/mesh.h"
#include "formats/mesh/obj_materials.h"
#include "formats/mesh/obj_parse.h"

namespace vox {
namespace {

ObjText read_text(const std::filesystem::path& path) {
  const TextFile file(path);
  return parse_obj(file.text(), path);
}

}  // namespace

scene::Scene read_obj(const std::filesystem::path& path, const MeshOptions& options) {
  ObjText obj = read_text(path);
  cut_concave_polygons(obj.scene, obj.polygons);
  add_obj_materials(obj, path, options);
  return std::move(obj.scene);
}

}  // namespace vox
