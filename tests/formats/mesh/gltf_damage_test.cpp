#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "formats/mesh/gltf_extensions.h"
#include "formats/mesh/mesh.h"
#include "libvox/base/error.h"
#include "tests/formats/mesh/compressed_gltf.h"
#include "tests/formats/mesh/mesh_checks.h"
#include "tests/formats/scene/scene_checks.h"

namespace vox {
namespace {

// Returns a GLB with many of the features that a file can have.
std::string rich_glb() {
  GltfBuilder gltf;
  gltf.add_texture(png(2, 1, {{255, 0, 0, 255}, {0, 255, 0, 255}}));
  gltf.add_texture(png(1, 1, {{9, 9, 9, 255}}));
  gltf.add("samplers", R"({"wrapS":33071,"wrapT":33648})");
  gltf.add("materials",
           R"({"alphaMode":"MASK","pbrMetallicRoughness":{"baseColorTexture":{"index":0,"extensions":
      {"KHR_texture_transform":{"offset":[0.1,0.2],"rotation":1,"scale":[2,3]}}}}})");
  gltf.add("materials", R"({"emissiveFactor":[1,0.5,0],"emissiveTexture":{"index":1}})");
  uint32_t color = gltf.floats("VEC4", std::vector<float>(16, 0.5f));
  uint32_t joints =
      gltf.add_accessor(fmt::format(R"({{"bufferView":{},"componentType":5121,"type":"VEC4","count":4}})",
                                    gltf.view("\0\1\0\0\0\1\0\0\0\1\0\0\0\1\0\0", 16)));
  uint32_t weights = gltf.floats("VEC4", {1, 0, 0, 0, 0.5f, 0.5f, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0});
  uint32_t offsets = gltf.floats("VEC3", {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1});
  std::string square = gltf.square(
      "0", fmt::format(",\"COLOR_0\":{},\"JOINTS_0\":{},\"WEIGHTS_0\":{}", color, joints, weights));
  square.insert(square.size() - 1, fmt::format(R"(,"targets":[{{"POSITION":{}}}])", offsets));
  gltf.add("meshes", fmt::format(R"({{"primitives":[{},{}],"weights":[0.5]}})", square, gltf.square("1")));
  uint32_t translation = gltf.floats("VEC3", {0, 0, 0, 10, 0, 0});
  gltf.add("nodes", R"({"mesh":0,"skin":0})");
  gltf.add("nodes", fmt::format(R"({{"mesh":0,"children":[2],"rotation":[0,0,0.6,0.8],"extensions":
      {{"EXT_mesh_gpu_instancing":{{"attributes":{{"TRANSLATION":{}}}}}}}}})",
                                translation));
  gltf.add("nodes", R"({"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,3,0,0,1]})");
  gltf.add("skins", R"({"joints":[1,2]})");
  uint32_t sparse = gltf.view("\1\0\2\0", 4), values = gltf.view(std::string(24, '\1').data(), 24);
  uint32_t position = gltf.add_accessor(fmt::format(
      R"({{"componentType":5126,"type":"VEC3","count":4,"sparse":{{"count":2,"indices":{{"bufferView":{},)"
      R"("componentType":5123}},"values":{{"bufferView":{}}}}}}})",
      sparse, values));
  gltf.add("meshes",
           fmt::format(R"({{"primitives":[{{"attributes":{{"POSITION":{}}},"mode":5}}]}})", position));
  gltf.add("nodes", R"({"mesh":1})");
  return gltf.glb("0,1,3");
}

TEST(GltfDamage, TheFileIsRightBeforeItIsDamaged) {
  TestFolder folder;
  QuietLog quiet;
  EXPECT_EQ(read_gltf(folder.write("good.glb", rich_glb())).triangles.size(), 14u);
}

TEST(GltfDamage, FlippedBytesGiveAnErrorOrASoundScene) {
  TestFolder folder;
  expect_flips_to_be_harmless(rich_glb(), folder.path() / "bad.glb", read_gltf, 3000);
}

TEST(GltfDamage, FlippedBytesOfCompressedFilesGiveAnErrorOrASoundScene) {
  TestFolder folder;
  TestGrid grid = make_grid(8);
  if (can_read_meshopt()) {
    for (const char* mode : {"TRIANGLES", "INDICES"})
      expect_flips_to_be_harmless(meshopt_glb(grid, mode, 4), folder.path() / "meshopt.glb", read_gltf, 1000);
    expect_flips_to_be_harmless(meshopt_exponential_glb(grid), folder.path() / "filter.glb", read_gltf, 300);
    expect_flips_to_be_harmless(meshopt_quaternion_glb({{0, 0, 0, 1}, {0, 1, 0, 0}}),
                                folder.path() / "quaternion.glb", read_gltf, 300);
  }
  if (can_read_draco())  // each file is decoded in a process of its own
    expect_flips_to_be_harmless(draco_glb(grid, ""), folder.path() / "draco.glb", read_gltf, 150);
}

TEST(GltfDamage, NumbersOfTheJsonMayBeAny) {
  const std::string good = rich_glb();
  size_t json_end = good.find("BIN");
  std::mt19937 random(2);
  TestFolder folder;
  QuietLog quiet;
  const std::vector<std::string> numbers = {
      "0",   "-1",   "7",     "255", "65536", "4294967295", "4294967296", "1e308", "18446744073709551615",
      "0.5", "null", "\"x\"", "[]",  "{}",    "true"};
  for (int round = 0; round < 1500; ++round) {
    size_t at = random() % json_end;
    at = good.find_first_of("0123456789", std::max<size_t>(at, 20));
    if (at >= json_end) continue;
    size_t end = good.find_first_not_of("0123456789.", at);
    std::string json =
        good.substr(20, at - 20) + numbers[random() % numbers.size()] + good.substr(end, json_end - 4 - end);
    auto word = [](size_t value) {
      std::string bytes;
      for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> 8 * i);
      return bytes;
    };
    std::string rest = good.substr(json_end - 4);
    std::string bad =
        "glTF" + word(2) + word(20 + json.size() + rest.size()) + word(json.size()) + "JSON" + json + rest;
    try {
      EXPECT_TRUE(is_sound(read_gltf(folder.write("bad.glb", bad)))) << json;
    } catch (const Error&) {
    }
  }
}

TEST(GltfDamage, TruncatedFilesAreAnErrorWhereverTheyEnd) {
  TestFolder folder;
  const std::string good = rich_glb();
  for (size_t size = 1; size < good.size(); size += 13) {
    std::filesystem::path path = folder.write("cut.glb", good.substr(0, size));
    EXPECT_THROW(read_gltf(path), Error) << size << " of " << good.size();
  }
}

}  // namespace
}  // namespace vox
