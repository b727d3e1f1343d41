// Tells the thread sanitizer how TBB hands work from thread to thread. TBB's library is not built with the
// sanitizer, so every loop body would be reported for reading data that its caller wrote. Suppressions cannot
// tell such a report from a true race in a body. Therefore this file, linked into every program of a tsan
// build, replaces the few TBB functions that hand work over: each replacement tells the sanitizer about the
// hand-over and calls the original.
#include <dlfcn.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>
#include <sanitizer/tsan_interface.h>

#include <cstdlib>

namespace tbb::detail::r1 {
namespace {

template <class Function>
Function* original(const char* symbol) {
  void* address = dlsym(RTLD_NEXT, symbol);
  if (!address) std::abort();
  return reinterpret_cast<Function*>(address);
}

// Runs a task on the thread that took it. That thread then sees everything that the spawning thread did
// before.
class HandedOver final : public d1::task {
 public:
  explicit HandedOver(d1::task& inner) : inner_(inner) { __tsan_release(this); }

  // A task that throws is cancelled afterwards, so this object must outlive the exception.
  d1::task* execute(d1::execution_data& data) override {
    __tsan_acquire(this);
    d1::task* next = inner_.execute(data);
    delete this;
    return next;
  }
  d1::task* cancel(d1::execution_data& data) override {
    __tsan_acquire(this);
    d1::task* next = inner_.cancel(data);
    delete this;
    return next;
  }

 private:
  d1::task& inner_;
};

// The sanitizer sees tasks decrement the count inside when they end, but not the waiter's read of it.
void acquire(d1::wait_context& context) {
  __tsan_acquire(reinterpret_cast<char*>(&context) + sizeof(uint64_t));
}

}  // namespace

void spawn(d1::task& task, d1::task_group_context& context) {
  static auto* call = original<void(d1::task&, d1::task_group_context&)>(
      "_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextE");
  call(*new HandedOver(task), context);
}

void spawn(d1::task& task, d1::task_group_context& context, d1::slot_id slot) {
  static auto* call = original<void(d1::task&, d1::task_group_context&, d1::slot_id)>(
      "_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextEt");
  call(*new HandedOver(task), context, slot);
}

void execute_and_wait(d1::task& task, d1::task_group_context& task_context, d1::wait_context& wait,
                      d1::task_group_context& wait_context) {
  static auto* call = original<void(d1::task&, d1::task_group_context&, d1::wait_context&,
                                    d1::task_group_context&)>(
      "_ZN3tbb6detail2r116execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_contextES6_");
  call(task, task_context, wait, wait_context);
  acquire(wait);
}

void wait(d1::wait_context& wait, d1::task_group_context& context) {
  static auto* call = original<void(d1::wait_context&, d1::task_group_context&)>(
      "_ZN3tbb6detail2r14waitERNS0_2d112wait_contextERNS2_18task_group_contextE");
  call(wait, context);
  acquire(wait);
}

void* allocate(d1::small_object_pool*& pool, size_t bytes, const d1::execution_data& data) {
  static auto* call = original<void*(d1::small_object_pool*&, size_t, const d1::execution_data&)>(
      "_ZN3tbb6detail2r18allocateERPNS0_2d117small_object_poolEmRKNS2_14execution_dataE");
  void* memory = call(pool, bytes, data);
  __tsan_acquire(memory);
  return memory;
}

void* allocate(d1::small_object_pool*& pool, size_t bytes) {
  static auto* call = original<void*(d1::small_object_pool*&, size_t)>(
      "_ZN3tbb6detail2r18allocateERPNS0_2d117small_object_poolEm");
  void* memory = call(pool, bytes);
  __tsan_acquire(memory);
  return memory;
}

void deallocate(d1::small_object_pool& pool, void* memory, size_t bytes, const d1::execution_data& data) {
  static auto* call = original<void(d1::small_object_pool&, void*, size_t, const d1::execution_data&)>(
      "_ZN3tbb6detail2r110deallocateERNS0_2d117small_object_poolEPvmRKNS2_14execution_dataE");
  __tsan_release(memory);
  call(pool, memory, bytes, data);
}

void deallocate(d1::small_object_pool& pool, void* memory, size_t bytes) {
  static auto* call = original<void(d1::small_object_pool&, void*, size_t)>(
      "_ZN3tbb6detail2r110deallocateERNS0_2d117small_object_poolEPvm");
  __tsan_release(memory);
  call(pool, memory, bytes);
}

}  // namespace tbb::detail::r1

// TBB sets memory of its own that it hands from thread to thread by ways that the sanitizer cannot see.
extern "C" const char* __tsan_default_suppressions() {
  return "called_from_lib:libtbb.so\n";
}
