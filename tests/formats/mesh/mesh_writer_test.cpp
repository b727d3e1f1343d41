// Compares the triangles that Assimp, an independent reader, finds in a file of ours with the expected ones.

#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <gtest/gtest.h>
#include <stb_image.h>

#include <algorithm>
#include <array>
#include <assimp/Importer.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "formats/images/image.h"
#include "formats/mesh/mesh.h"
#include "libvox/base/error.h"
#include "libvox/scene/procedural/procedural.h"
#include "libvox/scene/scene.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {

struct MaterialCorner {
  double x, y, z, u, v;  // v points down
};
// The corners by the name of their material, three for each triangle.
using MaterialSoup = std::map<std::string, std::vector<MaterialCorner>>;

inline MaterialSoup soup_by_material(const scene::Scene& scene) {
  MaterialSoup soup;
  for (const scene::Triangle& triangle : scene.triangles)
    for (size_t i = 0; i < 3; ++i) {
      const Vec3d& p = scene.positions[triangle.position[i]];
      Vec2f uv = triangle.texcoord[i] == scene::kNone ? Vec2f{0, 0} : scene.texcoords[triangle.texcoord[i]];
      soup[scene.materials[triangle.material].name].push_back({p.x, p.y, p.z, uv.x, uv.y});
    }
  return soup;
}

inline MaterialSoup soup_by_material(const aiScene& scene) {
  MaterialSoup soup;
  for (unsigned m = 0; m < scene.mNumMeshes; ++m) {
    const aiMesh& mesh = *scene.mMeshes[m];
    std::string name = scene.mMaterials[mesh.mMaterialIndex]->GetName().C_Str();
    for (unsigned f = 0; f < mesh.mNumFaces; ++f)
      for (unsigned i = 0; i < mesh.mFaces[f].mNumIndices; ++i) {
        unsigned index = mesh.mFaces[f].mIndices[i];
        const aiVector3D& p = mesh.mVertices[index];
        aiVector3D uv = mesh.mTextureCoords[0] ? mesh.mTextureCoords[0][index] : aiVector3D(0, 1, 0);
        soup[name].push_back({p.x, p.y, p.z, uv.x, 1.0 - uv.y});  // Assimp's v points up
      }
  }
  return soup;
}

// Assimp stores floats and parses text with an error of a few units in the last place.
inline void expect_same_soup(const MaterialSoup& found, const MaterialSoup& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [material, corners] : expected) {
    ASSERT_TRUE(found.contains(material)) << material;
    const auto& others = found.at(material);
    ASSERT_EQ(others.size(), corners.size()) << material;
    for (size_t i = 0; i < corners.size(); ++i) {
      const MaterialCorner &a = corners[i], &b = others[i];
      for (auto [x, y] : {std::pair{a.x, b.x}, {a.y, b.y}, {a.z, b.z}, {a.u, b.u}, {a.v, b.v}})
        ASSERT_NEAR(x, y, 4e-7 * (1 + std::abs(x))) << material << " corner " << i;
    }
  }
}

// A scene with shared corners, a color without an image, clamped and cut-out images, and an image used
// twice.
inline scene::Scene writer_test_scene() {
  scene::Scene scene;
  scene.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0.125}, {1e-7, -2.5e6, 1 / 3.0}};
  scene.texcoords = {{0, 1}, {1, 1}, {1, 0}, {0, 0}, {0.3f, -7.7f}};
  scene::Image opaque = {"stone wall.png", 2, 1, {{10, 20, 30, 255}, {200, 100, 0, 255}}};
  scene::Image leaf = {"leaf.png", 2, 2, {{1, 2, 3, 0}, {4, 5, 6, 255}, {7, 8, 9, 128}, {10, 11, 12, 255}}};
  scene.images = {opaque, leaf};
  scene.materials = {{.name = "wall", .base_color = {1, 1, 1, 1}, .image = 0},
                     {.name = "leaf",
                      .base_color = {1, 1, 1, 1},
                      .image = 1,
                      .wrap_u = scene::Wrap::Clamp,
                      .wrap_v = scene::Wrap::Clamp,
                      .alpha_cutoff = 0.5f},
                     {.name = "red", .base_color = {0.5f, 0.25f, 0, 1}},
                     {.name = "unused", .base_color = {0, 0, 1, 1}},
                     {.name = "dark wall", .base_color = {0.5f, 0.5f, 0.5f, 1}, .image = 0}};
  scene.triangles = {{{0, 1, 2}, {0, 1, 2}, 0},
                     {{0, 2, 3}, {0, 2, 3}, 1},
                     {{0, 2, 3}, {1, 2, 4}, 0},
                     {{1, 2, 4}, {scene::kNone, scene::kNone, scene::kNone}, 2},
                     {{4, 3, 0}, {0, 1, 4}, 4}};
  return scene;
}

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

