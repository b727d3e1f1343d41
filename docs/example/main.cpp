// From a mesh in memory to an edited scene file: a red tetrahedron, voxelized, with a hole in it. Build it
// against an installed vox, then look at what it made:
//
//   cmake -S docs/example -B build/example -DCMAKE_PREFIX_PATH=PREFIX && cmake --build build/example
//   build/example/example && vox-render example.h5
#include <array>
#include <cstdio>

#include "formats/scene/scene_file.h"
#include "libvox/base/error.h"
#include "libvox/edit/edit_session.h"
#include "libvox/engine/engine.h"
#include "libvox/scene/palette.h"

int main() try {
  vox::scene::Scene mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.materials = {{.name = "brick", .base_color = {0.6f, 0.1f, 0.05f, 1}}};
  constexpr std::array<uint32_t, 3> kNoTexture = {vox::scene::kNone, vox::scene::kNone, vox::scene::kNone};
  for (const std::array<uint32_t, 3>& corners :
       {std::array{0u, 2u, 1u}, {0u, 1u, 3u}, {0u, 3u, 2u}, {1u, 2u, 3u}})
    mesh.triangles.push_back({corners, kNoTexture, 0});

  // 512 voxels along the longest side, filled inside.
  const auto engine = vox::make_engine({});  // a GPU where there is one
  const vox::voxelize::Grid grid = vox::voxelize::fit_grid(mesh, {.resolution = 512});
  const vox::scene::IndexedScene indexed =
      vox::scene::index_scene(mesh, vox::scene::mesh_palette(mesh), vox::scene::MaterialMode::Mesh);
  const vox::voxelize::BuildOptions build = {.solid = true};
  vox::dag::VoxelScene scene =
      vox::built_scene(engine->build(mesh, indexed, grid, build), indexed, grid, build);

  // A ball is taken out around (0.3, 0.3, 0.3). Edits count in 1/256 voxel.
  const int64_t unit = 512 * vox::edit::kEditUnits / 10;
  const vox::edit::Shape ball = {
      .kind = vox::edit::ShapeKind::Sphere, .a = {3 * unit, 3 * unit, 3 * unit}, .radius = 2 * unit};
  const auto session = vox::edit::make_edit_session(engine->handle(), engine->table(), scene.dag);
  session->apply(std::array<vox::edit::Edit, 1>{
      vox::edit::PaintEdit{.shape = ball, .mode = vox::edit::PaintMode::Remove}});

  scene.dag = session->freeze();
  vox::write_scene(scene, "example.h5");
  std::printf("example.h5: %llu voxels\n", static_cast<unsigned long long>(scene.dag.voxels));
} catch (const vox::Error& error) {
  std::fprintf(stderr, "example: error: %s\n", error.what());
  return 1;
}
