// Reads files, mapped into memory or piece by piece, finds files that other files name, and refuses foreign files.
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

// Thrown if a file exists but the system cannot read it, for example because of a broken disk. Readers that go on
// without a missing or invalid file must not go on without such a file.
class UnreadableFile : public Error {
 public:
  UnreadableFile(const std::string& problem, const std::filesystem::path& path) : Error(problem) {
    at(path.string());
  }
};

// A file that is read piece by piece. Unlike those of a mapped file, its pages never count as memory of the process.
// All readers open files here or call check_input() first: pipes, devices and folders are refused at once.
class ReadFile {
 public:
  // Throws Error if there is no such file, or if it is a folder or empty, and UnreadableFile.
  explicit ReadFile(const std::filesystem::path& path);
  // Takes over a descriptor that open(2) or a similar call has just returned, even if it is negative.
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

// Throws the errors of ReadFile's constructor, for files that another library opens.
void check_input(const std::filesystem::path& path);

// Returns the first `most` bytes of a file, or all if it is shorter. Throws Error if it cannot be read.
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

// A text file that is read as UTF-8. A file that is UTF-8 or binary is mapped unchanged. UTF-16 is converted; it is
// recognized by a byte order mark, or by a zero byte beside its first character. Files in single-byte encodings are
// unchanged, because readers use only their ASCII characters.
class TextFile {
 public:
  // Throws Error if there is no such file, if it is empty, or if it is UTF-32 or malformed UTF-16.
  explicit TextFile(const std::filesystem::path& path);
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  // The text without its byte order mark; a zero byte follows it.
  std::string_view text() const { return text_; }

 private:
  MappedFile file_;
  std::string converted_;
  std::string_view text_;
};

// Returns the name of the mapped file at this address, without control characters, or null. If the file has become
// shorter or the disk fails, reading an address raises the signal SIGBUS. Its handler may call this function.
const char* mapped_file_at(const void* address);

// The following functions find the files to which other files refer.

// The folders whose files another file may name. A mesh from a stranger must not bring the text of this machine's files
// into a result. A symbolic link counts as its target.
class OpenFolders {
 public:
  OpenFolders() = default;  // all folders
  explicit OpenFolders(std::span<const std::filesystem::path> folders);
  bool hold(const std::filesystem::path& file) const;

 private:
  bool all_ = true;
  std::vector<std::filesystem::path> folders_;  // canonical
};

// Thrown by find_file() for a file that lies in none of the open folders.
class OutsideFile : public Error {
 public:
  explicit OutsideFile(const std::string& name);
};

// Returns the file that a mesh file in `folder` means by `name`. Backslashes count as slashes, letter case is ignored
// if no exact match exists, and %20 may stand for a space. A path that does not exist here, such as
// C:\art\textures\wood.png, is searched for by its last parts: textures/wood.png, then wood.png. Throws OutsideFile if
// there are files of this name, but none in the open folders.
std::optional<std::filesystem::path> find_file(const std::filesystem::path& folder, std::string name,
                                               const OpenFolders& open = {});

// Refuses other programs' files that vox does not read; formats/file_types.h lists them, with advice for each. Only
// the extension decides. Throws an Error with the advice if the file exists; readers report missing files.
void refuse_foreign(const std::filesystem::path& path);

}  // namespace vox
