#include "formats/mesh/glb_writer.h"

#include <stb_image.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "formats/images/png_writer.h"
#include "libvox/base/error.h"
#include "libvox/scene/procedural/procedural.h"
#include "tests/formats/mesh/asset_files.h"
#include "tests/formats/mesh/assimp_soup.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

fs::path temporary(const std::string& name) {
  return fs::path(testing::TempDir()) / ("glb_writer_" + name);
}

TEST(GlbWriter, AssimpReadsTheTrianglesThatWereWritten) {
  for (const scene::Scene& scene : {writer_test_scene(), scene::make_village({.texture_size = 16})}) {
    write_glb(scene, temporary("soup.glb"));
    Assimp::Importer importer;
    const aiScene* found = importer.ReadFile(temporary("soup.glb").string(), aiProcess_ValidateDataStructure);
    ASSERT_TRUE(found) << importer.GetErrorString();
    expect_same_soup(soup_by_material(*found), soup_by_material(scene));
  }
}

TEST(GlbWriter, ImagesAreEmbeddedAsPng) {
  scene::Scene scene = writer_test_scene();
  write_glb(scene, temporary("images.glb"));
  Assimp::Importer importer;
  const aiScene* found = importer.ReadFile(temporary("images.glb").string(), 0);
  ASSERT_TRUE(found) << importer.GetErrorString();
  ASSERT_EQ(found->mNumTextures, scene.images.size());
  for (unsigned i = 0; i < found->mNumTextures; ++i) {
    const aiTexture& texture = *found->mTextures[i];
    std::string png(reinterpret_cast<const char*>(texture.pcData), texture.mWidth);
    EXPECT_EQ(png, encode_png(scene.images[i]));
  }
}

TEST(GlbWriter, MaterialsKeepColourImageWrapAndCutoff) {
  scene::Scene scene = writer_test_scene();
  write_glb(scene, temporary("materials.glb"));
  Assimp::Importer importer;
  const aiScene* found = importer.ReadFile(temporary("materials.glb").string(), 0);
  ASSERT_TRUE(found) << importer.GetErrorString();
  int checked = 0;
  for (unsigned i = 0; i < found->mNumMaterials; ++i) {
    const aiMaterial& material = *found->mMaterials[i];
    auto entry = std::ranges::find(scene.materials, material.GetName().C_Str(), &scene::Material::name);
    if (material.GetName().length == 0) continue;  // Assimp's additional default material
    ASSERT_NE(entry, scene.materials.end());
    const scene::Material& expected = *entry;
    ++checked;
    aiColor4D color;
    ASSERT_EQ(material.Get(AI_MATKEY_BASE_COLOR, color), AI_SUCCESS);
    EXPECT_EQ((std::array{color.r, color.g, color.b, color.a}), expected.base_color);
    EXPECT_EQ(material.GetTextureCount(aiTextureType_DIFFUSE), expected.image == scene::kNone ? 0u : 1u);
    if (expected.image == scene::kNone) continue;
    aiString file;
    std::array<aiTextureMapMode, 2> modes = {};
    material.GetTexture(aiTextureType_DIFFUSE, 0, &file, nullptr, nullptr, nullptr, nullptr, modes.data());
    EXPECT_EQ(file.C_Str(), "*" + std::to_string(expected.image));
    EXPECT_EQ(modes[0],
              expected.wrap_u == scene::Wrap::Clamp ? aiTextureMapMode_Clamp : aiTextureMapMode_Wrap);
  }
  EXPECT_GE(checked, 4);  // one has no triangles, so Assimp may omit it
  std::string text = read_bytes(temporary("materials.glb"));
  EXPECT_NE(text.find("\"alphaMode\": \"MASK\""), std::string::npos);
  EXPECT_NE(text.find("\"alphaCutoff\": 0.5"), std::string::npos);
}

TEST(GlbWriter, LengthsInTheContainerAreThoseOfTheFile) {
  write_glb(writer_test_scene(), temporary("lengths.glb"));
  std::string file = read_bytes(temporary("lengths.glb"));
  auto word = [&](size_t at) {
    uint32_t value;
    std::memcpy(&value, file.data() + at, 4);
    return value;
  };
  EXPECT_EQ(file.substr(0, 4), "glTF");
  EXPECT_EQ(word(8), file.size());
  uint32_t json = word(12);
  EXPECT_EQ(json % 4, 0u);
  EXPECT_EQ(file.substr(16, 4), "JSON");
  EXPECT_EQ(20 + json + 8 + word(20 + json), file.size());
}

TEST(GlbWriter, SameSceneGivesTheSameBytes) {
  write_glb(scene::make_village({.texture_size = 32}), temporary("first.glb"));
  write_glb(scene::make_village({.texture_size = 32}), temporary("second.glb"));
  EXPECT_EQ(read_bytes(temporary("first.glb")), read_bytes(temporary("second.glb")));
}

TEST(GlbWriter, ShippedVillageIsWhatTheGeneratorMakes) {
  const char* datasets = std::getenv("VOX_DATASETS");
  if (!datasets || !fs::exists(fs::path(datasets) / "village.glb")) GTEST_SKIP() << "no datasets folder";
  write_glb(scene::make_village({.seed = 1, .texture_size = 256}), temporary("village.glb"));
  EXPECT_TRUE(read_bytes(temporary("village.glb")) == read_bytes(fs::path(datasets) / "village.glb"))
      << "if the change is wanted: vox-scene village --texture-size 256 -o datasets/village.glb";
}

TEST(GlbWriter, WhatCannotBeWrittenLeavesNothing) {
  EXPECT_THROW(write_glb(writer_test_scene(), temporary("missing") / "a.glb"), Error);
  EXPECT_THROW(write_glb(scene::Scene{}, temporary("empty.glb")), Error);
  EXPECT_FALSE(fs::exists(temporary("empty.glb")));
}

TEST(PngWriter, PixelsComeBack) {
  for (const scene::Image& image : writer_test_scene().images) {
    std::string png = encode_png(image);
    int width = 0, height = 0, channels = 0;
    auto* data = reinterpret_cast<const stbi_uc*>(png.data());
    stbi_uc* pixels =
        stbi_load_from_memory(data, static_cast<int>(png.size()), &width, &height, &channels, 4);
    ASSERT_TRUE(pixels);
    ASSERT_EQ(static_cast<uint32_t>(width), image.width);
    ASSERT_EQ(static_cast<uint32_t>(height), image.height);
    EXPECT_EQ(std::memcmp(pixels, image.pixels.data(), image.pixels.size() * 4), 0);
    stbi_image_free(pixels);
  }
}

}  // namespace
}  // namespace vox
