// Guards stb_image 2.27, which writes beyond its tables if a JPEG defines more than 256 Huffman codes
// (CVE-2022-28042).
#pragma once

#include <cstddef>
#include <span>

namespace vox {

// Throws Error for a JPEG with such a table. All other errors are left to stb_image.
void check_jpeg_tables(std::span<const std::byte> file);

}  // namespace vox
