#include "formats/mesh/texture_files.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/formats/mesh/asset_files.h"

namespace vox {
namespace {

std::string warning_of(const TextureFiles& files) {
  testing::internal::CaptureStderr();
  files.warn_of_missing();
  return testing::internal::GetCapturedStderr();
}

TEST(TextureFiles, LookBesideTheMeshFirstThenInEachFolderInTurn) {
  TestFolder folder;
  for (const char* name : {"mesh/a.png", "one/a.png", "one/b.png", "two/b.png", "two/textures/c.png"})
    folder.write(name, "x");
  const std::filesystem::path& at = folder.path();
  TextureFiles files(at / "mesh/m.obj", {.texture_paths = {at / "one", at / "two"}});
  EXPECT_EQ(files.find("a.png"), at / "mesh/a.png");
  EXPECT_EQ(files.find("textures\\B.png"), at / "one/b.png");
  EXPECT_EQ(files.find("C:\\art\\textures\\c.png"), at / "two/textures/c.png");
  EXPECT_EQ(files.find("b.png", at / "two"), at / "two/b.png");
  EXPECT_EQ(warning_of(files), "");
}

TEST(TextureFiles, WarnOnceOfAllThatIsMissing) {
  TestFolder folder;
  TextureFiles files(folder.path() / "m.obj", {});
  for (const char* name : {"b.png", "a.png", "b.png"}) EXPECT_FALSE(files.find(name));
  EXPECT_NE(warning_of(files).find("m.obj: 2 textures not found: b.png, a.png; the material's colour"),
            std::string::npos)
      << warning_of(files);
  for (int i = 0; i < 10; ++i) files.find(std::to_string(i));
  EXPECT_NE(warning_of(files).find("12 textures not found: b.png, a.png, 0, 1, 2, …;"), std::string::npos)
      << warning_of(files);
}

}  // namespace
}  // namespace vox
