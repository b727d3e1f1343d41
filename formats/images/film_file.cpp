#include "formats/images/film_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <system_error>
#include <vector>

#include "libvox/base/error.h"

namespace vox {
namespace {

constexpr const char* kProgram = "ffmpeg";

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
