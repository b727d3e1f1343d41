#include "formats/images/png_file.h"

#include <libdeflate.h>

#include "formats/images/png_writer.h"
#include "formats/io/output_file.h"

namespace vox {
namespace {

std::string big_endian(size_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

// Returns the bytes of a tEXt chunk: length, type and content, checksum of both.
std::string chunk(const PngText& text) {
  const std::string body = "tEXt" + text.key + '\0' + text.value;
  return big_endian(body.size() - 4) + body + big_endian(libdeflate_crc32(0, body.data(), body.size()));
}

}  // namespace

std::string with_texts(std::string png, const std::vector<PngText>& texts) {
  constexpr size_t kEndChunk = 12;  // size of IEND, the last chunk, which has no content
  std::string chunks;
  for (const PngText& text : texts) chunks += chunk(text);
  return png.insert(png.size() - kEndChunk, chunks);
}

std::string encode_png(const scene::Image& image, const std::vector<PngText>& texts) {
  return with_texts(encode_png(image), texts);
}

void write_png(const scene::Image& image, const std::vector<PngText>& texts,
               const std::filesystem::path& path) {
  OutputFile file(path);
  file.write(encode_png(image, texts));
  file.commit();
}

}  // namespace vox
