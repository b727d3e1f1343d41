// An AtomicFile appears complete or not at all (docs/formats.md). It is written under a temporary name beside
// its target and renamed when it is complete, so that a crash or a full disk leaves the target as it was.
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
  // Throws Error that names the target. If the target is a symbolic link, the file that the link points to is
  // replaced.
  explicit AtomicFile(const std::filesystem::path& target);
  ~AtomicFile();  // removes the temporary file unless commit() was called
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  const std::filesystem::path& path() const { return temporary_; }
  const std::filesystem::path& target() const { return target_; }

  // Flushes the file to the disk and renames it. The caller must have closed what it wrote to path().
  void commit();

 private:
  std::filesystem::path target_, temporary_;
};

// Returns the name of the target if `name` is that of a temporary file, else nothing. Processes that are
// killed leave temporary files behind. A target's name of more than 200 characters is returned cut.
std::optional<std::string> target_of_temporary(const std::string& name);

}  // namespace vox
