// Reads a text file as UTF-8, whatever encoding it was saved in.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "formats/io/mapped_file.h"

namespace vox {

// Maps the file itself where it is UTF-8 or no text at all; UTF-16, which a byte order mark or a zero byte
// beside its first character tells, is converted. Files of one byte for each character pass as they are:
// readers use only their ASCII.
class TextFile {
 public:
  // Throws Error where there is no such file, it is empty, or it is text of another kind.
  explicit TextFile(const std::filesystem::path& path);
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  // The text without a byte order mark; a zero byte follows it (formats/io/scan.h).
  std::string_view text() const { return text_; }

 private:
  MappedFile file_;
  std::string converted_;
  std::string_view text_;
};

}  // namespace vox
