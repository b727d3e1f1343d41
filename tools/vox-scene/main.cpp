// vox-scene: makes procedural textured scenes to try the other programs on.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <functional>
#include <string>

#include "formats/file_types.h"
#include "formats/mesh/mesh.h"
#include "formats/results/files.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/scene/procedural/procedural.h"
#include "libvox/voxelize/grid.h"
#include "tools/common/tool.h"
#include "tools/vox-scene/results.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

enum SceneTrait : uint32_t { kVillage = 1, kCity = 2, kSphere = 4 };

constexpr const char* kScenes = R"(Scenes (y points up, lengths are in meters):
  village        about 20,000 triangles: hills, roads, houses, fences, trees with alpha-cut leaves
  city           a walled city, four times as long as wide; --blocks 8 gives 0.1 M triangles, 24 gives 1 M, 56 gives 5 M
  bumpy-sphere   a closed, displaced sphere with any number of --triangles
)";

OptionTopic scene_topic() {
  return {
      .name = "scene",
      .title = "the scene",
      .options = {
          option("output", "FILE", {}, "Write this mesh: .glb, or .obj with .mtl and .png files beside it.",
                 {.letter = "o", .usual = "SCENE.obj"}),
          option("seed", "N", {}, "Another seed gives another scene of the same kind.", {.preset = "1"}),
          option("blocks", "N",
                 {{kCity | kVillage, "it says how large a city is; use --triangles"},
                  {kCity, "it says how large a city is"}},
                 "Number of blocks of 60 m along a city; across it are a quarter as many.",
                 {.preset = "24", .range = OptionRange{1, scene::kMaxCityBlocks}}),
          option("triangles", "N",
                 {{kSphere | kVillage, "it is for bumpy-sphere; use --blocks"},
                  {kSphere, "it is for bumpy-sphere"}},
                 "Number of triangles of a bumpy-sphere, such as 64K or 2^20; the nearest possible "
                 "number is made.",
                 {.preset = "100000", .range = OptionRange{12, scene::kMaxSphereTriangles}}),
          option("texture-size", "N", {}, "Side of each texture.",
                 {.preset = "512", .range = OptionRange{16, 8192}, .unit = "texels"}),
          flag("unwrapped", {{kSphere, "it is for bumpy-sphere"}},
               "Give each part of a bumpy-sphere's surface texels of its own, with texture coordinates "
               "from 0 to 1, which painting needs.")}};
}

ToolDescription scene_description() {
  return {.program = "vox-scene",
          .usage = "village|city|bumpy-sphere [options]",
          .about = std::string("Makes a textured scene from a seed. The same options give the same file on "
                               "every machine.\n\n") +
                   kScenes,
          .examples = {"vox-scene village -o village.glb", "vox-scene city --blocks 24 -o city.glb",
                       "vox-scene bumpy-sphere --triangles 1000000 -o sphere.obj"},
          .basics = {"output", "seed", "blocks", "triangles", "texture-size", "unwrapped", "quiet", "json",
                     "force", "version"},
          .topics = {scene_topic(), general_topic()},
          .operands = {option("scene", "SCENE", {}, "The scene to make.",
                              {.words = {"village", "city", "bumpy-sphere"}})}};
}

// Checks the options now, and returns a function that makes the scene.
std::function<scene::Scene()> choose_scene(const CommandLine& arguments) {
  const uint64_t seed = arguments.count("seed"), triangles = arguments.count("triangles");
  const uint32_t blocks = arguments.whole("blocks"), texture_size = arguments.whole("texture-size");
  const auto name = arguments.text("scene");
  if (name == "village")
    return [=] { return scene::make_village({.seed = seed, .texture_size = texture_size}); };
  if (name == "city")
    return [=] { return scene::make_city({.blocks = blocks, .seed = seed, .texture_size = texture_size}); };
  const auto texcoords =
      arguments.has("unwrapped") ? scene::SphereTexcoords::Unwrapped : scene::SphereTexcoords::Repeated;
  if (name == "bumpy-sphere")
    return [=] {
      return scene::make_bumpy_sphere(
          {.triangles = triangles, .seed = seed, .texture_size = texture_size, .texcoords = texcoords});
    };
  UsageError error(fmt::format("unknown scene '{}', expected village, city or bumpy-sphere", name));
  throw error.hint(did_you_mean(name, std::array<std::string_view, 3>{"village", "city", "bumpy-sphere"}));
}

void check_given(const CommandLine& arguments) {
  const std::string scene = arguments.text("scene");
  const uint32_t bits = scene == "city" ? kCity : scene == "village" ? kVillage : kSphere;
  check_effects(arguments.given_options(), {bits, "a " + scene});
}

std::string summary(const scene::Scene& scene, const fs::path& path, double seconds) {
  const voxelize::Box bounds = voxelize::bounding_box(scene);
  const Vec3d size = bounds.max - bounds.min;
  return fmt::format(
      "{}: {} triangles, {} vertices, {} materials, {} images, {:.4g} x {:.4g} x {:.4g} m ({})",
      path.string(), format_count(scene.triangles.size()), format_count(scene.positions.size()),
      scene.materials.size(), scene.images.size(), size.x, size.y, size.z, format_seconds(seconds));
}

void run(const CommandLine& arguments) {
  if (!arguments.has("scene")) throw UsageError("no scene named, expected village, city or bumpy-sphere");
  std::function<scene::Scene()> make_scene = choose_scene(arguments);
  const fs::path path = arguments.given("output").value_or(arguments.text("scene") + ".obj");
  check_given(arguments);
  if (!is_written_mesh_path(path))
    throw UsageError(fmt::format("-o is '{}', expected a name that ends in {}", path.string(),
                                 listed_extensions(FileRole::Mesh, FileUse::Written, FileList::Or)));
  check_writable(path, kind_of_mesh(path), arguments.overwrite());

  Stopwatch watch;
  scene::Scene scene = make_scene();
  const double generate = watch.lap();
  for (const fs::path& file : mesh_files(scene, path))
    check_writable(file, kind_of_mesh(file), arguments.overwrite());
  write_mesh(scene, path);
  const double write = watch.lap();
  if (arguments.json())
    print_result(json_text(results_of(scene, path, generate, write)) + "\n");
  else
    log_info("{}", summary(scene, path, generate + write));
}

}  // namespace
}  // namespace vox

int main(int argc, char** argv) {
  return vox::run_tool(vox::scene_description, argc, argv, vox::run);
}
