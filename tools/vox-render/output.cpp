#include "tools/vox-render/output.h"

#include "libvox/base/log.h"
#include "libvox/base/units.h"

namespace vox {

PictureOutput::PictureOutput(const RenderToolOptions& options) : options_(options) {
  if (!writes_film(options) || !writes_pictures(options)) return;
  const auto [width, height] = options.render.size;
  film_.emplace(options.output, FilmOptions{width, height, options.from.fps, options.command});
}

void PictureOutput::add(const Frame& frame, const render::Picture& picture,
                        const std::vector<PngText>& texts) {
  if (!writes_pictures(options_)) return;
  ++count_;
  if (film_) return film_->add(picture.image);
  OutputFile& file = pictures_.emplace_back(frame.file);
  file.write(encode_png(picture.image, texts));
  file.release();
  log_info("{}, {}", frame.file.string(), format_seconds(picture.seconds));
}

void PictureOutput::close() {
  if (!film_) return OutputFile::commit_together(pictures_);
  film_->close();
  log_info("{}, {}, {} a second", options_.output.string(), format_count(count_, "picture"),
           options_.from.fps);
}

}  // namespace vox
