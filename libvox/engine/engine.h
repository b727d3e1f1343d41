// The engine, the interface of the library: coarse calls on one device. Programs never see CUDA.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "libvox/bricks/frozen_bricks.h"
#include "libvox/bricks/reader.h"
#include "libvox/build/build_scene.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/device/handle.h"
#include "libvox/device/profiler.h"
#include "libvox/edit/edit_session.h"
#include "libvox/painting/paint_scene.h"
#include "libvox/ranks/ranks.h"
#include "libvox/render/render.h"
#include "libvox/render/volume_render.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/scene.h"
#include "libvox/spatial/frozen_hash.h"
#include "libvox/voxelize/build_scene.h"

namespace vox {

struct EngineOptions {
  // auto, cpu, cuda or cuda:N, or a list of several devices that build together, such as cuda:0,1.
  std::string device = "auto";
  uint32_t threads = 0;  // the host's threads; 0: all
  // In bytes: of the process on the CPU, of the device on a GPU; 0: 80 % of the free memory.
  uint64_t memory_limit = 0;
  std::string table = "sector";  // the hash table that holds the DAG during the build
  bool profile = false;          // time every launch
};

// Receives the share that a rank has built. The function may be collective.
using ShareUse = std::function<void(ranks::Ranks&, build::SceneShare)>;

class Engine {
 public:
  virtual ~Engine() = default;

  virtual std::string device() const = 0;       // "cpu" or "cuda:0"
  virtual std::string device_text() const = 0;  // "CPU, 2 threads", "NVIDIA H200 (cuda:0), 139.8 GiB"

  // The bytes that it may use: of the process on the CPU, of the device on a GPU.
  virtual uint64_t memory_limit() = 0;

  // Paints strokes on the surface. Afterwards index_atlas() gives the painted texels their palette entries.
  virtual painting::Painting paint(const scene::Scene& scene, const painting::Strokes& strokes,
                                   const painting::PaintOptions& options) = 0;

  // Voxelizes the triangles on all devices of this engine, and cuts them off at the grid's border.
  // drop_bad_triangles() must have removed the bad ones.
  voxelize::BuildResult build(const scene::Scene& scene, const scene::IndexedScene& indexed,
                              const voxelize::Grid& grid, const voxelize::BuildOptions& options);

  // Does the same in any manner (build/build_scene.h), and hands each rank's share to use(). Each device of this engine
  // is a rank, and use() runs on its thread; or this engine is the device of one of the ranks that a launcher has
  // started, if `launched` is not nullptr.
  virtual void build_shares(const build::SceneInput& input, const build::BuildManner& manner,
                            ranks::Ranks* launched, const ShareUse& use) = 0;

  // Checks the same as dag::verify(), and throws the same errors. check_structure() must accept the DAG.
  virtual void verify(const dag::FrozenDag& dag) = 0;

  // Returns a DAG of the same voxels, with leaves reduced to masks. check_structure() must accept the DAG.
  virtual dag::FrozenDag without_materials(const dag::FrozenDag& dag) = 0;

  // build_hash() makes a spatial hash of the voxels of a DAG, and dag_of_hash() makes the DAG of such a hash.
  // check_structure() must accept the DAG. Both throw Error if the device has too little memory.
  virtual spatial::HashResult build_hash(const dag::FrozenDag& dag, const spatial::HashOptions& options) = 0;
  virtual dag::FrozenDag dag_of_hash(const spatial::FrozenHash& hash) = 0;

  // Returns a session that edits this scene. check_structure() must accept the DAG, and the engine must
  // outlive the session.
  virtual std::unique_ptr<edit::EditSession> edit(const dag::FrozenDag& dag) = 0;

  // Puts the scene on the device, to take pictures of it. The DAG, the palette and the engine must outlive
  // the renderer. check_structure() must accept the DAG.
  virtual std::unique_ptr<render::Renderer> renderer(const dag::FrozenDag& dag,
                                                     const scene::Palette& palette) = 0;

  // Make hybrid bricks of a volume, or measure their size for each side. Both throw Error if a value of the
  // volume is not finite, and UsageError if the types cannot hold every brick.
  virtual bricks::BricksResult build_bricks(const volume::Volume& volume,
                                            const bricks::BricksOptions& options) = 0;
  virtual std::vector<bricks::BrickTotals> measure_bricks(const volume::Volume& volume,
                                                          const bricks::BricksOptions& options) = 0;

  // Puts bricks on the device, to read them in several ways. The bricks and the engine must outlive the
  // reader. check_structure() must accept the bricks.
  virtual std::unique_ptr<bricks::BricksReader> bricks_reader(const bricks::FrozenBricks& bricks,
                                                              const bricks::JitOptions& options) = 0;

  // Puts bricks on the device, to take pictures of them. The bricks and the engine must outlive the renderer.
  // check_structure() must accept the bricks. Throws Error if the bricks have no place in the world, or if a
  // value is not finite.
  virtual std::unique_ptr<render::VolumeRenderer> volume_renderer(const bricks::FrozenBricks& bricks) = 0;

  // The device itself, for measure/, the room above, which runs loops of its own.
  virtual device::DeviceHandle handle() = 0;

  virtual std::vector<device::KernelTime> profile() const = 0;  // since the engine was made, longest first
  virtual void restart_measuring() = 0;                         // resets the profile and the peak of memory
};

// Directs the calls of this thread to this engine's device. An engine belongs to the thread that has made it;
// another thread must call this first.
void use_here(const Engine& engine);

// Throws Error if there is no device with this name.
std::unique_ptr<Engine> make_engine(const EngineOptions& options);

// Makes a voxel scene from what an engine has built of a mesh.

// Returns the DAG with its palette and its place in the world. The caller sets where the scene comes
// from (source, generator, command, created).
dag::VoxelScene built_scene(voxelize::BuildResult result, const scene::IndexedScene& indexed,
                            const voxelize::Grid& grid, const voxelize::BuildOptions& options);

}  // namespace vox
