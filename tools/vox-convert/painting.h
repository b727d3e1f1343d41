// The part of vox-convert that paints strokes on meshes.
#pragma once

#include <optional>

#include "libvox/engine/engine.h"
#include "libvox/measure/results.h"
#include "tools/vox-convert/options.h"

namespace vox {

// The figures on what has been painted.
struct PaintingFigures {
  uint64_t strokes = 0, size = 0, texels = 0, bytes = 0, rebuilds = 0, updates = 0, queries = 0;
  double seconds = 0, table_seconds = 0;
};

// Paints the strokes of --paint. Warns of what is not painted.
painting::Painting paint_strokes(Engine& engine, const scene::Scene& scene, const painting::Strokes& strokes,
                                 const ConvertOptions& options);

PaintingFigures figures_of(const painting::Painting& painting, const painting::Strokes& strokes);

// Sets the group `painting`.
void set_painting(measure::ResultGroup& results, const PaintingFigures& figures);

// "3 strokes on 1,024,000 of 65536² texels in 19.53 MiB, 0.42 s"
std::string painting_line(const PaintingFigures& figures);

}  // namespace vox
