// Writes the pictures of a run: each into a file of its own, or all into a film. If there are several processes, rank 0
// writes.
#pragma once

#include <optional>
#include <vector>

#include "formats/images/film_file.h"
#include "tools/vox-render/frames.h"

namespace vox {

class PictureOutput {
 public:
  explicit PictureOutput(const RenderToolOptions& options);

  // Adds a picture that took so many seconds.
  void add(const Frame& frame, const render::Picture& picture, const std::vector<PngText>& texts);
  void close();  // finishes the film

 private:
  const RenderToolOptions& options_;
  std::optional<FilmFile> film_;
  uint32_t count_ = 0;
};

}  // namespace vox
