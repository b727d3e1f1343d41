#include "libvox/engine/engine_soon.h"

#include <array>
#include <exception>

#include "libvox/base/bits.h"
#include "libvox/base/progress.h"
#include "libvox/device/devices.h"
#include "libvox/edit/edit_session.h"
#include "libvox/ranks/picture_share.h"

namespace vox {
namespace {

// Returns nullptr if the device turns out to be the processor.
std::unique_ptr<Engine> warm_gpu(const EngineOptions& options, const std::function<void(Engine&)>& warm_up) {
  if (options.device == "auto" && device::gpu_count() == 0) return nullptr;
  std::unique_ptr<Engine> engine = make_engine(options);
  try {
    const NoProgress quiet;
    warm_up(*engine);
  } catch (const std::exception&) {  // such as too low a memory limit, which the real work reports better
  }
  engine->restart_measuring();
  return engine;
}

}  // namespace

EngineSoon::EngineSoon(const EngineOptions& options, const std::function<void(Engine&)>& warm_up)
    : options_(options) {
  if (device::has_cuda() && (options.device == "auto" || options.device.starts_with("cuda")))
    gpu_ = std::async(std::launch::async, [options, warm_up] { return warm_gpu(options, warm_up); });
}

std::unique_ptr<Engine> EngineSoon::get() {
  std::unique_ptr<Engine> engine = gpu_.valid() ? gpu_.get() : nullptr;
  if (!engine) return make_engine(options_);
  device::use_here(engine->handle());
  return engine;
}

namespace {

// The grid is large enough for chunk cells below the whole grid.
constexpr uint32_t kResolution = 1024;

// Returns small triangles all over the grid. There are so many because CUB uses other kernels for a few
// thousand.
scene::Scene scattered_triangles() {
  constexpr uint32_t kTriangles = 1 << 13;
  const auto below = [](uint64_t seed, uint32_t count) {
    return static_cast<double>(mix64(seed + 1) % (256 * count)) / 256;
  };
  scene::Scene scene;
  scene.materials.emplace_back();
  for (uint32_t i = 0; i < kTriangles; ++i) {
    const Vec3d middle = {below(3 * i, kResolution), below(3 * i + 1, kResolution),
                          below(3 * i + 2, kResolution)};
    const double size = 2 + below(i, 4);
    scene.positions.insert(scene.positions.end(),
                           {middle, middle + Vec3d{size, 1, 0}, middle + Vec3d{0, 1, size}});
    scene.triangles.push_back({{3 * i, 3 * i + 1, 3 * i + 2}, {scene::kNone, scene::kNone, scene::kNone}, 0});
  }
  return scene;
}

dag::FrozenDag small_dag(Engine& engine, const voxelize::BuildOptions& options) {
  scene::IndexedScene indexed;
  indexed.palette.count = 1;
  indexed.materials.emplace_back();
  const voxelize::Grid grid = {.resolution = kResolution, .origin = {0, 0, 0}, .voxel_size = 1};
  return engine.build(scattered_triangles(), indexed, grid, options).dag;
}

}  // namespace

void warm_up_build(Engine& engine, const voxelize::BuildOptions& options) {
  small_dag(engine, {.coverage = options.coverage, .materials = options.materials, .solid = options.solid});
}

void warm_up_edit(Engine& engine) {
  const std::unique_ptr<edit::EditSession> session =
      edit::make_edit_session(engine.handle(), engine.table(), small_dag(engine, {}));
  constexpr int64_t kMiddle = kResolution / 2 * edit::kEditUnits;
  const edit::Shape ball = {
      .kind = edit::ShapeKind::Sphere, .a = {kMiddle, kMiddle, kMiddle}, .radius = kMiddle / 4};
  for (const edit::PaintMode mode : {edit::PaintMode::Add, edit::PaintMode::Remove})
    session->apply(std::array<edit::Edit, 1>{edit::PaintEdit{.shape = ball, .mode = mode}});
  session->freeze();
}

void warm_up_render(Engine& engine, const render::RenderOptions& options) {
  const dag::FrozenDag dag = small_dag(engine, {});
  scene::Palette palette;
  palette.count = 1;
  render::RenderOptions small = options;
  small.size = {64, 64};
  small.pose = {.eye = {-100, 700, -200},
                .target = {kResolution / 2.0, kResolution / 2.0, kResolution / 2.0}};
  ranks::make_renderer(engine.handles(), dag, palette)->render(small);
}

}  // namespace vox
