#include "formats/images/film_file.h"

#include <fmt/format.h>

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
    : file_(path), ffmpeg_(command(options, file_.path())) {}

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
  file_.commit();
}

void FilmFile::fail(const ProgramResult& result) const {
  std::string said = result.output.substr(0, 500);
  while (!said.empty() && said.back() == '\n') said.pop_back();
  throw Error(fmt::format("ffmpeg ended with exit code {} and said: {}", result.status, said))
      .at(file_.target().string());
}

}  // namespace vox
