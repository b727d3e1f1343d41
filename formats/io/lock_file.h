// A lock file that one process at a time holds, using flock(2). The lock ends with the process, however it
// ends.
#pragma once

#include <filesystem>

namespace vox {

class LockFile {
 public:
  // Makes the file if there is none, and does not wait. Throws an Error that names the file if it cannot be
  // made.
  explicit LockFile(std::filesystem::path path);
  ~LockFile();  // removes the file if this process holds the lock
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  // True if this process holds the lock. If the file system has no locks, this is always true.
  bool is_held() const { return is_held_; }

 private:
  std::filesystem::path path_;
  int file_ = -1;
  bool is_held_ = false;
};

}  // namespace vox
