// Takes memory away from a program that is started with this library in LD_PRELOAD.
//   VOX_FAIL_MALLOC=n  every call of malloc() for n bytes or more fails, as on a machine that has no more; smaller blocks
//                      are left to the program, which needs a few to say what went wrong
//   VOX_FAIL_AT=n      the n-th request for memory fails, of those that the files named in VOX_FAIL_CALLERS make from the
//                      start of main() on: tables that are made before cannot report a failure
//   VOX_FAIL_CALLERS   parts of the names of libraries and programs, separated by commas, such as "vox,hdf5"
//   VOX_FAIL_COUNT     a file for the number of such requests, written at the end
//
//   LD_PRELOAD=build/release/tests/libvox_failing_malloc.so VOX_FAIL_MALLOC=65536 vox-convert scene.h5 -o scene.vox
//
// Nothing of the project is linked, and nothing here may allocate memory. Requests are those to operator new, malloc(),
// calloc(), realloc(), aligned_alloc() and posix_memalign(). The callers' places in memory are read anew when an address
// is in none that is known, because libraries may be loaded later.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

// NOLINTBEGIN(bugprone-reserved-identifier): glibc's own names
extern "C" void* __libc_malloc(size_t);
extern "C" void* __libc_calloc(size_t, size_t);
extern "C" void* __libc_realloc(void*, size_t);
extern "C" void* __libc_memalign(size_t, size_t);
// NOLINTEND(bugprone-reserved-identifier)

namespace {

struct Place {
  uintptr_t begin, end;
  bool counts;
};

std::array<Place, 256> places;
std::atomic<size_t> place_count = 0;
std::atomic_flag reading = ATOMIC_FLAG_INIT;
std::atomic<long> requests = 0;
std::atomic<bool> main_has_begun = false;

long number_in(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::strtol(text, nullptr, 10);
}

// True if the environment names this file among the callers.
bool is_named(const char* file) {
  const char* names = std::getenv("VOX_FAIL_CALLERS");
  for (const char* name = names; name != nullptr && *name != 0;) {
    const size_t length = std::strcspn(name, ",");
    std::array<char, 64> word = {};
    std::memcpy(word.data(), name, length < 63 ? length : 63);
    if (std::strstr(file, word.data()) != nullptr && std::strstr(file, "failing_malloc") == nullptr)
      return true;
    name += length + (name[length] == ',' ? 1 : 0);
  }
  return false;
}

int remember(dl_phdr_info* object, size_t, void* count) {
  const char* name = object->dlpi_name;
  if (name == nullptr || *name == 0) name = program_invocation_short_name;
  size_t& at = *static_cast<size_t*>(count);
  for (int i = 0; i < object->dlpi_phnum && at < places.size(); ++i) {
    const auto& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    places[at++] = {begin, begin + part.p_memsz, is_named(name)};
  }
  return 0;
}

const Place* place_of(uintptr_t address) {
  const size_t count = place_count.load(std::memory_order_acquire);
  for (size_t i = 0; i < count; ++i)
    if (places[i].begin <= address && address < places[i].end) return &places[i];
  return nullptr;
}

bool counts(void* caller) {
  const auto address = reinterpret_cast<uintptr_t>(caller);
  const Place* place = place_of(address);
  if (place == nullptr && !reading.test_and_set()) {
    size_t count = 0;
    dl_iterate_phdr(remember, &count);
    place_count.store(count, std::memory_order_release);
    reading.clear();
    place = place_of(address);
  }
  return place != nullptr && place->counts;
}

struct Settings {
  size_t smallest_failure;
  long fail_at;
  bool counts_requests;
};
Settings settings = {SIZE_MAX, 0, false};

__attribute__((constructor)) void begin() {
  if (const long bytes = number_in("VOX_FAIL_MALLOC"); bytes > 0)
    settings.smallest_failure = static_cast<size_t>(bytes);
  settings.fail_at = number_in("VOX_FAIL_AT");
  settings.counts_requests = std::getenv("VOX_FAIL_CALLERS") != nullptr;
}

__attribute__((destructor)) void end() {
  const char* file_name = std::getenv("VOX_FAIL_COUNT");
  if (file_name == nullptr) return;
  std::array<char, 32> text = {};
  const int length = std::snprintf(text.data(), text.size(), "%ld\n", requests.load());
  const int file = open(file_name, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return;
  [[maybe_unused]] const ssize_t written = write(file, text.data(), static_cast<size_t>(length));
  close(file);
}

// True if this request has to fail.
bool fails(void* caller) {
  if (!settings.counts_requests || !main_has_begun || !counts(caller)) return false;
  return requests.fetch_add(1) + 1 == settings.fail_at;
}

void* no_memory() {
  errno = ENOMEM;
  return nullptr;
}

void* new_block(size_t bytes, size_t alignment, void* caller) {
  if (fails(caller) || bytes >= settings.smallest_failure) return nullptr;
  return alignment == 0 ? __libc_malloc(bytes) : __libc_memalign(alignment, bytes);
}

// Does what operator new does, which calls the handler as long as there is one.
void* new_or_throw(size_t bytes, size_t alignment, void* caller) {
  while (true) {
    if (void* block = new_block(bytes == 0 ? 1 : bytes, alignment, caller)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

// The C library's start of a program, which calls main().
using Main = int (*)(int, char**, char**);
Main program_main = nullptr;

int begin_main(int count, char** arguments, char** environment) {
  main_has_begun = true;
  return program_main(count, arguments, environment);
}

}  // namespace

#define CALLER __builtin_return_address(0)

extern "C" {
// NOLINTNEXTLINE(bugprone-reserved-identifier): glibc's own name
int __libc_start_main(Main main, int count, char** arguments, void (*before)(), void (*after)(),
                      void (*end)(), void* stack) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  program_main = main;
  const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(begin_main, count, arguments, before, after, end, stack);
}
void* malloc(size_t bytes) {
  return fails(CALLER) || bytes >= settings.smallest_failure ? no_memory() : __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  return fails(CALLER) ? no_memory() : __libc_calloc(count, bytes);
}
void* realloc(void* block, size_t bytes) {
  return bytes > 0 && fails(CALLER) ? no_memory() : __libc_realloc(block, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  return fails(CALLER) ? no_memory() : __libc_memalign(alignment, bytes);
}
int posix_memalign(void** block, size_t alignment, size_t bytes) {
  *block = fails(CALLER) ? nullptr : __libc_memalign(alignment, bytes);
  return *block == nullptr ? ENOMEM : 0;
}
}

void* operator new(size_t bytes) {
  return new_or_throw(bytes, 0, CALLER);
}
void* operator new[](size_t bytes) {
  return new_or_throw(bytes, 0, CALLER);
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return new_block(bytes, 0, CALLER);
}
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept {
  return new_block(bytes, 0, CALLER);
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  return new_or_throw(bytes, static_cast<size_t>(alignment), CALLER);
}
void* operator new[](size_t bytes, std::align_val_t alignment) {
  return new_or_throw(bytes, static_cast<size_t>(alignment), CALLER);
}