TEST(GlbWriter, MaterialsKeepColorImageWrapAndCutoff) {
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

// Returns the path of an empty folder for one test.
fs::path folder(const std::string& name) {
  fs::path path = fs::path(testing::TempDir()) / ("obj_writer_" + name);
  fs::remove_all(path);
  fs::create_directories(path);
  return path;
}

TEST(ObjWriter, AssimpReadsTheTrianglesThatWereWritten) {
  fs::path path = folder("soup") / "scene.obj";
  for (const scene::Scene& scene : {writer_test_scene(), scene::make_village({.texture_size = 16})}) {
    write_obj(scene, path);
    Assimp::Importer importer;
    const aiScene* found = importer.ReadFile(path.string(), aiProcess_ValidateDataStructure);
    ASSERT_TRUE(found) << importer.GetErrorString();
    expect_same_soup(soup_by_material(*found), soup_by_material(scene));
  }
}

TEST(ObjWriter, NumbersAreReadBackExactly) {
  scene::Scene scene = writer_test_scene();
  fs::path path = folder("exact") / "scene.obj";
  write_obj(scene, path);
  std::ifstream file(path);
  std::vector<double> positions, texcoords;
  for (std::string line; std::getline(file, line);) {
    const char* text = line.c_str();
    std::vector<double>& into = line.starts_with("vt ") ? texcoords : positions;
    if (!line.starts_with("v ") && !line.starts_with("vt ")) continue;
    char* end = const_cast<char*>(text) + 2;
    for (int i = 0; i < (line.starts_with("v ") ? 3 : 2); ++i) into.push_back(std::strtod(end, &end));
  }
  ASSERT_EQ(positions.size(), scene.positions.size() * 3);
  for (size_t i = 0; i < scene.positions.size(); ++i)
    EXPECT_EQ((Vec3d{positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]}), scene.positions[i]);
  ASSERT_EQ(texcoords.size(), scene.texcoords.size() * 2);
  for (size_t i = 0; i < scene.texcoords.size(); ++i) {
    EXPECT_EQ(static_cast<float>(texcoords[2 * i]), scene.texcoords[i].x);
    EXPECT_EQ(static_cast<float>(1 - texcoords[2 * i + 1]), scene.texcoords[i].y);
  }
}

// A kill between two renames leaves such files.
TEST(ObjWriter, MaterialsOfAnotherResultAreRefused) {
  const fs::path in = folder("mixed");
  scene::Scene scene = writer_test_scene();
  write_obj(scene, in / "a.obj");
  scene.materials[0].base_color = {0, 1, 0, 1};
  write_obj(scene, in / "b.obj");
  EXPECT_NO_THROW(read_mesh(in / "a.obj"));
  fs::rename(in / "b.mtl", in / "a.mtl");
  try {
    read_mesh(in / "a.obj");
    FAIL() << "read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("a.mtl: these materials were not written with"),
              std::string::npos)
        << error.what();
  }
  std::string changed = read_bytes(in / "a.mtl");
  std::ofstream(in / "a.mtl") << changed.erase(0, changed.find('\n') + 1);
  EXPECT_NO_THROW(read_mesh(in / "a.obj"));
}

const std::vector<PngText> kMade = {{"Software", "vox"}};

TEST(ObjWriter, MaterialsAndImagesLieBesideIt) {
  scene::Scene scene = writer_test_scene();
  fs::path path = folder("materials") / "my scene.obj";
  write_obj(scene, path);
  EXPECT_EQ(read_bytes(path.parent_path() / "my scene_stone_wall.png"), encode_png(scene.images[0], kMade));
  EXPECT_EQ(read_bytes(path.parent_path() / "my scene_leaf.png"), encode_png(scene.images[1], kMade));
  const std::string mtl = read_bytes(path.parent_path() / "my scene.mtl");
  const std::string id(materials_id(mtl));
  EXPECT_EQ(id.size(), 16u);
  EXPECT_EQ(materials_id(read_bytes(path)), id);
  EXPECT_EQ(
      mtl,
      "# materials " + id +
          "; made by vox\n"
          "newmtl wall\nKd 1 1 1\nmap_Kd my scene_stone_wall.png\n\n"
          "newmtl leaf\nKd 1 1 1\nmap_Kd -clamp on my scene_leaf.png\nmap_d -clamp on my scene_leaf.png\n\n"
          "newmtl red\nKd 0.735357 0.537099 0\n\n"  // 0.5 and 0.25, encoded as sRGB
          "newmtl unused\nKd 0 0 1\n\n"
          "newmtl dark wall\nKd 0.735357 0.735357 0.735357\nmap_Kd my scene_stone_wall.png\n\n");
}

TEST(ObjWriter, ImagesOfOneNameGetFilesOfTheirOwn) {
  scene::Scene scene = writer_test_scene();
  scene.images[1].name = scene.images[0].name;
  fs::path path = folder("names") / "a.obj";
  write_obj(scene, path);
  EXPECT_EQ(read_bytes(path.parent_path() / "a_stone_wall.png"), encode_png(scene.images[0], kMade));
  EXPECT_EQ(read_bytes(path.parent_path() / "a_stone_wall_2.png"), encode_png(scene.images[1], kMade));
}

TEST(ObjWriter, SameSceneGivesTheSameBytes) {
  fs::path path = folder("same") / "city.obj";
  write_obj(scene::make_city({.blocks = 4, .texture_size = 16}), path);
  std::string first = read_bytes(path);
  write_obj(scene::make_city({.blocks = 4, .texture_size = 16}), path);
  EXPECT_TRUE(first == read_bytes(path));
}

TEST(ObjWriter, WhatCannotBeWrittenLeavesNothing) {
  fs::path path = folder("nothing");
  fs::create_directory(path / "scene.obj");  // the last file that is written
  EXPECT_THROW(write_obj(writer_test_scene(), path / "scene.obj"), Error);
  EXPECT_EQ(std::distance(fs::directory_iterator(path), {}), 1);
}

}  // namespace
}  // namespace vox
