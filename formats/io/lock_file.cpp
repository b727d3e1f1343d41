#include "formats/io/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "libvox/base/error.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

// Opens the file for writing, too, because a lock on NFS needs a file that can be written.
int open_to_lock(const fs::path& path) {
  const int file = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  if (file < 0) throw Error("cannot be made: " + std::generic_category().message(errno)).at(path.string());
  return file;
}

// True if another process holds the lock. All other errors mean that there are no locks: ENOLCK, EOPNOTSUPP,
// ENOSYS and, on some file systems, others.
bool is_of_another(int file) {
  int failed = 0;
  while ((failed = flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno) == EINTR) {
  }
  return failed == EWOULDBLOCK;
}

// False if the last holder of the lock removed the file after it was opened here.
bool is_at(const fs::path& path, int file) {
  struct stat there = {}, opened = {};
  return stat(path.c_str(), &there) == 0 && fstat(file, &opened) == 0 && there.st_ino == opened.st_ino &&
         there.st_dev == opened.st_dev;
}

}  // namespace

LockFile::LockFile(fs::path path) : path_(std::move(path)) {
  while (true) {
    file_ = open_to_lock(path_);
    is_held_ = !is_of_another(file_);
    if (!is_held_ || is_at(path_, file_)) return;
    close(file_);
  }
}

LockFile::~LockFile() {
  std::error_code ignored;
  if (is_held_) fs::remove(path_, ignored);  // before another process can get the lock
  close(file_);
}

}  // namespace vox
