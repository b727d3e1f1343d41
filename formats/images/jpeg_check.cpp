#include "formats/images/jpeg_check.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "libvox/base/error.h"

namespace vox {
namespace {

// The markers of ITU-T T.81, table B.1.
constexpr uint8_t kHuffmanTables = 0xc4, kFirstRestart = 0xd0, kLastRestart = 0xd7, kStart = 0xd8,
                  kEnd = 0xd9;

uint8_t at(std::span<const std::byte> bytes, size_t i) {
  return std::to_integer<uint8_t>(bytes[i]);
}

// Moves the start of `file` behind the next marker. Escaped and restart markers are part of a scan's data.
std::optional<uint8_t> next_marker(std::span<const std::byte>& file) {
  for (size_t i = 0; i + 1 < file.size(); ++i) {
    uint8_t code = at(file, i + 1);
    bool data = code == 0 || code == 0xff || (code >= kFirstRestart && code <= kLastRestart);
    if (at(file, i) != 0xff || data) continue;
    file = file.subspan(i + 2);
    return code;
  }
  return std::nullopt;
}

// Checks consecutive tables: class and slot, 16 counts of codes by length, the codes' values. stb_image
// starts another table as long as any of the segment's `length` bytes are left, and reads zeros behind the
// file's end.
void check_tables(std::span<const std::byte> file, size_t length) {
  for (size_t table = 0; table < length;) {
    size_t codes = 0;
    for (size_t i = table + 1; i <= table + 16 && i < file.size(); ++i) codes += at(file, i);
    if (codes > 256)
      throw Error("the JPEG has a Huffman table of more than 256 codes").hint("is it damaged?");
    table += 17 + codes;
  }
}

}  // namespace

void check_jpeg_tables(std::span<const std::byte> file) {
  if (file.size() < 2 || at(file, 0) != 0xff || at(file, 1) != kStart) return;
  file = file.subspan(2);
  while (auto marker = next_marker(file)) {
    if (*marker == kEnd) return;
    if (file.size() < 2) return;
    size_t length = size_t{at(file, 0)} << 8 | at(file, 1);  // it counts its own bytes
    length = std::max<size_t>(length, 2);
    if (*marker == kHuffmanTables) check_tables(file.subspan(2), length - 2);
    file = file.subspan(std::min(file.size(), length));
  }
}

}  // namespace vox
