#include "tools/vox-scene/results.h"

#include "libvox/voxelize/grid.h"
#include "tools/common/reports.h"

namespace vox {

ResultGroup results_of(const scene::Scene& scene, const std::filesystem::path& path, double generate,
                       double write) {
  ResultGroup results;
  results.set("file", path.string(), "The file that was written.")
      .set("triangles", scene.triangles.size(), "triangles", "Number of its triangles.")
      .set("vertices", scene.positions.size(), "vertices", "Number of its vertices.")
      .set("materials", scene.materials.size(), "materials", "Number of its materials.")
      .set("images", scene.images.size(), "images", "Number of its images.");
  const voxelize::Box bounds = voxelize::bounding_box(scene);
  results.group("bounds")
      .set("min", std::vector{bounds.min.x, bounds.min.y, bounds.min.z}, "m",
           "Lower corner of the box around it: x, y, z.")
      .set("max", std::vector{bounds.max.x, bounds.max.y, bounds.max.z}, "m", "Its upper corner.");
  set_seconds(results, {{"generate", generate, "Time for making the scene."},
                        {"write", write, "Time for writing it."},
                        {"total", generate + write, "Time of both."}});
  return results;
}

}  // namespace vox
