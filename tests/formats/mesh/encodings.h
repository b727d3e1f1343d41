// Encodes texts in the way of other programs.
#pragma once

#include <string>
#include <string_view>

namespace vox {

// `text` must be ASCII.
inline std::string utf16(std::string_view text, bool big_endian) {
  std::string bytes;
  for (const char c : text) bytes += big_endian ? std::string{'\0', c} : std::string{c, '\0'};
  return bytes;
}

inline const std::string kUtf8Mark = "\xef\xbb\xbf", kUtf16LittleMark = "\xff\xfe",
                         kUtf16BigMark = "\xfe\xff";

}  // namespace vox
