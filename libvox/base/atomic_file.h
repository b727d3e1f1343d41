// A file that appears complete or not at all (docs/formats.md): written under a temporary name beside its
// target, renamed when complete. A crash or a full disk leaves the target as it was.
//
//   AtomicFile file(target);
//   … write to file.path(), close it …
//   file.commit();
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace vox {

class AtomicFile {
 public:
  // Creates the temporary file, empty, so that a target that cannot be written fails before the work is done.
  // Throws Error that names the target. A symbolic link is followed: what it points to is replaced.
  explicit AtomicFile(const std::filesystem::path& target);
  ~AtomicFile();  // removes the temporary file unless commit() was called
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  const std::filesystem::path& path() const { return temporary_; }
  const std::filesystem::path& target() const { return target_; }

  // Flushes to the disk and renames. Whoever wrote to path() has closed it.
  void commit();

 private:
  std::filesystem::path target_, temporary_;
};

// Of a temporary file's name the target's, and none of another name: processes that are killed leave such files. A
// target's name of more than 200 characters is cut.
std::optional<std::string> target_of_temporary(const std::string& name);

}  // namespace vox
