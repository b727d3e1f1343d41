#include "formats/images/image.h"

#include <fmt/format.h>
#include <libdeflate.h>
#include <stb_image_write.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <system_error>
#include <vector>

#include "formats/io/compression.h"
#include "formats/io/output_file.h"
#include "libvox/base/error.h"
#include "libvox/base/loops.h"

namespace vox {
namespace {

std::string big_endian(size_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

// Returns the number that the four bytes at this place stand for; 0 if the file ends before.
size_t number_at(std::string_view file, size_t at) {
  if (at > file.size() || file.size() - at < 4) return 0;
  size_t value = 0;
  for (const char byte : file.substr(at, 4)) value = value << 8 | static_cast<uint8_t>(byte);
  return value;
}

constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n";

// Returns the bytes of a chunk: length, type and content, checksum of both. `body` begins with the type.
std::string chunk(const std::string& body) {
  return big_endian(body.size() - 4) + body + big_endian(libdeflate_crc32(0, body.data(), body.size()));
}

std::string chunk(const PngText& text) {
  return chunk("tEXt" + text.key + '\0' + text.value);
}

}  // namespace

bool is_png_of_vox(std::string_view file) {
  const std::string mark = std::string("tEXt") + kSoftwareKey + '\0' + kSoftware;
  if (!file.starts_with(kPngSignature)) return false;
  // A chunk has four bytes of length, its type, its content and four bytes of checksum.
  for (size_t at = kPngSignature.size(); at + 8 < file.size(); at += 12 + number_at(file, at))
    if (file.substr(at + 4).starts_with(mark)) return true;
  return false;
}

std::string encode_png(const PngRows& image) {
  constexpr int kDeflate = 2;  // equal pictures are equal files, which the fastest level does not promise
  const bool is_rgba = image.bits == PngRows::kRgba;
  std::string head = "IHDR" + big_endian(image.width) + big_endian(image.height);
  for (const uint32_t field : {is_rgba ? 8 : image.bits, is_rgba ? 6u : 3u, 0u, 0u, 0u})
    head += static_cast<char>(field);
  std::string file = std::string(kPngSignature) + chunk(head);
  if (!is_rgba) {
    std::string palette = "PLTE", alphas = "tRNS";
    for (const scene::Rgba8& color : image.colors) {
      for (const uint8_t channel : {color.r, color.g, color.b}) palette += static_cast<char>(channel);
      alphas += static_cast<char>(color.a);
    }
    file += chunk(palette) + chunk(alphas);
  }
  const Bytes deflated = Deflater(kDeflate).deflated(image.bytes);
  file += chunk(PngText{kSoftwareKey, kSoftware});
  file += chunk("IDAT" + std::string(deflated.begin(), deflated.end()));
  return file + chunk(std::string("IEND"));
}

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

std::string encode_png(const scene::Image& image) {
  bool opaque = std::ranges::all_of(image.pixels, [](scene::Rgba8 pixel) { return pixel.a == 255; });
  int channels = opaque ? 3 : 4;
  std::vector<uint8_t> bytes;
  bytes.reserve(image.pixels.size() * static_cast<size_t>(channels));
  for (scene::Rgba8 pixel : image.pixels) {
    bytes.insert(bytes.end(), {pixel.r, pixel.g, pixel.b});
    if (!opaque) bytes.push_back(pixel.a);
  }
  std::string png;
  auto append = [](void* out, void* data, int size) {
    static_cast<std::string*>(out)->append(static_cast<const char*>(data), static_cast<size_t>(size));
  };
  auto width = static_cast<int>(image.width), height = static_cast<int>(image.height);
  if (!stbi_write_png_to_func(append, &png, width, height, channels, bytes.data(), width * channels))
    throw Error(fmt::format("an image of {} x {} cannot be written as PNG", width, height)).at(image.name);
  return png;
}

std::vector<std::string> encode_png(const std::vector<scene::Image>& images) {
  std::vector<std::string> files(images.size());
  parallel_for(size_t{0}, images.size(), [&](size_t i) { files[i] = encode_png(images[i]); });
  return files;
}

namespace {

constexpr const char* kProgram = "ffmpeg";
constexpr std::string_view kFilmMark = "made by vox: ";  // begins a film's comment

// Pictures are passed as rows of r, g, b. The temporary name does not end in .mp4, so the format is given
// explicitly. "file:" keeps a name with a colon from being taken for an address.
std::vector<std::string> command(const FilmOptions& options, const std::filesystem::path& to) {
  return {kProgram,
          "-v",
          "error",
          "-f",
          "rawvideo",
          "-pix_fmt",
          "rgb24",
          "-video_size",
          fmt::format("{}x{}", options.width, options.height),
          "-framerate",
          fmt::format("{}", options.fps),
          "-i",
          "pipe:0",
          "-pix_fmt",
          "yuv420p",
          "-movflags",
          "+faststart",
          "-metadata",
          fmt::format("comment={}{}", kFilmMark, options.comment),
          "-f",
          "mp4",
          "-y",
          "file:" + to.string()};
}

}  // namespace

// The box "moov" describes the film and contains its comment. In our films it comes before the pictures, so that every
// box before it has less than 4 GiB and states its size in four bytes.
bool is_film_of_vox(std::string_view file) {
  constexpr size_t kBoxHead = 8;
  for (size_t at = 0; at + kBoxHead <= file.size();) {
    const size_t size = number_at(file, at);
    if (file.substr(at + 4, 4) == "moov")
      return file.substr(at, size).find(kFilmMark) != std::string_view::npos;
    if (size < kBoxHead) return false;
    at += size;
  }
  return false;
}

bool can_write_films() {
  return program_in_path(kProgram).has_value();
}

FilmFile::FilmFile(const std::filesystem::path& path, const FilmOptions& options)
    : file_(path), name_(path.string()), ffmpeg_(command(options, memory_.path())) {}

FilmFile::Memory::Memory() : descriptor_(memfd_create("film", MFD_CLOEXEC)) {
  if (descriptor_ < 0)
    throw Error(fmt::format("no memory for a film: {}", std::generic_category().message(errno)));
}

FilmFile::Memory::~Memory() {
  ::close(descriptor_);
}

std::filesystem::path FilmFile::Memory::path() const {
  return fmt::format("/proc/{}/fd/{}", getpid(), descriptor_);
}

void FilmFile::Memory::copy_to(OutputFile& file) const {
  std::string part(1 << 20, '\0');
  for (off_t at = 0;;) {
    const ssize_t count = pread(descriptor_, part.data(), part.size(), at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      throw Error(fmt::format("the film cannot be read back: {}", std::generic_category().message(errno)));
    if (count == 0) return;
    file.write(std::string_view(part).substr(0, static_cast<size_t>(count)));
    at += count;
  }
}

void FilmFile::add(const scene::Image& image) {
  std::vector<std::byte> bytes;
  bytes.reserve(image.pixels.size() * 3);
  for (const scene::Rgba8 pixel : image.pixels)
    for (const uint8_t part : {pixel.r, pixel.g, pixel.b}) bytes.push_back(std::byte{part});
  if (!ffmpeg_.write(bytes)) fail(ffmpeg_.finish());
}

void FilmFile::close() {
  const ProgramResult result = ffmpeg_.finish();
  if (result.status != 0) fail(result);
  memory_.copy_to(file_);
  file_.commit();
}

void FilmFile::fail(const ProgramResult& result) const {
  std::string said = result.output.substr(0, 500);
  while (!said.empty() && std::isspace(static_cast<unsigned char>(said.back()))) said.pop_back();
  std::ranges::replace(said, '\n', ' ');
  throw Error(fmt::format("ffmpeg ended with exit code {} and said: {}", result.status, said)).at(name_);
}

}  // namespace vox
