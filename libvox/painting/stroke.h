// Strokes: the paint on a surface, one stroke over the other in the order of their script.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/vec.h"
#include "libvox/scene/palette.h"

namespace vox::painting {

// The units of a stroke's points and radius: those of the scene, or those of texture coordinates.
enum class StrokeSpace : uint8_t { Scene, Texture };

inline constexpr double kUsualEdge = 0.5;

struct Stroke {
  scene::Rgb8 color = {};
  StrokeSpace space = StrokeSpace::Scene;
  double radius = 0;         // finite and above 0
  double edge = kUsualEdge;  // from 0 to 1: the outer part of the radius in which the paint thins out to
                             // nothing
  std::vector<Vec3d>
      points;         // finite, at least one: a line from point to point; in a texture (u, v, 0), v down
  uint32_t line = 0;  // the line of the script
};

using Strokes = std::vector<Stroke>;

// The error of one stroke.
class StrokeError : public Error {
 public:
  StrokeError(std::string problem, uint32_t line) : Error(std::move(problem)), line_(line) {}
  uint32_t line() const { return line_; }  // of the script

 private:
  uint32_t line_;
};

}  // namespace vox::painting
