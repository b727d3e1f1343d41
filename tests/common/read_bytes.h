// Reads a file as a whole. Tests are built without optimization, where a loop over bytes takes long.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace vox {

// Returns the content of a file; nothing if there is none.
inline std::string read_bytes(const std::filesystem::path& file) {
  std::string bytes(std::filesystem::is_regular_file(file) ? std::filesystem::file_size(file) : 0, '\0');
  std::ifstream(file, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

}  // namespace vox
