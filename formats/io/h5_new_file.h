// An HDF5 file that appears complete or not at all. HDF5 writes much of a file only when its objects are closed. So
// every close is checked, and the finished file is read back before it replaces anything.
#pragma once

#include <filesystem>

#include "formats/io/h5.h"
#include "libvox/base/files.h"

namespace vox::h5 {

class NewFile {
 public:
  // Throws Error that names the target if it cannot be written.
  explicit NewFile(const std::filesystem::path& target, Writers writers = Writers::Several);

  const Object& root() const { return file_; }

  // Closes the file, reads it back with check_written() and moves it to its target. All objects in it must be closed
  // before. Throws Error if anything could not be written; the target is then unchanged.
  void commit();
  // Commits this file together with another one, to which it refers. Both must have Writers::One.
  void commit_behind(AtomicFile& other);

  // True if the file is at its target. It may be there even if commit() throws: a power failure might undo that.
  bool is_in_place() const { return target_.is_in_place(); }

 private:
  void close_and_check();

  Quiet quiet_;
  AtomicFile target_;
  Object file_;
};

// Reads all attributes and all small datasets of a file. For large datasets, checks that as many bytes and chunks are
// stored as their dimensions require. Throws Error, with `name` for the file, if anything is missing.
void check_written(const std::filesystem::path& path, const std::string& name);

}  // namespace vox::h5
