#include "formats/voxels/nanovdb/nvdb_scene_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "libvox/base/error.h"
#include "libvox/voxelize/grid.h"

namespace vox::nvdb {
namespace {

constexpr std::string_view kFirstLine = "vox scene 1";
constexpr std::string_view kAxes = "xyz";

// Reads the lines one by one; each has a keyword and its value.
class SceneLines {
 public:
  explicit SceneLines(std::string_view text) : text_(std::string(text)) {}

  std::istringstream next(std::string_view expected) {
    std::istringstream line(whole_line());
    if (std::string word; !(line >> word) || word != expected) damaged(expected);
    return line;
  }
  std::string whole_line() {
    std::string line;
    if (!std::getline(text_, line)) damaged("another line");
    return line;
  }
  template <class T>
  T value(std::string_view name) {
    std::istringstream line = next(name);
    T value = {};
    if (!(line >> value)) damaged(name);
    return value;
  }
  [[noreturn]] static void damaged(std::string_view expected) {
    throw Error(fmt::format("its description of the scene is damaged: expected {}", expected));
  }

 private:
  std::istringstream text_;
};

uint8_t channel_of(std::istringstream& line) {
  uint32_t value = 256;
  if (!(line >> value) || value > 255) SceneLines::damaged("red, green and blue, 0 to 255");
  return static_cast<uint8_t>(value);
}

// Replaces line ends, so that a name stays on one line.
std::string one_line(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return name;
}

}  // namespace

std::string scene_text(const dag::VoxelScene& scene) {
  std::string text =
      fmt::format("{}\nresolution {}\norigin {} {} {}\nvoxel_size {}\nup {}\nmaterials {}\n", kFirstLine,
                  scene.dag.resolution, scene.origin.x, scene.origin.y, scene.origin.z, scene.voxel_size,
                  kAxes[static_cast<size_t>(scene.up)], scene.palette.count);
  for (uint32_t i = 0; i < scene.palette.count; ++i) {
    const scene::Rgb8 color = scene.palette.colors[i];
    text += fmt::format("{} {} {} {}\n", color.r, color.g, color.b, one_line(scene.palette.names[i]));
  }
  return text;
}

SceneText parse_scene_text(std::string_view text) {
  SceneLines lines(text);
  if (lines.whole_line() != kFirstLine) SceneLines::damaged(kFirstLine);
  SceneText scene;
  scene.resolution = lines.value<uint32_t>("resolution");
  if (scene.resolution < voxelize::kMinResolution || scene.resolution > voxelize::kMaxResolution)
    SceneLines::damaged("a resolution of 4 to 1M");
  std::istringstream origin = lines.next("origin");
  if (!(origin >> scene.origin.x >> scene.origin.y >> scene.origin.z)) SceneLines::damaged("an origin");
  scene.voxel_size = lines.value<double>("voxel_size");
  if (!(scene.voxel_size > 0)) SceneLines::damaged("a voxel size above 0");
  const size_t up = kAxes.find(lines.value<char>("up"));
  if (up == std::string_view::npos) SceneLines::damaged("x, y or z");
  scene.up = static_cast<dag::UpAxis>(up);
  scene.palette.count = lines.value<uint32_t>("materials");
  if (scene.palette.count > scene::kPaletteSize) SceneLines::damaged("at most 16 materials");
  for (uint32_t i = 0; i < scene.palette.count; ++i) {
    std::istringstream line(lines.whole_line());
    for (uint8_t* channel :
         {&scene.palette.colors[i].r, &scene.palette.colors[i].g, &scene.palette.colors[i].b})
      *channel = channel_of(line);
    line.ignore(1);
    std::getline(line, scene.palette.names[i]);
  }
  return scene;
}

}  // namespace vox::nvdb
