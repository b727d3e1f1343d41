/* Loaded into a program with LD_PRELOAD. Makes one system call on files fail, as a full or broken disk does.
 *   VOX_FAULT_FOLDER   only calls on files in this folder count
 *   VOX_FAULT_PROGRAM  the start of the program's name; other programs, such as its children, run as always
 *   VOX_FAULT_AT       the number of the call that fails, from 1
 *   VOX_FAULT_KEEP     if it is set, all later calls fail as well
 *   VOX_FAULT_SHRINK   if it is set, a file that is mapped into memory at a fixed place becomes empty right after
 *   VOX_FAULT_COUNT    a file for the number of calls and the name of the one that failed, written at the end */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *folder, *count_file;
static long fail_at;
static int keeps_failing, is_active;
static atomic_long calls;
static const char* failed_call = "none";

__attribute__((constructor)) static void begin(void) {
  const char* program = getenv("VOX_FAULT_PROGRAM");
  const char* at = getenv("VOX_FAULT_AT");
  folder = getenv("VOX_FAULT_FOLDER");
  count_file = getenv("VOX_FAULT_COUNT");
  fail_at = at ? atol(at) : 0;
  keeps_failing = getenv("VOX_FAULT_KEEP") != NULL;
  is_active = folder && program && strncmp(program_invocation_short_name, program, strlen(program)) == 0;
}

__attribute__((destructor)) static void end(void) {
  if (!is_active || !count_file) return;
  char text[100];
  int length = snprintf(text, sizeof text, "%ld %s\n", (long)calls, failed_call);
  int file = (int)syscall(SYS_openat, AT_FDCWD, count_file, O_CREAT | O_WRONLY | O_TRUNC, 0666);
  if (file < 0) return;
  if (syscall(SYS_write, file, text, (size_t)length) < 0) failed_call = "";
  syscall(SYS_close, file);
}

static int is_inside(const char* path) {
  char absolute[8192];
  while (path[0] == '.' && path[1] == '/') path += 2;
  if (path[0] != '/' && getcwd(absolute, 4096)) {
    size_t length = strlen(absolute);
    snprintf(absolute + length, sizeof absolute - length, "/%s", path);
    path = absolute;
  }
  return strncmp(path, folder, strlen(folder)) == 0;
}

static int is_file_inside(int file) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return path[0] == '/' && is_inside(path);
}

/* Counts a call and returns 1 if it has to fail. */
static int fails(int counts, const char* name, int error) {
  if (!counts) return 0;
  long number = atomic_fetch_add(&calls, 1) + 1;
  if (number != fail_at && !(keeps_failing && fail_at > 0 && number > fail_at)) return 0;
  if (number == fail_at) failed_call = name;
  errno = error;
  return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define ON_FILE(name, error) fails(is_active&& is_file_inside(file), #name, error)

ssize_t write(int file, const void* bytes, size_t count) {
  return ON_FILE(write, ENOSPC) ? -1 : REAL(write)(file, bytes, count);
}
ssize_t writev(int file, const struct iovec* parts, int count) {
  return ON_FILE(writev, ENOSPC) ? -1 : REAL(writev)(file, parts, count);
}
ssize_t pwrite(int file, const void* bytes, size_t count, off_t at) {
  return ON_FILE(pwrite, ENOSPC) ? -1 : REAL(pwrite)(file, bytes, count, at);
}
ssize_t pwrite64(int file, const void* bytes, size_t count, off64_t at) {
  return ON_FILE(pwrite64, ENOSPC) ? -1 : REAL(pwrite64)(file, bytes, count, at);
}
int fsync(int file) {
  return ON_FILE(fsync, EIO) ? -1 : REAL(fsync)(file);
}
int fdatasync(int file) {
  return ON_FILE(fdatasync, EIO) ? -1 : REAL(fdatasync)(file);
}
int syncfs(int file) {
  return ON_FILE(syncfs, EIO) ? -1 : REAL(syncfs)(file);
}
int ftruncate(int file, off_t size) {
  return ON_FILE(ftruncate, EIO) ? -1 : REAL(ftruncate)(file, size);
}
int ftruncate64(int file, off64_t size) {
  return ON_FILE(ftruncate64, EIO) ? -1 : REAL(ftruncate64)(file, size);
}

/* A failing close closes the file all the same, as Linux does. */
int close(int file) {
  int failed = ON_FILE(close, EIO);
  int result = REAL(close)(file);
  if (failed) errno = EIO;
  return failed ? -1 : result;
}

int rename(const char* from, const char* to) {
  return fails(is_active && is_inside(to), "rename", EIO) ? -1 : REAL(rename)(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  return fails(is_active && is_inside(to), "renameat2", EIO)
             ? -1
             : REAL(renameat2)(from_folder, from, to_folder, to, flags);
}

void* mmap(void* at, size_t size, int access, int flags, int file, off_t offset) {
  void* mapped = REAL(mmap)(at, size, access, flags, file, offset);
  if (is_active && getenv("VOX_FAULT_SHRINK") && (flags & MAP_FIXED) && file >= 0 && is_file_inside(file)) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    if (truncate(link, 0) != 0) return MAP_FAILED;
  }
  return mapped;
}

#define OPEN(name)                                                                               \
  int name(const char* path, int flags, ...) {                                                   \
    va_list rest;                                                                                \
    va_start(rest, flags);                                                                       \
    mode_t mode = va_arg(rest, mode_t);                                                          \
    va_end(rest);                                                                                \
    return fails(is_active && is_inside(path), #name, EIO) ? -1 : REAL(name)(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

FILE* fopen(const char* path, const char* mode) {
  return fails(is_active && is_inside(path), "fopen", EIO) ? NULL : REAL(fopen)(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  return fails(is_active && is_inside(path), "fopen64", EIO) ? NULL : REAL(fopen64)(path, mode);
}
