// Takes memory away from a program that is started with this library in LD_PRELOAD: with VOX_FAIL_MALLOC=n every call of
// malloc() for n bytes or more fails, as on a machine that has no more. Smaller blocks are left to the program, which
// needs a few to say what went wrong.
//
//   LD_PRELOAD=build/release/tests/libvox_failing_malloc.so VOX_FAIL_MALLOC=65536 vox-convert scene.h5 -o scene.vox
//
// calloc() and realloc() stay as they are: dlsym() itself may call them. Nothing of the project is linked, and nothing here
// may allocate memory: operator new ends in this malloc().
#include <dlfcn.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

using Malloc = void* (*)(size_t);

// The C library's own.
Malloc real_malloc() {
  static const auto real = reinterpret_cast<Malloc>(dlsym(RTLD_NEXT, "malloc"));
  return real;
}

// The size of the smallest block that there is no memory for.
size_t smallest_failure() {
  static const size_t bytes = [] {
    const char* text = std::getenv("VOX_FAIL_MALLOC");
    return text == nullptr ? SIZE_MAX : std::strtoul(text, nullptr, 10);
  }();
  return bytes;
}

}  // namespace

extern "C" void* malloc(size_t bytes) {
  if (bytes >= smallest_failure()) {
    errno = ENOMEM;
    return nullptr;
  }
  return real_malloc()(bytes);
}
