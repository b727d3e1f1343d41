#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "formats/mesh/mesh.h"
#include "libvox/base/error.h"
#include "tests/formats/mesh/gltf_builder.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

// Returns the message about a file, without the file's name.
std::string message_of(const TestFolder& folder, const std::string& content) {
  std::filesystem::path path = folder.write("a.gltf", content);
  try {
    read_gltf(path);
  } catch (const Error& error) {
    std::string text = error.what(), start = path.string() + ": ";
    EXPECT_TRUE(text.starts_with(start)) << text;
    return text.substr(std::min(text.size(), start.size()));
  }
  return "";
}

// A file of one triangle in which each test changes one thing.
class GltfErrors : public testing::Test {
 protected:
  GltfErrors() {
    uint32_t position = gltf_.floats("VEC3", {0, 0, 0, 1, 0, 0, 1, 1, 0});
    gltf_.add("meshes", fmt::format(R"({{"primitives":[{{"attributes":{{"POSITION":{}}},"indices":{}}}]}})",
                                    position, gltf_.indices({0, 1, 2})));
    gltf_.add("nodes", R"({"mesh":0})");
    folder_.write("a.bin", gltf_.bin());
  }

  std::string with(const std::string& from, const std::string& to) const {
    std::string text = gltf_.json("a.bin");
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return message_of(folder_, text.replace(at, from.size(), to));
  }

  TestFolder folder_;
  GltfBuilder gltf_;
};

TEST_F(GltfErrors, TheFileIsRightBeforeItIsChanged) {
  EXPECT_EQ(with("}", "}"), "");
}

TEST_F(GltfErrors, AnIndexOutOfRangeNamesThePrimitive) {
  folder_.write("a.bin", gltf_.bin().substr(0, 36) + std::string("\0\0\1\0\3\0\0\0", 8));
  EXPECT_EQ(with("}", "}"),
            "meshes[0].primitives[0]: its indices refer to vertex 3, but it has 3 (is the file damaged?)");
}

TEST_F(GltfErrors, WhatReachesBeyondItsPlaceIsNamed) {
  EXPECT_EQ(
      with(R"("count":3)", R"("count":4)"),
      "meshes[0].primitives[0]: POSITION: accessors[0]: 4 elements of 12 bytes, 12 apart from byte 0 on, do "
      "not fit into the 36 bytes of its buffer view");
  EXPECT_EQ(with(R"("count":3)", R"("count":3,"byteOffset":18446744073709551604)"),
            "meshes[0].primitives[0]: POSITION: accessors[0]: 3 elements of 12 bytes, 12 apart from byte "
            "18446744073709551604 on, do not fit into the 36 bytes of its buffer view");
  EXPECT_EQ(
      with(R"("count":3)", R"("count":1537228672809129302)"),  // times 12 is 8, modulo 2^64
      "meshes[0].primitives[0]: POSITION: accessors[0]: 1537228672809129302 elements of 12 bytes, 12 apart "
      "from byte 0 on, do not fit into the 36 bytes of its buffer view");
  EXPECT_EQ(with(R"("byteLength":36)", R"("byteLength":45)"),
            "meshes[0].primitives[0]: POSITION: accessors[0]: bufferViews[0]: 45 bytes from byte 0 on, but "
            "buffers[0] has only 44");
  EXPECT_EQ(
      with(R"("byteLength":44)", R"("byteLength":48)"),
      "meshes[0].primitives[0]: POSITION: accessors[0]: bufferViews[0]: buffers[0]: 'byteLength' is 48, but "
      "there are only 44 bytes (is the file truncated?)");
  EXPECT_EQ(
      with(R"("uri":"a.bin",)", R"("uri":"b.bin",)"),
      "meshes[0].primitives[0]: POSITION: accessors[0]: bufferViews[0]: buffers[0]: 'b.bin' not found (it "
      "belongs beside the glTF file)");
}

TEST_F(GltfErrors, IndicesOfTheJsonThatNameNothingAreNamed) {
  EXPECT_EQ(with(R"({"mesh":0})", R"({"mesh":7})"), "nodes[0]: refers to meshes[7], but there are 1");
  EXPECT_EQ(with(R"("POSITION":0)", R"("POSITION":9)"),
            "meshes[0].primitives[0]: POSITION: refers to accessors[9], but there are 2");
  EXPECT_EQ(with(R"("indices":1)", R"("indices":1,"material":3)"),
            "meshes[0].primitives[0]: refers to materials[3], but there are 0");
  EXPECT_EQ(with(R"("nodes":[0])", R"("nodes":[1])"), "scenes[0]: refers to nodes[1], but there are 1");
  EXPECT_EQ(with(R"("bufferView":0)", R"("bufferView":5)"),
            "meshes[0].primitives[0]: POSITION: accessors[0]: refers to bufferViews[5], but there are 2");
}

