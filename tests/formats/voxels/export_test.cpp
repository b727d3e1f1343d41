#include "formats/voxels/export.h"

#include "libvox/base/error.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

using namespace testing_export;

class Export : public ExportTest {};

TEST_F(Export, KnowsItsExtensions) {
  for (const char* name :
       {"a.nrrd", "b/c.VOX", "a.h5.binvox", "a.obj", "a.GLB", "a.ply", "a.vtkhdf", "a.nvdb"})
    EXPECT_TRUE(is_export_path(name)) << name;
  for (const char* name : {"a.h5", "vox", ".vox", "a.nrrd/b", "a."})
    EXPECT_FALSE(is_export_path(name)) << name;
}

TEST_F(Export, LeavesTheTargetAsItWasWhenTheDiskIsFull) {
  KnownScene known = known_scene(100, Materials::Sixteen, noise_grid(7));
  for (const char* name : {"a.nrrd", "a.vox", "a.binvox", "a.obj", "a.glb", "a.ply", "a.vtkhdf", "a.nvdb"}) {
    FileSizeLimit limit(100'000);
    EXPECT_THROW(export_scene(known.scene, path(name), std::nullopt), Error) << name;
    EXPECT_TRUE(folder_is_empty()) << name;
  }
}

TEST_F(Export, ReplacesAnOlderFile) {
  KnownScene large = known_scene(40, Materials::Sixteen, noise_grid(8)),
             small = known_scene(5, Materials::Sixteen, noise_grid(9));
  std::filesystem::create_directories(path("fresh"));
  for (const char* name : {"a.nrrd", "a.vox", "a.binvox", "a.obj", "a.glb", "a.ply", "a.vtkhdf", "a.nvdb"}) {
    export_scene(large.scene, path(name), std::nullopt);
    export_scene(small.scene, path(name), std::nullopt);
    const std::filesystem::path fresh = path("fresh") / name;
    export_scene(small.scene, fresh, std::nullopt);
    EXPECT_EQ(read_all(path(name)), read_all(fresh));
  }
}

TEST_F(Export, ErrorsNameTheTarget) {
  KnownScene known = known_scene(8, Materials::Sixteen, noise_grid(8));
  std::filesystem::create_directories(path("folder.nrrd"));
  for (const char* name : {"no/such/folder/a.nrrd", "folder.nrrd", "a.png"}) {
    try {
      export_scene(known.scene, path(name), std::nullopt);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(path(name).string()), std::string::npos) << error.what();
    }
  }
  for (const char* name : {"a.nrrd", "a.vox", "a.binvox", "a.obj", "a.glb", "a.ply", "a.vtkhdf", "a.nvdb"}) {
    try {
      export_scene(known.scene, path(name), VoxelBox{{8, 0, 0}, {9, 9, 9}});
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(path(name).string()), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace vox
