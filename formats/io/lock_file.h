// A file that one process at a time has, by flock(2): whoever ends, however it ends, has it no longer.
#pragma once

#include <filesystem>

namespace vox {

class LockFile {
 public:
  // Makes the file where there is none, and waits for nobody. Throws Error that names it where it cannot be made.
  explicit LockFile(std::filesystem::path path);
  ~LockFile();  // removes the file if it is ours
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  // Whether it is ours, not another's. Where the file system has no locks, it is everybody's.
  bool is_held() const { return is_held_; }

 private:
  std::filesystem::path path_;
  int file_ = -1;
  bool is_held_ = false;
};

}  // namespace vox
