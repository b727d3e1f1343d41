#include "tools/vox-convert/painting.h"

#include <fmt/format.h>

#include "libvox/base/log.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

// A mesh of another size, or a wrong axis, makes all strokes miss: the first few lines say enough.
constexpr size_t kShownLines = 8;

void warn_of_missed(const painting::Painting& painting, const ConvertOptions& options) {
  const size_t count = painting.missed.size();
  for (size_t i = 0; i < std::min(count, kShownLines); ++i)
    log_warning("{}:{}: the stroke touches no texel", options.paint->string(), painting.missed[i]);
  if (count > kShownLines)
    log_warning("{}: {} more strokes touch no texel", options.paint->string(), count - kShownLines);
}

// Names the script and the line of a stroke that cannot be painted.
painting::Painting painted(Engine& engine, const scene::Scene& scene, const painting::Strokes& strokes,
                           const ConvertOptions& options) {
  try {
    return engine.paint(scene, strokes, options.painting);
  } catch (painting::StrokeError& error) {
    error.at(fmt::format("{}:{}", options.paint->string(), error.line()));
    throw;
  }
}

}  // namespace

painting::Painting paint_strokes(Engine& engine, const scene::Scene& scene, const painting::Strokes& strokes,
                                 const ConvertOptions& options) {
  painting::Painting painting = painted(engine, scene, strokes, options);
  warn_of_missed(painting, options);
  if (painting.far_triangles > 0)
    log_warning("{} triangles are not painted: their texture coordinates are too large for --paint-size {}",
                format_count(painting.far_triangles), options.painting.size);
  return painting;
}

PaintingFigures figures_of(const painting::Painting& painting, const painting::Strokes& strokes) {
  return {.strokes = strokes.size(),
          .size = painting.atlas.keys.size,
          .texels = painting.atlas.texels,
          .bytes = painting.atlas.bytes(),
          .rebuilds = painting.rebuilds,
          .updates = painting.updates,
          .seconds = painting.seconds,
          .table_seconds = painting.table_seconds};
}

void set_painting(measure::ResultGroup& results, const PaintingFigures& figures) {
  results.group("painting")
      .set("strokes", figures.strokes, "strokes")
      .set("size", figures.size, "texels")
      .set("texels", figures.texels, "texels")
      .set("bytes", figures.bytes, "bytes")
      .set("rebuilds", figures.rebuilds)
      .set("updates", figures.updates)
      .set("queries", figures.queries)
      .set("seconds", figures.seconds, "s")
      .set("table_seconds", figures.table_seconds, "s");
}

std::string painting_line(const PaintingFigures& figures) {
  return fmt::format("{} on {} of {}² texels in {}, {:.2f} s", format_count(figures.strokes, "stroke"),
                     format_count(figures.texels), figures.size, format_bytes(figures.bytes),
                     figures.seconds);
}

}  // namespace vox
