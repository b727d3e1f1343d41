// A libcuda.so.1 that passes every call on to the real driver, except those that it was told to fail. gpu_faults.py builds
// it and describes the variables:
//   VOX_DRIVER         the real driver's path
//   VOX_FAIL_CALLS     names, or beginnings of names, of the calls that count, separated by commas; empty: all
//   VOX_FAIL_AT        the number of the call that fails, from 1; 0: none
//   VOX_FAIL_WITH      the CUresult that it returns; with VOX_FAIL_STAYS=1 every call from then on returns it
//   VOX_FAIL_VERSION   the version of CUDA that the driver says it has
//   VOX_FAIL_COUNT     a file that gets the number of calls at the end
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { kMost = 4096, kThunk = 16 };

typedef int (*GetAddress)(const char*, void**, int, uint64_t, void*);

void* originals[kMost];
static char names[kMost][64];
static unsigned char* thunks;
static int used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int calls;
static GetAddress real_get_address;
static void* real;

static int number(const char* name) {
  const char* text = getenv(name);
  return text ? atoi(text) : 0;
}

static int counts(const char* name) {
  const char* list = getenv("VOX_FAIL_CALLS");
  if (!list || !*list) return 1;
  while (*list) {
    const size_t length = strcspn(list, ",");
    if (strncmp(name, list, length) == 0) return 1;
    list += length + (list[length] == ',');
  }
  return 0;
}

// Returns the error with which the call of a thunk ends, or 0 if it is passed on.
__attribute__((visibility("hidden"), used)) int decide(long index) {
  if (!counts(names[index])) return 0;
  const int n = atomic_fetch_add(&calls, 1) + 1, at = number("VOX_FAIL_AT");
  if (at == 0 || n < at || (n > at && !number("VOX_FAIL_STAYS"))) return 0;
  return number("VOX_FAIL_WITH");
}

// A thunk puts its index into r11 and jumps here. The arguments are kept while decide() is asked.
__asm__(
    ".text\n.globl through\n.hidden through\nthrough:\n"
    "push %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\npush %rax\npush %r11\nsub $8, %rsp\n"
    "mov %r11, %rdi\ncall decide\nadd $8, %rsp\npop %r11\ntest %eax, %eax\njne 1f\n"
    "pop %rax\npop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\n"
    "mov originals@GOTPCREL(%rip), %r10\njmp *(%r10,%r11,8)\n"
    "1: add $56, %rsp\nret\n");
void through(void) __attribute__((visibility("hidden")));

static void* thunk_of(const char* name, void* original) {
  pthread_mutex_lock(&lock);
  if (!thunks)
    thunks = mmap(NULL, kMost * 32, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int index = 0;
  while (index < used && (originals[index] != original || strcmp(names[index], name) != 0)) ++index;
  if (index == kMost || thunks == MAP_FAILED) {
    pthread_mutex_unlock(&lock);
    return original;
  }
  unsigned char* at = thunks + 32 * index;
  if (index == used) {
    originals[index] = original;
    snprintf(names[index], sizeof names[index], "%s", name);
    const uint32_t value = (uint32_t)index;
    const uint64_t target = (uint64_t)(uintptr_t)&through;
    memcpy(at, "\x41\xbb", 2);  // mov r11d, index
    memcpy(at + 2, &value, 4);
    memcpy(at + 6, "\x49\xba", 2);  // mov r10, through
    memcpy(at + 8, &target, 8);
    memcpy(at + 16, "\x41\xff\xe2", 3);  // jmp r10
    ++used;
  }
  pthread_mutex_unlock(&lock);
  return at;
}

static int version(int* value) {
  *value = number("VOX_FAIL_VERSION");
  return 0;
}

static void write_count(void) {
  const char* path = getenv("VOX_FAIL_COUNT");
  FILE* file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "%d\n", atomic_load(&calls));
  fclose(file);
}

__attribute__((constructor)) static void open_real(void) {
  real = dlopen(getenv("VOX_DRIVER"), RTLD_NOW | RTLD_LOCAL);
  if (!real) fprintf(stderr, "the driver cannot be opened: %s\n", dlerror());
  real_get_address = real ? (GetAddress)dlsym(real, "cuGetProcAddress_v2") : NULL;
  atexit(write_count);
}

int cuGetProcAddress_v2(const char* name, void** address, int cuda_version, uint64_t flags, void* status) {
  if (!real_get_address) return 500;  // not found
  const int result = real_get_address(name, address, cuda_version, flags, status);
  if (result != 0 || !*address) return result;
  if (strcmp(name, "cuGetProcAddress") == 0 || strcmp(name, "cuGetProcAddress_v2") == 0)
    *address = (void*)cuGetProcAddress_v2;
  else if (strcmp(name, "cuDriverGetVersion") == 0 && number("VOX_FAIL_VERSION"))
    *address = (void*)version;
  else if (strcmp(name, "cuGetExportTable") != 0)
    *address = thunk_of(name, *address);
  return 0;
}

int cuDriverGetVersion(int* value) {
  if (number("VOX_FAIL_VERSION")) return version(value);
  int (*get)(int*) = real ? (int (*)(int*))dlsym(real, "cuDriverGetVersion") : NULL;
  return get ? get(value) : 3;  // not initialized
}
