#include "libvox/base/atomic_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "libvox/base/error.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder = fs::path(testing::TempDir()) / ("atomic_file_" + name + std::to_string(getpid()));
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  size_t files_in_folder() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  fs::path folder;
};

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(AtomicFileTest, TheTargetAppearsOnCommitAlone) {
  fs::path target = folder / "scene.h5";
  AtomicFile file(target);
  write_text(file.path(), "new");
  EXPECT_FALSE(fs::exists(target));
  file.commit();
  EXPECT_EQ(read_text(target), "new");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(AtomicFileTest, WithoutCommitTheOldFileStaysAndNothingElse) {
  fs::path target = folder / "scene.h5";
  write_text(target, "old");
  {
    AtomicFile file(target);
    write_text(file.path(), "half of the new");
  }
  EXPECT_EQ(read_text(target), "old");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(AtomicFileTest, AnExistingFileIsReplacedOnCommit) {
  fs::path target = folder / "scene.h5";
  write_text(target, "old and longer");
  AtomicFile file(target);
  write_text(file.path(), "new");
  file.commit();
  EXPECT_EQ(read_text(target), "new");
}

TEST_F(AtomicFileTest, ALinkStaysALink) {
  fs::path target = folder / "scene.h5", link = folder / "link.h5";
  write_text(target, "old");
  fs::create_symlink("scene.h5", link);
  AtomicFile file(link);
  write_text(file.path(), "new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_text(target), "new");
}

TEST_F(AtomicFileTest, TwoWritersOfOneTargetDoNotMeet) {
  AtomicFile first(folder / "scene.h5"), second(folder / "scene.h5");
  EXPECT_NE(first.path(), second.path());
}

TEST_F(AtomicFileTest, LongNamesFit) {
  AtomicFile file(folder / std::string(250, 'n'));
  file.commit();
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(AtomicFileTest, TargetsThatCannotBeWrittenAreRefusedAtOnce) {
  write_text(folder / "file", "");
  EXPECT_THROW(AtomicFile(folder / "missing" / "scene.h5"), Error);
  EXPECT_THROW(AtomicFile(folder / "file" / "scene.h5"), Error);
  EXPECT_THROW(AtomicFile(folder / ""), Error);
  EXPECT_THROW(AtomicFile{folder}, Error);
  EXPECT_THROW(AtomicFile("/dev/null"), Error);
  EXPECT_THROW(AtomicFile(""), Error);
  EXPECT_THROW(AtomicFile(folder / std::string(300, 'n')), Error);
  if (geteuid() != 0) {
    fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_THROW(AtomicFile(folder / "scene.h5"), Error);
    fs::permissions(folder, fs::perms::owner_all);
  }
}

TEST_F(AtomicFileTest, ATemporaryNameSaysOfWhichTargetItIs) {
  const AtomicFile file(folder / "scene.7-0.h5");
  EXPECT_EQ(target_of_temporary(file.path().filename().string()), "scene.7-0.h5");
  for (const char* name :
       {"scene.h5", "scene.h5.tmp", "scene.h5.1.tmp", "scene.h5.1-.tmp", "scene.h5.-2.tmp", "scene.h5.1-2",
        "scene.h5.a1-2.tmp", "scene.h5.1-2.tmp.old", ".1-2.tmp", "1-2.tmp", ""})
    EXPECT_EQ(target_of_temporary(name), std::nullopt) << name;
}

}  // namespace
}  // namespace vox
