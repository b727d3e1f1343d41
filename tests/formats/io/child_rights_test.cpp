// Child processes try what they may not.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <string>

#include "formats/io/child_process.h"
#include "libvox/base/process.h"
#include "tests/common/read_bytes.h"
#include "tests/common/test_folder.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

bool has_landlock() {
  return syscall(SYS_landlock_create_ruleset, nullptr, size_t{0}, LANDLOCK_CREATE_RULESET_VERSION) > 0;
}

// True if a process may refuse itself system calls: the kernel tells apart a missing filter and a missing mode.
bool has_call_filters() {
  return prctl(PR_SET_SECCOMP, 2, nullptr, 0, 0) < 0 && errno == EFAULT;
}

// Returns what `attempt` returns in a child process that may read these files.
int in_child(std::vector<fs::path> readable, const std::function<int()>& attempt) {
  MemoryFile file;
  run_in_child_process({.seconds = 10, .bytes = uint64_t{64} << 20, .readable = std::move(readable)},
                       [&](ChildMemory&) {
                         const int result = attempt();
                         file.write(std::as_bytes(std::span(&result, 1)));
                       });
  file.rewind();
  int result = -1;
  file.read(std::as_writable_bytes(std::span(&result, 1)));
  return result;
}

// Returns 0, or the number of the error.
int opened(const fs::path& path, int flags) {
  const int file = open(path.c_str(), flags, 0600);
  if (file < 0) return errno;
  close(file);
  return 0;
}

int error_of_call(long result) {
  return result < 0 ? errno : 0;
}

TEST(ChildRights, OnlyTheFilesThatItIsGivenAreRead) {
  if (!has_landlock()) GTEST_SKIP() << "this kernel has no landlock";
  TestFolder folder;
  const fs::path mesh = folder.write("in/a.fbx", "mesh"), below = folder.write("in/maps/a.png", "image");
  const fs::path beside = folder.write("secret.txt", "secret"), alone = folder.write("other/b.fbx", "mesh");
  fs::create_symlink(beside, folder.path() / "in/link.png");
  const std::vector<fs::path> readable = {alone, folder.path() / "in", folder.path() / "missing"};
  const auto read = [&](const fs::path& path) {
    return in_child(readable, [&] { return opened(path, O_RDONLY); });
  };
  EXPECT_EQ(read(mesh), 0);
  EXPECT_EQ(read(below), 0);
  EXPECT_EQ(read(alone), 0);
  EXPECT_EQ(read(beside), EACCES);
  EXPECT_EQ(read(folder.path() / "in/link.png"), EACCES);
  EXPECT_EQ(read(folder.path() / "in/../secret.txt"), EACCES);
  EXPECT_EQ(read("/etc/passwd"), EACCES);
  EXPECT_EQ(in_child({"/"}, [] { return opened("/etc/passwd", O_RDONLY); }), 0);
  EXPECT_EQ(in_child({}, [] { return available_bytes() > 0 ? 0 : 1; }), 0);
}

TEST(ChildRights, NothingIsWritten) {
  if (!has_landlock() && !has_call_filters())
    GTEST_SKIP() << "this kernel has neither landlock nor filters of calls";
  TestFolder folder;
  const fs::path file = folder.write("in/a.fbx", "mesh"), made = folder.path() / "in/new.txt";
  const auto refused = [&](const std::function<int()>& attempt) {
    const int error = in_child({folder.path(), "/"}, attempt);
    return error == EACCES || error == EPERM;
  };
  EXPECT_TRUE(refused([&] { return opened(made, O_WRONLY | O_CREAT); }));
  EXPECT_TRUE(refused([&] { return opened(file, O_WRONLY); }));
  EXPECT_TRUE(refused([&] { return opened(file, O_RDWR | O_TRUNC); }));
  EXPECT_TRUE(refused([&] { return error_of_call(unlink(file.c_str())); }));
  EXPECT_TRUE(refused([&] { return error_of_call(rename(file.c_str(), made.c_str())); }));
  EXPECT_TRUE(refused([&] { return error_of_call(mkdir(made.c_str(), 0700)); }));
  EXPECT_TRUE(refused([&] { return error_of_call(symlink("/etc/passwd", made.c_str())); }));
  EXPECT_FALSE(fs::exists(made));
  EXPECT_EQ(read_bytes(file), "mesh");
}

TEST(ChildRights, NoConnectionIsMadeAndNoProgramStarted) {
  if (!has_call_filters()) GTEST_SKIP() << "this kernel has no filters of system calls";
  const auto error = [](const std::function<long()>& call) {
    return in_child({"/"}, [&] { return error_of_call(call()); });
  };
  EXPECT_EQ(error([] { return socket(AF_INET, SOCK_STREAM, 0); }), EPERM);
  EXPECT_EQ(error([] { return socket(AF_UNIX, SOCK_STREAM, 0); }), EPERM);
  EXPECT_EQ(error([] { return execl("/bin/true", "true", nullptr); }), EPERM);
  EXPECT_EQ(error([] { return kill(getppid(), 0); }), EPERM);
  EXPECT_NE(error([] {
              const pid_t child = fork();
              if (child == 0) _exit(0);
              return child;
            }),
            0);
}

TEST(ChildRights, ResourcesAreLimitedOnEveryKernel) {
  const auto limit = [](__rlimit_resource resource) {
    return in_child({}, [&] {
      rlimit limit = {};
      getrlimit(resource, &limit);
      return static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 1 << 30));
    });
  };
  EXPECT_EQ(limit(RLIMIT_CORE), 0);
  EXPECT_EQ(limit(RLIMIT_FSIZE), 0);
  EXPECT_EQ(limit(RLIMIT_CPU), 10);
  const int opened_at_once = in_child({"/"}, [] {
    int count = 0;
    while (open("/etc/passwd", O_RDONLY) >= 0 && count < 1000) ++count;
    return count;
  });
  EXPECT_GE(opened_at_once, 32);
  EXPECT_LE(opened_at_once, 128);
}

}  // namespace
}  // namespace vox
