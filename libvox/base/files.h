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

// The number of writers that a target may have at the same time. Several runs do not disturb each other, and the last
// one to finish wins. Files that belong together have one writer, so that all of them come from the same run.
enum class Writers { Several, One };

class AtomicFile {
 public:
  // Creates the empty temporary file, so that a target that cannot be written fails before the work is done. Removes
  // temporary files that killed processes left for the same target. A symbolic link is followed: the file that it
  // points to is replaced or made. Throws an Error that names the target; with Writers::One, also if the target has
  // another such writer. On file systems without locks, such a writer goes unnoticed.
  explicit AtomicFile(const std::filesystem::path& target, Writers writers = Writers::Several);
  ~AtomicFile();  // removes the temporary file unless it was committed
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  const std::filesystem::path& path() const { return temporary_; }
  const std::filesystem::path& target() const { return target_; }
  int descriptor() const { return descriptor_; }  // to read and write the temporary file until release()

  // Flushes a complete file to the disk. commit() does this, too; a result of many files calls it file by file. The
  // descriptor stays open, because its lock tells other runs that the file is in use. If descriptors are about to run
  // out, it is closed, and commit() fails if another run has taken the name meanwhile.
  void release();

  // Flushes the file to the disk and renames it. Throws an Error that names the target; the target is then as it was,
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

// Returns the place that a chain of symbolic links leads to, even if no file is there. Other paths are returned as is.
std::filesystem::path followed(std::filesystem::path path);

// Returns the name of the target whose temporary file has this name, or nothing if no temporary file has such a name. A
// target's name of more than 200 characters is returned without the rest.
std::optional<std::string> target_of_temporary(const std::string& name);

// Opens a new file without a name in a folder, for reading and writing. No other program finds it, and it is gone
// when it is closed, however the program ends. Returns its descriptor, or -1 and sets errno.
int open_nameless(const std::filesystem::path& folder);

}  // namespace vox
