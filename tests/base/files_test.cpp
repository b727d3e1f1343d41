#include "libvox/base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "libvox/base/error.h"
#include "tests/common/test_process.h"

// Called before a file is renamed. It may end the process.
static std::function<void(const std::string& to)> before_rename;

extern "C" int rename(const char* from, const char* to) noexcept {
  if (const auto happens = before_rename) happens(to);
  return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

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

TEST_F(AtomicFileTest, TheTargetAppearsOnCommitAlone) {
  fs::path target = folder / "scene.h5";
  AtomicFile file(target);
  write_text(file.path(), "new");
  EXPECT_FALSE(fs::exists(target));
  file.commit();
  EXPECT_EQ(read_bytes(target), "new");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(AtomicFileTest, WithoutCommitTheOldFileStaysAndNothingElse) {
  fs::path target = folder / "scene.h5";
  write_text(target, "old");
  {
    AtomicFile file(target);
    write_text(file.path(), "half of the new");
  }
  EXPECT_EQ(read_bytes(target), "old");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(AtomicFileTest, AnExistingFileIsReplacedOnCommit) {
  fs::path target = folder / "scene.h5";
  write_text(target, "old and longer");
  AtomicFile file(target);
  write_text(file.path(), "new");
  file.commit();
  EXPECT_EQ(read_bytes(target), "new");
}

TEST_F(AtomicFileTest, ALinkStaysALink) {
  fs::path target = folder / "scene.h5", link = folder / "link.h5";
  write_text(target, "old");
  fs::create_symlink("scene.h5", link);
  AtomicFile file(link);
  write_text(file.path(), "new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_bytes(target), "new");
}

TEST_F(AtomicFileTest, TwoWritersOfOneTargetDoNotMeet) {
  AtomicFile first(folder / "scene.h5"), second(folder / "scene.h5");
  EXPECT_NE(first.path(), second.path());
}

TEST_F(AtomicFileTest, ALinkThatLeadsNowhereStaysALinkAndItsFileIsMade) {
  const fs::path link = folder / "link.h5";
  fs::create_symlink("scene.h5", link);
  AtomicFile file(link);
  write_text(file.path(), "new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_bytes(folder / "scene.h5"), "new");
}

TEST_F(AtomicFileTest, AReplacedFileKeepsItsPermissions) {
  const fs::path target = folder / "scene.h5";
  write_text(target, "old");
  fs::permissions(target, fs::perms::owner_read | fs::perms::owner_write);
  AtomicFile file(target);
  EXPECT_EQ(fs::status(file.path()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  file.commit();
  EXPECT_EQ(fs::status(target).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(AtomicFileTest, WhatAKilledProcessLeftIsRemoved) {
  const pid_t child = fork();
  if (child == 0) {
    AtomicFile first(folder / "scene.h5"), second(folder / "scene.h5"), other(folder / "other.h5");
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(files_in_folder(), 3u);
  AtomicFile(folder / "scene.h5").commit();
  EXPECT_EQ(files_in_folder(), 2u) << "the file, and what was left of the other one";
  AtomicFile(folder / "other.h5").commit();
  EXPECT_EQ(files_in_folder(), 2u);
}

TEST_F(AtomicFileTest, TheTemporaryFileOfARunningProcessStays) {
  AtomicFile running(folder / "scene.h5");
  write_text(running.path(), "first");
  AtomicFile(folder / "scene.h5").commit();
  running.commit();
  EXPECT_EQ(read_bytes(folder / "scene.h5"), "first");
}

TEST_F(AtomicFileTest, SomebodyElsesLinkWithATemporaryNameIsNotFollowed) {
  write_text(folder / "precious", "mine");
  fs::create_symlink("precious", folder / "scene.h5.0-0.tmp");
  AtomicFile file(folder / "scene.h5");
  write_text(file.path(), "new");
  file.commit();
  EXPECT_EQ(read_bytes(folder / "precious"), "mine");
  EXPECT_EQ(read_bytes(folder / "scene.h5"), "new");
}

TEST_F(AtomicFileTest, FilesOfOneResultAreReplacedTogether) {
  AtomicFile data(folder / "data"), head(folder / "head");
  write_text(data.path(), "new data");
  write_text(head.path(), "new head");
  AtomicFile* const files[] = {&data, &head};
  commit_together(files);
  EXPECT_EQ(read_bytes(folder / "data"), "new data");
  EXPECT_EQ(read_bytes(folder / "head"), "new head");
  EXPECT_EQ(files_in_folder(), 2u);
}

TEST_F(AtomicFileTest, WhereOneFileOfAResultCannotBeReplacedAllStay) {
  write_text(folder / "data", "old data");
  AtomicFile data(folder / "data"), more(folder / "more"), head(folder / "head");
  write_text(data.path(), "new data");
  fs::create_directories(folder / "head" / "in the way");
  AtomicFile* const files[] = {&data, &more, &head};
  EXPECT_THROW(commit_together(files), Error);
  EXPECT_EQ(read_bytes(folder / "data"), "old data");
  EXPECT_FALSE(fs::exists(folder / "more"));
}

TEST_F(AtomicFileTest, FilesOfOneResultHaveOneWriter) {
  const fs::path target = folder / "a.obj";
  std::optional<AtomicFile> first(std::in_place, target, Writers::One);
  EXPECT_THROW(AtomicFile(target, Writers::One), Error);
  first->release();
  EXPECT_THROW(AtomicFile(target, Writers::One), Error);
  first.reset();
  AtomicFile(target, Writers::One).commit();
  AtomicFile(target, Writers::One).commit();
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(AtomicFileTest, AReleasedFileOfARunningProcessStays) {
  AtomicFile running(folder / "a.png", Writers::One);
  write_text(running.path(), "first");
  running.release();
  AtomicFile(folder / "a.png").commit();
  running.commit();
  EXPECT_EQ(read_bytes(folder / "a.png"), "first");
}

// The head cannot be replaced, so that the data is put back, but for what another process has written meanwhile.
TEST_F(AtomicFileTest, WhatAnotherRunHasWrittenIsNotTakenBack) {
  for (const char* name : {"data", "more"}) write_text(folder / name, "old");
  AtomicFile data(folder / "data"), more(folder / "more"), head(folder / "head");
  fs::create_directories(folder / "head" / "in the way");
  before_rename = [&](const std::string& to) {
    if (to != folder / "head") return;
    before_rename = nullptr;
    AtomicFile other(folder / "data");
    write_text(other.path(), "other run");
    other.commit();
  };
  AtomicFile* const files[] = {&data, &more, &head};
  EXPECT_THROW(commit_together(files), Error);
  before_rename = nullptr;
  EXPECT_EQ(read_bytes(folder / "data"), "other run");
  EXPECT_EQ(read_bytes(folder / "more"), "old");
}

TEST_F(AtomicFileTest, WhatAProcessLeftThatWasKilledBetweenTwoRenamesIsRemoved) {
  for (const char* name : {"data", "more", "head"}) write_text(folder / name, "old");
  const pid_t child = fork();
  if (child == 0) {
    before_rename = [&](const std::string& to) {
      if (to == folder / "more") _exit(0);
    };
    AtomicFile data(folder / "data"), more(folder / "more"), head(folder / "head");
    AtomicFile* const files[] = {&data, &more, &head};
    commit_together(files);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_GT(files_in_folder(), 3u);
  for (const char* name : {"data", "more", "head"}) AtomicFile(folder / name, Writers::One).commit();
  EXPECT_EQ(files_in_folder(), 3u);
}

TEST_F(AtomicFileTest, AReleasedFileThatIsGoneIsAnError) {
  AtomicFile file(folder / "scene.h5");
  file.release();
  fs::remove(file.path());
  EXPECT_THROW(file.commit(), Error);
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

TEST_F(AtomicFileTest, AMissingFolderIsNamed) {
  const fs::path missing = folder / "missing";
  try {
    const AtomicFile file(missing / "scene.h5");
    FAIL();
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("the folder " + missing.string() + " does not exist"), std::string::npos)
        << message;
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
