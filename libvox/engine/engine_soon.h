// An engine that starts while a program reads its files. A GPU takes a quarter of a second until it can be used, and
// every kernel is loaded when it is launched for the first time.
#pragma once

#include <functional>
#include <future>
#include <memory>

#include "libvox/engine/engine.h"

namespace vox {

class EngineSoon {
 public:
  // On a GPU the engine is made in another thread, and `warm_up` has it launch what is going to be needed
  // (warm_up.h). Errors of `warm_up` are lost: real work of its kind says them later.
  EngineSoon(const EngineOptions& options, const std::function<void(Engine&)>& warm_up);

  // Waits for the engine, which is for this thread from then on. A processor's engine is made only now: what the
  // process holds already counts towards its memory limit. Call it once. Throws what make_engine() throws.
  std::unique_ptr<Engine> get();

 private:
  EngineOptions options_;
  std::future<std::unique_ptr<Engine>> gpu_;  // gives nullptr where the device is the processor after all
};

}  // namespace vox
