// Arrays of the caller's that lie in the memory of a GPU.
#include <cstddef>
#include <memory>
#include <utility>

#include "capi/handles.h"
#include "libvox/ranks/any_memory.h"

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
