// An engine that starts while a program reads its files. A GPU needs a quarter of a second before it can be
// used, and every kernel is loaded at its first launch.
#pragma once

#include <functional>
#include <future>
#include <memory>

#include "libvox/engine/engine.h"
#include "libvox/render/render.h"

namespace vox {

class EngineSoon {
 public:
  // On a GPU, the engine is made in another thread, and `warm_up` makes it launch the kernels that will be
  // needed. Errors of `warm_up` are ignored, because real work of the same kind reports them
  // later.
  EngineSoon(const EngineOptions& options, const std::function<void(Engine&)>& warm_up);

  // Waits for the engine and directs the calls of this thread to it. A processor's engine is made only now,
  // because the memory that the process holds already counts towards its limit. Call it once. Throws what
  // make_engine() throws.
  std::unique_ptr<Engine> get();

 private:
  EngineOptions options_;
  std::future<std::unique_ptr<Engine>> gpu_;  // gives nullptr if the device turns out to be the processor
};

// Small work of several kinds, which loads the kernels that real work of the same kind launches.

// Builds a scene with these options, but without paint.
void warm_up_build(Engine& engine, const voxelize::BuildOptions& options);
// Edits a small scene, and freezes it.
void warm_up_edit(Engine& engine);
// Takes a small picture with the options of a final picture.
void warm_up_render(Engine& engine, const render::RenderOptions& options);

}  // namespace vox
