// The command vox-bench intersect.
#include <fmt/format.h>

#include "formats/mesh/mesh.h"
#include "libvox/base/log.h"
#include "libvox/base/thread_limit.h"
#include "libvox/base/units.h"
#include "libvox/scene/procedural/procedural.h"
#include "tools/vox-bench/commands.h"
#include "tools/vox-bench/intersect_options.h"
#include "tools/vox-bench/intersect_report.h"
#include "tools/vox-bench/report.h"

namespace vox {
namespace {

struct NamedMesh {
  std::string name;
  scene::Scene scene;
};

// The mesh with this number, 0 or 1.
NamedMesh make_mesh(const IntersectCommand& command, size_t number) {
  if (!command.meshes.empty())
    return {command.meshes[number].string(), read_meshes({&command.meshes[number], 1}).scene};
  constexpr uint32_t kLeastTexture = 16;  // nobody looks at it
  const uint64_t seed = number + 1;
  return {fmt::format("bumpy sphere {}", seed),
          scene::make_bumpy_sphere(
              {.triangles = command.triangles, .seed = seed, .texture_size = kLeastTexture})};
}

}  // namespace

void run_intersect(const CommandLine& arguments) {
  const IntersectCommand command = read_intersect_command(arguments);
  check_targets(command.files);
  const ThreadLimit threads(command.engine.threads);
  const NamedMesh first = make_mesh(command, 0), second = make_mesh(command, 1);
  const std::unique_ptr<Engine> engine = make_engine(command.engine);
  log_info("{} and {} at {}³, on {}", first.name, second.name, command.bench.resolution,
           engine->device_text());
  const IntersectRun run = {run_on(*engine, command.command), first.name, second.name, command.bench,
                            measure::bench_intersect(*engine, first.scene, second.scene, command.bench)};
  report(command, run, *engine);
}

}  // namespace vox
