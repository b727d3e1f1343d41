// Reads files: mapped into memory, or piece by piece; finds files that other files name, and refuses what vox cannot read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libvox/base/error.h"

namespace vox {

// The error of a file that is there, but that the system fails to read, for example because of a broken disk. A reader that
// goes on without a file that is missing or has a wrong form does not go on without this one.
class UnreadableFile : public Error {
 public:
  UnreadableFile(const std::string& problem, const std::filesystem::path& path) : Error(problem) {
    at(path.string());
  }
};

// A file that is read piece by piece; unlike a mapped one's, its pages never count as memory of the process. All readers
// of files open them here or ask check_input() first: pipes, devices and folders are refused instead of waited for.

class ReadFile {
 public:
  // Throws Error if there is no such file, or if it is a folder or empty, and UnreadableFile.
  explicit ReadFile(const std::filesystem::path& path);
  // Takes over a descriptor that open(2) or the like has just returned, also if it is negative.
  ReadFile(int descriptor, const std::filesystem::path& path);
  ~ReadFile();
  ReadFile(const ReadFile&) = delete;
  ReadFile& operator=(const ReadFile&) = delete;

  uint64_t size() const { return size_; }
  int descriptor() const { return descriptor_; }

  // Several threads may call this. Throws UnreadableFile, also if the file has become shorter.
  void read(uint64_t offset, std::span<std::byte> to) const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

// Throws Error where the constructor of ReadFile does, for files that another library opens.
void check_input(const std::filesystem::path& path);

// Returns the first `most` bytes of a file, fewer of a shorter one. Throws Error if it cannot be read.
std::string read_first_bytes(const std::filesystem::path& path, size_t most);

// Does the same, but returns no bytes if the file cannot be read.
std::string first_bytes(const std::filesystem::path& path, size_t most);

// A file mapped into memory for reading.

// A zero byte follows the file's bytes, so that scanners of text need not check for the end
// (formats/io/scan.h).
class MappedFile {
 public:
  // Throws Error if there is no such file, or if it is a folder or empty, and UnreadableFile.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view text() const { return {data_, size_}; }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(data_, size_)); }

 private:
  std::string name_;
  const char* data_ = nullptr;
  size_t size_ = 0, mapped_size_ = 0;
};

// Returns the name of the mapped file that holds this address, without control characters, or null. Reading the address of a
// file that has become shorter, or that the disk does not give, is the signal SIGBUS, in whose handler this may be called.
const char* mapped_file_at(const void* address);

// Finds the files that other files refer to.

// The folders whose files another file may name: a mesh from elsewhere must not bring the text of a file of this machine
// into a result. Symbolic links count as what they lead to.
class OpenFolders {
 public:
  OpenFolders() = default;  // all folders
  explicit OpenFolders(std::span<const std::filesystem::path> folders);
  bool hold(const std::filesystem::path& file) const;

 private:
  bool all_ = true;
  std::vector<std::filesystem::path> folders_;  // canonical
};

// The error of find_file() for a file that lies in none of the open folders.
class OutsideFile : public Error {
 public:
  explicit OutsideFile(const std::string& name);
};

// The file that a mesh file in `folder` means by `name`: backslashes count as slashes, letter case is ignored
// where no exact match exists, %20 may stand for a space. A path that does not exist here,
// C:\art\textures\wood.png, is looked for by its last parts: textures/wood.png, then wood.png. Throws OutsideFile if there
// are files of this name, but in none of the open folders.
std::optional<std::filesystem::path> find_file(const std::filesystem::path& folder, std::string name,
                                               const OpenFolders& open = {});

// Refuses files of other programs that vox does not read. formats/file_types.h lists them, with advice for
// each.

// Looks only at the extension. Throws an Error with the advice if the file exists; a missing file is left to
// the readers.
void refuse_foreign(const std::filesystem::path& path);

}  // namespace vox
