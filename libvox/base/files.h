// Files that appear complete or not at all, and files without a name.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace vox {

// A file that appears complete or not at all (docs/formats.md). It is written under a temporary name beside its
// target and renamed when it is complete, so a crash or a full disk leaves the target as it was. A file that is
// replaced keeps its permissions.
//
//   AtomicFile file(target);
//   … write to file.descriptor() or file.path() …
//   file.commit();

// Who may write a target at the same time. Several runs do not disturb each other, and the last one to finish wins. Files
// that belong together have one writer, so that they are all of one run.
enum class Writers { Several, One };

class AtomicFile {
 public:
  // Creates the temporary file, empty, so that a target that cannot be written fails before the work is done.
  // Removes what a process that was killed left of the same target. A symbolic link is followed, and the file that
  // it points to is replaced or made. Throws Error that names the target; with Writers::One also if there is another
  // such writer. On file systems without locks nobody notices the other one.
  explicit AtomicFile(const std::filesystem::path& target, Writers writers = Writers::Several);
  ~AtomicFile();  // removes the temporary file unless it was committed
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  const std::filesystem::path& path() const { return temporary_; }
  const std::filesystem::path& target() const { return target_; }
  int descriptor() const { return descriptor_; }  // of the temporary file, to read and write until release()

  // Flushes the file to the disk, for results of many files. Call it when everything is written; commit() does it by
  // itself. The descriptor stays open, because other runs know a file in use by its lock; it is closed only if the
  // process has as many open that others could become too few. commit() then fails if another run took the name.
  void release();

  // Flushes the file to the disk and renames it. Throws Error that names the target; the target is then as it was,
  // unless the error says that the file is written.
  void commit();
  bool is_in_place() const { return temporary_.empty(); }

 private:
  friend void commit_together(std::span<AtomicFile* const> files);
  void flush();
  void check_still_there() const;

  std::filesystem::path target_, temporary_;
  int descriptor_ = -1;
  bool is_flushed_ = false;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

// Replaces the files of one result together or not at all: everything is flushed to the disk first, then renamed in
// the order given, which should end with the file that refers to the others. If renaming fails, the files that were
// already replaced are put back, except where another run has replaced them meanwhile, and on file systems without hard
// links. Throws what commit() throws.
void commit_together(std::span<AtomicFile* const> files);

// The place that a chain of symbolic links leads to, whether a file is there or not. Any other path is returned as it is.
std::filesystem::path followed(std::filesystem::path path);

// The name of the target of a temporary file with this name, or nothing if it is no such name. A target's name of
// more than 200 characters is cut.
std::optional<std::string> target_of_temporary(const std::string& name);

// Files without a name: no other program finds them, and they are gone when they are closed, however the
// program ends.

// Opens a new file in a folder for reading and writing. Returns its descriptor, or -1 and sets errno.
int open_nameless(const std::filesystem::path& folder);

}  // namespace vox
