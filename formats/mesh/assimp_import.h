// Reads mesh files with Assimp, without loading their images.
#pragma once

#include <assimp/scene.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "formats/io/child_process.h"
#include "formats/mesh/mesh.h"
#include "libvox/scene/scene.h"

namespace vox {

// Maps Assimp's texture coordinates, with v up for every format, to the sampled ones, with v down.
struct UvMap {
  uint32_t channel = 0;  // index into aiMesh::mTextureCoords
  double u_u = 1, u_v = 0, u_0 = 0;
  double v_u = 0, v_v = 1, v_0 = 0;

  Vec2f operator()(const aiVector3D& uv) const {
    double u = uv.x, v = 1 - uv.y;
    return {static_cast<float>(u_u * u + u_v * v + u_0), static_cast<float>(v_u * u + v_v * v + v_0)};
  }
};

// The source of an image's pixels: the name of a file, the bytes of a file, or decoded pixels.
struct ImageSource {
  std::string name;
  std::vector<std::byte> file;
  scene::Image image;
};

// Converts the materials that are used, in order of their first use.
class AssimpMaterials {
 public:
  struct Use {
    scene::Material material;  // its image is an index into images()
    UvMap uv;
  };

  explicit AssimpMaterials(const aiScene& scene);

  // Returns the index into uses() of one of Assimp's materials.
  uint32_t use(uint32_t assimp_material);

  const std::vector<Use>& uses() const { return uses_; }
  std::vector<ImageSource> take_images() { return std::move(images_); }

 private:
  Use read(const aiMaterial& source);
  uint32_t add_image(const std::string& name);

  const aiScene& scene_;
  std::vector<uint32_t> index_;  // index into uses() of each of Assimp's materials, kNone until it is used
  std::vector<Use> uses_;
  std::vector<ImageSource> images_;
  std::map<std::string, uint32_t> image_of_name_;
};

// True if a texture replaces the color, which is then only a default. This is so in formats of
// modeling programs; in MTL the two are multiplied.
bool texture_replaces_color(const aiScene& scene);

struct ImportedScene {
  scene::Scene scene;  // without images; the materials' images are indices into `images`
  std::vector<ImageSource> images;
  bool texture_replaces_color = false;  // if false, the texture multiplies it
};

// Throws Error. For a damaged file Assimp may also crash, hang, or ask for any amount of memory, so only a
// child process may call this. The child's memory limit holds while Assimp reads and is lifted afterwards,
// because meshes may be placed any number of times.
ImportedScene import_with_assimp(const std::filesystem::path& path, const MeshOptions& options,
                                 ChildMemory& memory);

// Returns the text of a COLLADA file without the parts that Assimp cannot handle: comments, the declaration (the
// encoding that it names is not that of the result), and blanks around the contents of an element ("<color> 1 0 0 1
// </color>"), which have no meaning in COLLADA. `xml` is the file's text as TextFile returns it. If the declaration
// names ISO 8859-1, the text is converted to UTF-8.
std::string plain_collada(std::string_view xml);

// The axes and the unit of a file that Assimp has read decide the place of its coordinates in the world.

using AssimpMatrix = aiMatrix4x4t<double>;

// Returns the transformation of the root node. It is Assimp's except for COLLADA, which Assimp scales by a
// float, and FBX, which Assimp does not transform. For these two it rotates the file's up axis to y unless
// the user names an axis, and converts the file's units to meters unless they are kept. Throws Error if the
// file contradicts itself.
AssimpMatrix root_transform(const aiScene& scene, const MeshOptions& options);

// Returns the unit of the coordinates that this transformation gives.
scene::LengthUnit unit_of(const aiScene& scene, const MeshOptions& options);

}  // namespace vox
