#include "formats/scene/verify_file.h"

#include <fmt/format.h>

#include "formats/volume/volume_file.h"
#include "libvox/base/error.h"
#include "libvox/bricks/verify.h"
#include "libvox/dag/scene_volume.h"
#include "libvox/spatial/verify.h"
#include "libvox/volume/compare.h"

namespace vox {
namespace {

using std::filesystem::path;

// Runs `check` and names the file in the errors that it throws.
template <class Check>
void of_file(const path& file, const Check& check) {
  try {
    check();
  } catch (const Cancelled&) {
    throw;
  } catch (Error& error) {
    throw Error(error.what()).at(file.string()).about(error.setting());
  }
}

// A GPU takes longer to start than the processor takes to verify a smaller DAG.
constexpr uint64_t kWorthAGpu = 128 << 20;

void check_dag(const dag::FrozenDag& dag, EngineOptions options) {
  if (options.device == "auto" && dag.bytes() < kWorthAGpu) options.device = "cpu";
  make_engine(options)->verify(dag);
}

void check_voxels(const bricks::FrozenBricks& bricks, const dag::VoxelScene& scene) {
  volume::check_same_values(bricks::bricks_volume(bricks), "the bricks", dag::scene_volume(scene),
                            "the SVDAG");
}

void check_forms(const OtherForms& forms, const dag::VoxelScene& scene) {
  if (forms.bricks != nullptr) {
    bricks::verify(*forms.bricks);
    check_voxels(*forms.bricks, scene);
  }
  if (forms.hash != nullptr) {
    spatial::verify(*forms.hash);
    spatial::check_same_voxels(*forms.hash, scene.dag);
  }
}

void check_digest(const dag::VoxelScene& written, const dag::VoxelScene& scene) {
  if (written.dag.digest != scene.dag.digest)
    throw Error(fmt::format("the digest is {}, but the scene's is {}", dag::to_string(written.dag.digest),
                            dag::to_string(scene.dag.digest)));
}

}  // namespace

void verify_scene(const dag::VoxelScene& scene, const OtherForms& forms, const path& file,
                  const EngineOptions& options) {
  of_file(file, [&] {
    check_dag(scene.dag, options);
    check_forms(forms, scene);
  });
}

void verify_bricks(const bricks::FrozenBricks& bricks, const path& file) {
  of_file(file, [&] { bricks::verify(bricks); });
}

void verify_written(const dag::VoxelScene& scene, const path& file, const EngineOptions& options) {
  const SceneFileParts parts = scene_file_parts(file);
  if (parts.bricks) {
    const bricks::FrozenBricks bricks = read_bricks(file);
    of_file(file, [&] { check_forms({.bricks = &bricks}, scene); });
  }
  if (parts.hash) {
    const spatial::FrozenHash hash = read_hash(file);
    of_file(file, [&] { check_forms({.hash = &hash}, scene); });
  }
  if (!parts.dag && !parts.hash) return;
  const dag::VoxelScene written = parts.dag ? read_scene(file) : read_scene_without_dag(file);
  of_file(file, [&] {
    if (parts.dag) check_dag(written.dag, options);
    check_digest(written, scene);
  });
}

void verify_written(const volume::Volume& volume, const volume::ThresholdOptions& threshold,
                    const path& file) {
  const volume::Volume expected = volume::with_rule(volume, volume::value_rule(volume, threshold));
  const auto check = [&](const volume::Volume& written, const char* name) {
    volume::check_same_values(written, name, expected, "the volume");
  };
  if (is_volume_path(file)) return of_file(file, [&] { check(open_volume(file, {}), "the file"); });
  const bricks::FrozenBricks bricks = read_bricks(file);
  of_file(file, [&] {
    bricks::verify(bricks);
    check(bricks::bricks_volume(bricks), "the bricks");
  });
}

}  // namespace vox
