// Objects of meshes are kept apart if that is asked for.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "formats/mesh/mesh.h"
#include "tests/formats/mesh/gltf_builder.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

class Objects : public testing::Test {
 protected:
  // Returns object and material of each triangle: "lid/wood".
  std::vector<std::string> objects_of(const std::string& file) const {
    const scene::Scene scene = read_mesh(folder_.path() / file, {.objects = MeshObjects::Apart});
    std::vector<std::string> names;
    for (const scene::Triangle& triangle : scene.triangles) {
      const scene::Material& material = scene.materials[triangle.material];
      names.push_back(material.object + "/" + material.name);
    }
    return names;
  }

  TestFolder folder_;
};

constexpr const char* kCorners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

TEST_F(Objects, OfAnObjFileFollowItsLines) {
  folder_.write(
      "a.obj", std::string(kCorners) +
                   "f 1 2 3\no lid top\nusemtl wood\nf 1 2 3\ng inner\nf 2 3 1\no box\nf 1 3 2\nusemtl iron\n"
                   "f 1 2 3\no lid top\nf 3 2 1\n");
  EXPECT_EQ(objects_of("a.obj"), (std::vector<std::string>{"a/default", "lid top/wood", "lid top/wood",
                                                           "box/wood", "box/iron", "lid top/iron"}));
  const scene::Scene joined = read_mesh(folder_.path() / "a.obj");
  EXPECT_EQ(joined.materials.size(), 3u);
  EXPECT_EQ(read_mesh(folder_.path() / "a.obj", {.objects = MeshObjects::Apart}).materials.size(), 5u);
}

TEST_F(Objects, OfAnObjFileWithGroupsAloneAreTheGroups) {
  folder_.write("a.obj", std::string(kCorners) + "g one\nf 1 2 3\ng two\nf 1 2 3\n");
  EXPECT_EQ(objects_of("a.obj"), (std::vector<std::string>{"one/default", "two/default"}));
}

TEST_F(Objects, OfAFileWithoutAnyAreTheFile) {
  folder_.write("plate.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
  EXPECT_EQ(objects_of("plate.off").at(0).substr(0, 6), "plate/");
}

TEST_F(Objects, OfAGltfFileAreNodesOrMeshesWithoutANodesName) {
  GltfBuilder builder;
  builder.add("meshes", R"({"name":"square","primitives":[)" + builder.square("0") + "]}");
  builder.add("nodes", R"({"mesh":0,"name":"left","children":[1]})");
  builder.add("nodes", R"({"mesh":0,"translation":[2,0,0]})");
  builder.add("materials", R"({"name":"paint"})");
  folder_.write("a.glb", builder.glb());
  EXPECT_EQ(objects_of("a.glb"),
            (std::vector<std::string>{"left/paint", "left/paint", "square/paint", "square/paint"}));
}

}  // namespace
}  // namespace vox
