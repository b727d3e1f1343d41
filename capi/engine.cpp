#include <fmt/format.h>

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#include "capi/handles.h"
#include "libvox/hash/table_options.h"
#include "libvox/ranks/ranks.h"

namespace vox {

std::mutex& hdf5_turn() {
  static std::mutex turn;
  return turn;
}

std::string capi_generator() {
  return "vox " VOX_VERSION;
}

namespace {

int arena_size(uint32_t threads) {
  constexpr uint32_t kMostThreads = 1 << 16;
  if (threads > kMostThreads)
    throw UsageError(fmt::format("options->threads is {}, expected at most {}", threads, kMostThreads));
  return threads == 0 ? tbb::task_arena::automatic : static_cast<int>(threads);
}

// The arena has the threads. A limit of Engine's would hold for the whole process.
EngineOptions without_threads(EngineOptions options) {
  options.threads = 0;
  return options;
}

}  // namespace

}  // namespace vox

vox_engine::vox_engine(const vox::EngineOptions& options)
    : arena(vox::arena_size(options.threads), 1),
      arena_watch(arena, watch),
      options(vox::without_threads(options)) {
  arena.execute([&] { engine = vox::make_engine(this->options); });
  device = engine->device();
}

vox_status vox_engine_create(const vox_engine_options* given, vox_engine** engine) {
  if (engine != nullptr) *engine = nullptr;
  return vox::guarded([&] {
    vox::needed(engine, "engine");
    const vox_engine_options options = vox::known_part(given, "options");
    vox::EngineOptions chosen = {.threads = options.threads, .memory_limit = options.memory_limit};
    if (options.device != nullptr) chosen.device = options.device;
    *engine = std::make_unique<vox_engine>(chosen).release();
  });
}

void vox_engine_delete(vox_engine** engine) {
  if (engine == nullptr) return;
  const std::unique_ptr<vox_engine> owned(std::exchange(*engine, nullptr));
}

const char* vox_engine_device(const vox_engine* engine) {
  return engine == nullptr ? "" : engine->device.c_str();
}

void vox_engine_cancel(vox_engine* engine) {
  if (engine != nullptr) engine->watch->cancelled = true;
}

vox_status vox_engine_set_progress(vox_engine* engine, vox_progress_function function, void* user) {
  return vox::guarded([&] {
    vox::WorkWatch& watch = *vox::needed(engine, "engine").watch;
    const std::lock_guard turn(engine->turn);
    watch.progress = nullptr;
    if (function == nullptr) return;
    watch.progress = [&watch, function, user](const vox::ProgressState& state) {
      if (function(user, std::string(state.what).c_str(), state.share()) != 0) watch.cancelled = true;
    };
  });
}

vox_status vox_engine_set_log(vox_engine* engine, vox_log_function function, void* user) {
  return vox::guarded([&] {
    vox::WorkWatch& watch = *vox::needed(engine, "engine").watch;
    const std::lock_guard turn(engine->turn);
    watch.log = nullptr;
    if (function == nullptr) return;
    watch.log = [function, user](vox::LogLevel level, std::string_view text) {
      function(user, static_cast<int32_t>(level), std::string(text).c_str());
    };
  });
}

namespace vox {
namespace {

struct LastError {
  std::string message, what, where, hint;
};

// The texts are made before they replace the last ones, so that a lack of memory leaves none of them half.
thread_local LastError last_error;

vox_status keep(LastError error, vox_status status) {
  last_error = std::move(error);
  return status;
}

vox_status keep(const Error& error, vox_status status) {
  return keep(LastError{error.what(), error.problem(), error.place(), error.advice()}, status);
}

vox_status keep(const std::string& text, vox_status status) {
  return keep(LastError{text, text, {}, {}}, status);
}

vox_status keep_any() {
  try {
    throw;
  } catch (const UsageError& error) {
    return keep(error, VOX_BAD_USE);
  } catch (const OutOfMemory& error) {
    return keep(error, VOX_NO_MEMORY);
  } catch (const Cancelled& error) {
    return keep(error, VOX_CANCELLED);
  } catch (const Error& error) {
    return keep(error, VOX_FAILED);
  } catch (const std::bad_alloc&) {
    return keep(std::string("out of memory"), VOX_NO_MEMORY);
  } catch (const std::length_error&) {  // of a vector that no memory could hold
    return keep(std::string("out of memory"), VOX_NO_MEMORY);
  } catch (const std::exception& error) {
    return keep(std::string(error.what()), VOX_DEFECT);
  } catch (...) {
    return keep(std::string("an exception of an unknown kind"), VOX_DEFECT);
  }
}

}  // namespace

vox_status keep_error() noexcept {
  try {
    return keep_any();
  } catch (...) {  // there is no memory for the texts, and short ones need none
    last_error.message.assign("out of memory");
    last_error.what.assign("out of memory");
    last_error.where.clear();
    last_error.hint.clear();
    return VOX_NO_MEMORY;
  }
}

}  // namespace vox

const char* vox_error_message(void) {
  return vox::last_error.message.c_str();
}

const char* vox_error_what(void) {
  return vox::last_error.what.c_str();
}

const char* vox_error_where(void) {
  return vox::last_error.where.c_str();
}

const char* vox_error_hint(void) {
  return vox::last_error.hint.c_str();
}

const char* vox_version(void) {
  return VOX_VERSION;
}

// Arrays of the caller's that lie in the memory of a GPU.

namespace vox {

const void* ReadArrays::on_host(const void* array, uint64_t bytes) {
  if (array == nullptr || !ranks::is_device_memory(array)) return array;
  copies_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
  ranks::wait_for_work(array);
  ranks::copy_any(copies_.back().get(), array, bytes);
  return copies_.back().get();
}

void* FilledArrays::on_host(void* array, uint64_t bytes) {
  if (array == nullptr || !ranks::is_device_memory(array)) return array;
  filled_.push_back({array, bytes, std::make_unique_for_overwrite<std::byte[]>(bytes)});
  return filled_.back().memory.get();
}

void FilledArrays::give() const {
  for (const Filled& filled : filled_) {
    ranks::wait_for_work(filled.array);
    ranks::copy_any(filled.array, filled.memory.get(), filled.bytes);
  }
}

}  // namespace vox

vox_status vox_memory_create(vox_engine* engine, uint64_t bytes, void** memory) {
  if (memory != nullptr) *memory = nullptr;
  return vox::call(engine, [&](vox_engine& on) {
    vox::needed(memory, "memory");
    *memory = on.engine->memory().allocate(bytes);
  });
}

// A garbage collector may call this within a function that a call of the engine calls, so it must not wait for that call.
void vox_memory_delete(vox_engine* engine, void** memory) {
  if (engine == nullptr || memory == nullptr || *memory == nullptr) return;
  vox::guarded([&] {
    vox::ranks::wait_for_work(*memory);
    engine->engine->memory().release(std::exchange(*memory, nullptr));
  });
}

vox_status vox_memory_copy(void* to, const void* from, uint64_t bytes) {
  return vox::guarded([&] {
    if (bytes == 0) return;
    vox::needed(static_cast<char*>(to), "to");
    vox::needed(static_cast<const char*>(from), "from");
    vox::ranks::wait_for_work(to);
    vox::ranks::wait_for_work(from);
    vox::ranks::copy_any(to, from, bytes);
  });
}
