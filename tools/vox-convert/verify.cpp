#include "tools/vox-convert/verify.h"

#include <fmt/format.h>

#include "formats/scene/scene_file.h"
#include "formats/volume/volume_file.h"
#include "libvox/base/error.h"
#include "libvox/bricks/verify.h"
#include "libvox/dag/scene_volume.h"
#include "libvox/volume/compare.h"

namespace vox {
namespace {

using std::filesystem::path;

// Names the file in whatever `check` throws.
template <class Check>
void of_file(const path& file, const Check& check) {
  try {
    check();
  } catch (const Cancelled&) {
    throw;
  } catch (Error& error) {
    throw Error(error.what()).at(file.string());
  }
}

void check_voxels(const FrozenBricks& bricks, const VoxelScene& scene) {
  check_same_values(bricks_volume(bricks), "the bricks", scene_volume(scene), "the SVDAG");
}

}  // namespace

void verify_scene(const VoxelScene& scene, const FrozenBricks* bricks, const path& file) {
  of_file(file, [&] {
    verify(scene.dag);
    if (bricks == nullptr) return;
    verify(*bricks);
    check_voxels(*bricks, scene);
  });
}

void verify_bricks(const FrozenBricks& bricks, const path& file) {
  of_file(file, [&] { verify(bricks); });
}

void verify_written(const VoxelScene& scene, const path& file) {
  const SceneFileParts parts = scene_file_parts(file);
  if (parts.bricks) {
    const FrozenBricks bricks = read_bricks(file);
    of_file(file, [&] {
      verify(bricks);
      check_voxels(bricks, scene);
    });
  }
  if (!parts.dag) return;
  const VoxelScene written = read_scene(file);
  of_file(file, [&] {
    verify(written.dag);
    if (written.dag.digest != scene.dag.digest)
      throw Error(fmt::format("the digest is {}, but the scene's is {}", to_string(written.dag.digest),
                              to_string(scene.dag.digest)));
  });
}

void verify_written(const Volume& volume, const ThresholdOptions& threshold, const path& file) {
  const Volume expected = with_rule(volume, value_rule(volume, threshold));
  const auto check = [&](const Volume& written, const char* name) {
    check_same_values(written, name, expected, "the volume");
  };
  if (is_volume_path(file)) return of_file(file, [&] { check(open_volume(file, {}), "the file"); });
  const FrozenBricks bricks = read_bricks(file);
  of_file(file, [&] {
    verify(bricks);
    check(bricks_volume(bricks), "the bricks");
  });
}

}  // namespace vox
