// The reader of glTF 2.0 (Khronos Group, ISO/IEC 12113:2022), .gltf and .glb.
#include <new>

#include "formats/mesh/gltf_container.h"
#include "formats/mesh/gltf_document.h"
#include "formats/mesh/gltf_scene.h"
#include "formats/mesh/mesh.h"
#include "libvox/base/error.h"

namespace vox {

scene::Scene read_gltf(const std::filesystem::path& path, const MeshOptions& options) try {
  GltfContainer file(path);
  return gltf_scene(parse_gltf(file.json()), path, options, file.binary());
} catch (const OldGltf&) {
  return read_assimp(path, options);
} catch (const Cancelled&) {
  throw;
} catch (Error& error) {
  throw error.at(path.string());
} catch (const std::bad_alloc&) {
  throw Error("out of memory while reading the file").at(path.string());
}

}  // namespace vox
