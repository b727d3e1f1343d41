// Reads a text file as UTF-8, whatever encoding it was saved in.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "formats/io/mapped_file.h"

namespace vox {

// If the file is UTF-8 or binary, it is mapped as it is. UTF-16 is converted; it is recognised by a byte
// order mark, or by a zero byte beside its first character. Files in single-byte encodings are left as they
// are, because readers use only their ASCII characters.
class TextFile {
 public:
  // Throws Error if there is no such file, if it is empty, or if it is UTF-32 or malformed UTF-16.
  explicit TextFile(const std::filesystem::path& path);
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  // The text without its byte order mark; a zero byte follows it (formats/io/scan.h).
  std::string_view text() const { return text_; }

 private:
  MappedFile file_;
  std::string converted_;
  std::string_view text_;
};

}  // namespace vox
