// vox-scene: makes procedural textured scenes to try the other programs on.
#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <string>

#include "formats/file_types.h"
#include "formats/mesh/mesh_writer.h"
#include "formats/results/json_text.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/stopwatch.h"
#include "libvox/base/units.h"
#include "libvox/scene/procedural/procedural.h"
#include "libvox/voxelize/grid.h"
#include "tools/common/option_table.h"
#include "tools/common/terminal.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAbout =
    R"(Makes a textured scene from a seed: the same options give the same file on every machine.

Scenes (y up, metres):
  village        about 20,000 triangles: hills, roads, houses, fences, trees with alpha-cut leaves
  city           a walled city, four times as long as wide; --blocks 8 is 0.1 M triangles, 24 is 1 M, 56 is 5 M
  bumpy-sphere   a closed, displaced sphere of any --triangles

Examples:
  vox-scene village -o village.glb
  vox-scene city --blocks 24 -o city.glb
  vox-scene bumpy-sphere --triangles 1000000 -o sphere.obj
)";

cxxopts::Options describe() {
  cxxopts::Options options("vox-scene", kAbout);
  options.custom_help("SCENE [options]").positional_help("").set_width(100);
  auto number = [](const char* text) { return cxxopts::value<std::string>()->default_value(text); };
  options.add_options("Scene")("scene", "village, city or bumpy-sphere", cxxopts::value<std::string>(),
                               "village|city|bumpy-sphere")(
      "o,output", "Where to: .glb, or .obj with .mtl and .png files beside it (default: SCENE.obj)",
      cxxopts::value<std::string>(), "FILE")("seed", "Another scene of the same kind", number("1"), "N")(
      "blocks", "city: blocks of 60 m along its length, 1 to 128; a quarter of that across", number("24"),
      "N")("triangles", "bumpy-sphere: 12 or more (1000000, 64K, 2^20); the nearest possible count is made",
           number("100000"),
           "N")("texture-size", "Side of each texture in texels, 16 to 8192", number("512"), "N")(
      "unwrapped",
      "bumpy-sphere: give each part of the surface texels of its own, as painting needs it; texture "
      "coordinates from 0 to 1");
  add_common_options(options);
  options.parse_positional({"scene"});
  return options;
}

uint64_t number_of(const cxxopts::ParseResult& parsed, const std::string& name, uint64_t low, uint64_t high) {
  std::string option = "--" + name;
  uint64_t value = parse_count(parsed[name].as<std::string>(), option);
  if (value < low || value > high)
    throw UsageError(fmt::format("{} is {}, expected {} to {}", option, value, low, high));
  return value;
}

// Checks the options now, and returns a function that makes the scene.
std::function<scene::Scene()> choose_scene(const cxxopts::ParseResult& parsed) {
  uint64_t seed = number_of(parsed, "seed", 0, UINT64_MAX);
  uint64_t triangles = number_of(parsed, "triangles", 12, scene::kMaxSphereTriangles);
  auto blocks = static_cast<uint32_t>(number_of(parsed, "blocks", 1, scene::kMaxCityBlocks));
  auto texture_size = static_cast<uint32_t>(number_of(parsed, "texture-size", 16, 8192));
  auto name = parsed["scene"].as<std::string>();
  if (name == "village")
    return [=] { return scene::make_village({.seed = seed, .texture_size = texture_size}); };
  if (name == "city")
    return [=] { return scene::make_city({.blocks = blocks, .seed = seed, .texture_size = texture_size}); };
  const auto texcoords =
      parsed.count("unwrapped") ? scene::SphereTexcoords::Unwrapped : scene::SphereTexcoords::Repeated;
  if (name == "bumpy-sphere")
    return [=] {
      return scene::make_bumpy_sphere(
          {.triangles = triangles, .seed = seed, .texture_size = texture_size, .texcoords = texcoords});
    };
  throw UsageError(fmt::format("unknown scene '{}', expected village, city or bumpy-sphere", name));
}

void check_given(const std::vector<std::string>& given, const std::string& scene) {
  enum : uint32_t { kVillage = 1, kCity = 2, kSphere = 4 };
  static constexpr OptionRow kTable[] = {
      {"blocks", kCity | kVillage, "it says how large a city is; use --triangles"},
      {"blocks", kCity, "it says how large a city is"},
      {"triangles", kSphere | kVillage, "it is for bumpy-sphere; use --blocks"},
      {"triangles", kSphere, "it is for bumpy-sphere"},
      {"unwrapped", kSphere, "it is for bumpy-sphere"}};
  const uint32_t bits = scene == "city" ? kCity : scene == "village" ? kVillage : kSphere;
  check_options(given, kTable, {bits, "a " + scene});
}

struct Seconds {
  double generate = 0, write = 0;
};

std::string result_text(const scene::Scene& scene, const fs::path& path, Seconds seconds) {
  measure::ResultGroup results;
  results.set("file", path.string())
      .set("triangles", scene.triangles.size())
      .set("vertices", scene.positions.size())
      .set("materials", scene.materials.size())
      .set("images", scene.images.size());
  const voxelize::Box bounds = voxelize::bounding_box(scene);
  results.group("bounds")
      .set("min", std::vector{bounds.min.x, bounds.min.y, bounds.min.z}, "m")
      .set("max", std::vector{bounds.max.x, bounds.max.y, bounds.max.z}, "m");
  results.group("seconds")
      .set("generate", seconds.generate, "s")
      .set("write", seconds.write, "s")
      .set("total", seconds.generate + seconds.write, "s");
  return json_text(results);
}

std::string summary(const scene::Scene& scene, const fs::path& path, Seconds seconds) {
  const voxelize::Box bounds = voxelize::bounding_box(scene);
  const Vec3d size = bounds.max - bounds.min;
  return fmt::format(
      "{}: {} triangles, {} vertices, {} materials, {} images, {:.4g} x {:.4g} x {:.4g} m ({})",
      path.string(), format_count(scene.triangles.size()), format_count(scene.positions.size()),
      scene.materials.size(), scene.images.size(), size.x, size.y, size.z,
      format_seconds(seconds.generate + seconds.write));
}

void run(int argc, char** argv) {
  cxxopts::Options options = describe();
  CommonOptions common;
  cxxopts::ParseResult parsed = parse_command_line(options, argc, argv, common, {"Scene"});
  if (!parsed.count("scene")) throw UsageError("no scene named, expected village, city or bumpy-sphere");
  std::function<scene::Scene()> make_scene = choose_scene(parsed);
  fs::path path = parsed.count("output") ? parsed["output"].as<std::string>()
                                         : parsed["scene"].as<std::string>() + ".obj";
  check_given(common.given, parsed["scene"].as<std::string>());
  if (!is_written_mesh_path(path))
    throw UsageError(fmt::format("-o is '{}', expected a name that ends in {}", path.string(),
                                 listed_extensions(FileRole::Mesh, FileUse::Written, FileList::Or)));
  check_writable(path, kind_of_mesh(path), common.overwrite);

  Stopwatch watch;
  Seconds seconds;
  scene::Scene scene = make_scene();
  seconds.generate = watch.lap();
  for (const fs::path& file : mesh_files(scene, path))
    check_writable(file, kind_of_mesh(file), common.overwrite);
  write_mesh(scene, path);
  seconds.write = watch.lap();
  if (common.json) {
    print_result(result_text(scene, path, seconds) + "\n");
  } else {
    log_info("{}", summary(scene, path, seconds));
  }
}

}  // namespace
}  // namespace vox

int main(int argc, char** argv) {
  return vox::run_tool("vox-scene", [&] { vox::run(argc, argv); });
}
