// The engine, the outside of the library: coarse calls on one device. Programs never see CUDA.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "libvox/bricks/build.h"
#include "libvox/bricks/reader.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/device/handle.h"
#include "libvox/device/work.h"
#include "libvox/edit/edit_session.h"
#include "libvox/painting/paint_scene.h"
#include "libvox/ranks/build_share.h"
#include "libvox/render/render.h"
#include "libvox/render/volume_render.h"
#include "libvox/rounds/build_rounds.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/scene.h"
#include "libvox/spatial/build.h"
#include "libvox/voxelize/build_scene.h"

namespace vox {

struct EngineOptions {
  // auto, cpu, cuda or cuda:N; or a list of several, which build together: cuda:0,1
  std::string device = "auto";
  uint32_t threads = 0;  // of the host; 0: all
  // Bytes: of the process on the CPU, of the device on a GPU; 0: 80 % of what is free.
  uint64_t memory_limit = 0;
  std::string table = "sector";  // the hash table that holds the DAG while it is built
  bool profile = false;          // time every launch
};

// What becomes of the share that a rank has built. It may be collective.
using ShareUse = std::function<void(ranks::Ranks&, ranks::SceneShare)>;

class Engine {
 public:
  virtual ~Engine() = default;

  virtual std::string device() const = 0;       // "cpu" or "cuda:0"
  virtual std::string device_text() const = 0;  // "CPU, 2 threads", "NVIDIA H200 (cuda:0), 139.8 GiB"

  // Bytes that it may use: of the process on the CPU, of the device on a GPU.
  virtual uint64_t memory_limit() = 0;

  // Paints strokes on the surface; index_atlas() then gives what is painted entries of a palette.
  virtual painting::Painting paint(const scene::Scene& scene, const painting::Strokes& strokes,
                                   const painting::PaintOptions& options) = 0;

  // Voxelizes the triangles that drop_bad_triangles() has left over; they are cut off at the grid's border.
  virtual voxelize::BuildResult build(const scene::Scene& scene, const scene::IndexedScene& indexed,
                                      const voxelize::Grid& grid, const voxelize::BuildOptions& options) = 0;

  // Does the same where the scene is larger than the device's memory (rounds/build_rounds.h).
  virtual rounds::RoundsResult build_in_rounds(const scene::Scene& scene, const scene::IndexedScene& indexed,
                                               const voxelize::Grid& grid,
                                               const voxelize::BuildOptions& options,
                                               const rounds::SpillOptions& spill) = 0;

  // Does the same as one of several ranks, all of which call it on engines of their own and with the same scene
  // (ranks/build_share.h). With a keeper, which may be nullptr, a build that was ended goes on (ranks/round_keeper.h).
  virtual ranks::SceneShare build_share(ranks::Ranks& ranks, const scene::Scene& scene,
                                        const scene::IndexedScene& indexed, const voxelize::Grid& grid,
                                        const voxelize::BuildOptions& options,
                                        ranks::RoundKeeper* keeper) = 0;

  // Does the same with a rank for each device of this engine, and calls use(ranks, share) on the thread of each.
  virtual void build_shares(const scene::Scene& scene, const scene::IndexedScene& indexed,
                            const voxelize::Grid& grid, const voxelize::BuildOptions& options,
                            ranks::RoundKeeper* keeper, const ShareUse& use) = 0;

  // Checks all that dag::verify() checks, which throws the same errors. The DAG is one that check_structure()
  // accepts.
  virtual void verify(const dag::FrozenDag& dag) = 0;

  // A DAG of the same voxels, with leaves reduced to masks. The DAG is one that check_structure() accepts.
  virtual dag::FrozenDag without_materials(const dag::FrozenDag& dag) = 0;

  // Makes a spatial hash of the voxels of a DAG that check_structure() accepts, and the DAG of such a hash
  // again. Both throw Error where the device has not the memory.
  virtual spatial::HashResult build_hash(const dag::FrozenDag& dag, const spatial::HashOptions& options) = 0;
  virtual dag::FrozenDag dag_of_hash(const spatial::FrozenHash& hash) = 0;

  // A session that edits this scene. The DAG is one that check_structure() accepts; the engine outlives the
  // session.
  virtual std::unique_ptr<edit::EditSession> edit(const dag::FrozenDag& dag) = 0;

  // Puts the scene on the device, to take pictures of it. DAG and palette outlive the renderer, and so does
  // the engine. The DAG is one that check_structure() accepts.
  virtual std::unique_ptr<render::Renderer> renderer(const dag::FrozenDag& dag,
                                                     const scene::Palette& palette) = 0;

  // Make hybrid bricks of a volume, or measure what they would take at each size. Both throw Error where a
  // value of the volume is not finite, UsageError where the types cannot hold every brick.
  virtual bricks::BricksResult build_bricks(const volume::Volume& volume,
                                            const bricks::BricksOptions& options) = 0;
  virtual std::vector<bricks::BrickTotals> measure_bricks(const volume::Volume& volume,
                                                          const bricks::BricksOptions& options) = 0;

  // Puts bricks on the device, to read them in several ways. Bricks and engine outlive the reader. The bricks
  // are ones that check_structure() accepts.
  virtual std::unique_ptr<bricks::BricksReader> bricks_reader(const bricks::FrozenBricks& bricks,
                                                              const bricks::JitOptions& options) = 0;

  // Puts bricks on the device, to take pictures of them. Bricks and engine outlive the renderer. The bricks
  // are ones that check_structure() accepts. Throws Error where they have no place in the world, or a value
  // is not finite.
  virtual std::unique_ptr<render::VolumeRenderer> volume_renderer(const bricks::FrozenBricks& bricks) = 0;

  // The device itself, for measure/, the room above, which brings loops of its own.
  virtual device::DeviceHandle handle() = 0;

  virtual std::vector<device::KernelTime> profile() const = 0;  // since the engine was made, longest first
  virtual void restart_measuring() = 0;                         // profile and peak of memory begin anew
};

// Calls of this thread are for this engine's device from now on: an engine belongs to the thread that has made it, and
// to others only with this.
void use_here(const Engine& engine);

// Throws Error where the device named is not there.
std::unique_ptr<Engine> make_engine(const EngineOptions& options);

}  // namespace vox
