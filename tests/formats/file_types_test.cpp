#include "formats/file_types.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "formats/file_names.h"

namespace vox {
namespace {

FileFormat format_of(const char* path, FileRole role) {
  const FileType* type = file_type(path, role);
  return type ? type->format : FileFormat::Foreign;
}

std::vector<std::string> extensions(const FileType& type) {
  std::istringstream words{std::string(type.endings)};
  return {std::istream_iterator<std::string>(words), {}};
}

TEST(FileTypes, AreToldByTheExtensionInSmallOrCapitalLetters) {
  EXPECT_EQ(format_of("a/house.obj", FileRole::Mesh), FileFormat::Obj);
  EXPECT_EQ(format_of("HOUSE.GLB", FileRole::Mesh), FileFormat::Gltf);
  EXPECT_EQ(format_of("ct.raw.gz", FileRole::Volume), FileFormat::Raw);
  EXPECT_EQ(format_of("head.nii.gz", FileRole::Volume), FileFormat::Nifti);
  EXPECT_FALSE(has_role("ct.gz", FileRole::Volume));
  EXPECT_FALSE(has_role("obj", FileRole::Mesh));
  EXPECT_FALSE(has_role(".obj", FileRole::Mesh));
  EXPECT_FALSE(has_role("folder.obj/house", FileRole::Mesh));
}

TEST(FileTypes, OneExtensionMayHaveSeveralRoles) {
  EXPECT_EQ(format_of("a.nrrd", FileRole::Volume), FileFormat::Nrrd);
  EXPECT_EQ(format_of("a.nrrd", FileRole::Export), FileFormat::Nrrd);
  EXPECT_EQ(format_of("a.vox", FileRole::Export), FileFormat::MagicaVoxel);
  EXPECT_EQ(format_of("a.vox", FileRole::Voxels), FileFormat::MagicaVoxel);
  EXPECT_FALSE(has_role("a.vox", FileRole::Volume));
}

TEST(FileTypes, NoExtensionStandsTwiceInARole) {
  for (const FileType& type : file_types())
    for (const std::string& extension : extensions(type)) {
      EXPECT_EQ(extension[0], '.') << extension;
      EXPECT_EQ(file_type("a" + extension, type.role), &type) << extension;
    }
}

TEST(FileTypes, AreListedAsMessagesNeedThem) {
  EXPECT_EQ(listed_extensions(FileRole::Export, FileUse::Written, FileList::Or),
            ".nrrd, .vox, .binvox, .basic_dag.dag.bin, .svdag, .ussvdag, .vl32, .obj, .glb, .ply, .vtkhdf or "
            ".nvdb");
  EXPECT_EQ(listed_extensions(FileRole::Mesh, FileUse::Written, FileList::Or), ".obj or .glb");
  EXPECT_EQ(listed_extensions(FileRole::Palette, FileUse::Written, FileList::Or), ".gpl, .pal, .hex or .png");
  EXPECT_EQ(listed_extensions(FileRole::Scene, FileUse::Read, FileList::And), ".h5");
  EXPECT_EQ(listed_names(FileRole::Mesh, FileUse::Read, FileList::Commas),
            "OBJ, glTF, GLB, PLY, STL, FBX, COLLADA (dae), 3DS, OFF");
}

TEST(FileTypes, TheDocumentationNamesEveryExtension) {
  const char* datasets = std::getenv("VOX_DATASETS");
  if (!datasets) GTEST_SKIP() << "no folder of the sources";
  std::ifstream file(std::filesystem::path(datasets) / "../docs/formats.md");
  if (!file) GTEST_SKIP() << "no docs/formats.md";
  const std::string text(std::istreambuf_iterator<char>(file), {});
  for (const FileType& type : file_types()) {
    if (type.role == FileRole::Foreign) continue;
    for (const std::string& extension : extensions(type))
      EXPECT_NE(text.find(extension), std::string::npos) << "docs/formats.md does not name " << extension;
  }
}

TEST(FileNames, AreMadeOfThoseOfTheInput) {
  EXPECT_EQ(scene_file_name("meshes/house.obj"), "house.h5");
  EXPECT_EQ(picture_file_name("scenes/house.h5"), "scenes/house-view.png");
  EXPECT_EQ(numbered_file_name("a/view.png", 7, 36), "a/view-07.png");
  EXPECT_EQ(numbered_file_name("view.png", 0, 1), "view-0.png");
}

}  // namespace
}  // namespace vox