TEST_F(GltfErrors, WrongTypesAreNamed) {
  EXPECT_EQ(with(R"("type":"VEC3")", R"("type":"VEC2")"),
            "meshes[0].primitives[0]: POSITION: accessors[0] is of type VEC2, expected VEC3");
  EXPECT_EQ(with(R"("type":"VEC3")", R"("type":"VECTOR")"),
            "accessors[0]: 'type' is 'VECTOR', which is not an accessor type");
  EXPECT_EQ(with("5126", "5130"), "accessors[0]: 'componentType' is 5130, which is not a component type");
  EXPECT_EQ(with("5123", "5122"),
            "meshes[0].primitives[0]: accessors[1] has components of type 5122, which is not allowed here");
  EXPECT_EQ(with(R"("count":3)", R"("count":"3")"),
            "accessors[0]: 'count' is not a whole number of 0 or more");
  EXPECT_EQ(with(R"("count":3)", R"("number":3)"), "accessors[0]: 'count' is missing");
  EXPECT_EQ(with(R"({"mesh":0})", "7"), "nodes[0]: is not an object");
  EXPECT_EQ(with(R"("indices":1)", R"("mode":7)"), "meshes[0]: primitives[0]: 'mode' is 7, expected 0 to 6");
}

TEST_F(GltfErrors, NodesThatAreNoTreeAreRefused) {
  EXPECT_EQ(with(R"({"mesh":0})", R"({"mesh":0},{"children":[2]},{"children":[1]})"),
            "some nodes are their own ancestors; nodes must form a tree");
  EXPECT_EQ(with(R"({"mesh":0})", R"({"mesh":0},{"children":[0]},{"children":[0]})"),
            "nodes[2]: has the child nodes[0], which nodes[1] has too; nodes must form a tree");
  EXPECT_EQ(with(R"({"mesh":0})", R"({"mesh":0},{"children":[0]})"),
            "scenes[0]: lists nodes[0], which is a child of nodes[1]");
}

TEST_F(GltfErrors, DeepTreesAndDeepJsonDoNoHarm) {
  std::string nodes = R"({"mesh":0,"translation":[1,0,0]})";
  for (int i = 1; i < 100000; ++i)
    nodes += fmt::format(R"(,{{"children":[{}],"translation":[1,0,0]}})", i - 1);
  std::string text = gltf_.json("a.bin", "99999");
  text.replace(text.find(R"({"mesh":0})"), 10, nodes);
  expect_near(corners(read_gltf(folder_.write("deep.gltf", text)), 0)[0], {100000, 0, 0});
  EXPECT_TRUE(message_of(folder_, R"({"asset":{"version":"2.0"},"extras":)" + std::string(2000000, '['))
                  .starts_with("not a glTF file: "));
}

TEST_F(GltfErrors, SparseAccessorsThatNameNothingAreRefused) {
  EXPECT_EQ(
      with(R"("count":3)",
           R"("count":3,"sparse":{"count":1,"indices":{"bufferView":1,"byteOffset":4,"componentType":5125},)"
           R"("values":{"bufferView":0}})"),
      "meshes[0].primitives[0]: POSITION: accessors[0]: 1 elements of 4 bytes, 4 apart from byte 4 on, do "
      "not "
      "fit into the 6 bytes of its buffer view");
  EXPECT_EQ(
      with(R"("count":3)", R"("count":2,"sparse":{"count":3,"indices":{"bufferView":1,"componentType":5123},)"
                           R"("values":{"bufferView":0}})"),
      "meshes[0].primitives[0]: POSITION: accessors[0]: its sparse indices refer to element 2, but there are "
      "2");
}

TEST_F(GltfErrors, ElementsWithoutDataAreNoMoreThanTheFileCouldHold) {
  EXPECT_EQ(
      with(R"("bufferView":0,"componentType":5126,"type":"VEC3","count":3)",
           R"("componentType":5126,"type":"VEC3","count":4000000000)"),
      "meshes[0].primitives[0]: POSITION: accessors[0]: 4000000000 elements without data, in a file with 44 "
      "bytes of data");
}

TEST_F(GltfErrors, AnExtensionThatTheFileNeedsAndThatIsNotReadIsNamed) {
  EXPECT_EQ(
      with(R"("scene":0)", R"("scene":0,"extensionsRequired":["KHR_mesh_quantization","CESIUM_RTC"])"),
      "the file needs the extension CESIUM_RTC, which is not supported (export it without that extension)");
  EXPECT_EQ(with(R"("scene":0)", R"("scene":0,"extensionsRequired":["KHR_texture_basisu"])"),
            "the file needs the extension KHR_texture_basisu, which is not supported (convert its KTX2 "
            "textures to PNG, "
            "JPEG or WebP)");
  EXPECT_EQ(with(R"("scene":0)", R"("scene":0,"extensionsUsed":["CESIUM_RTC"])"), "");
  EXPECT_EQ(with(R"("scene":0)", R"("scene":0,"extensionsRequired":["KHR_materials_sheen"])"), "");
}

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
