#include "formats/mesh/obj_writer.h"

#include <stb_image.h>

#include <fstream>

#include "formats/images/png_file.h"
#include "libvox/base/error.h"
#include "libvox/scene/procedural/procedural.h"
#include "tests/formats/mesh/asset_files.h"
#include "tests/formats/mesh/assimp_soup.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

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

const std::vector<PngText> kMade = {{"Software", "vox"}};

TEST(ObjWriter, MaterialsAndImagesLieBesideIt) {
  scene::Scene scene = writer_test_scene();
  fs::path path = folder("materials") / "my scene.obj";
  write_obj(scene, path);
  EXPECT_EQ(read_bytes(path.parent_path() / "my scene_stone_wall.png"), encode_png(scene.images[0], kMade));
  EXPECT_EQ(read_bytes(path.parent_path() / "my scene_leaf.png"), encode_png(scene.images[1], kMade));
  EXPECT_EQ(read_bytes(path.parent_path() / "my scene.mtl"),
            "# made by vox\nnewmtl wall\nKd 1 1 1\nmap_Kd my scene_stone_wall.png\n\n"
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
