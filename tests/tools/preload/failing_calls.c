/* Loaded into a program with LD_PRELOAD. Makes one system call on files fail, as a full or broken disk does, or makes calls
 * do less than was asked for, as signals and network file systems do.
 *   VOX_FAULT_FOLDER     only calls on files in this folder count
 *   VOX_FAULT_PROGRAM    the start of the program's name; other programs, such as its children, run as always
 *   VOX_FAULT_AT         the number of the call that fails, from 1
 *   VOX_FAULT_KEEP       if it is set, all later calls fail as well, but for those that removing files takes, which a full disk allows
 *   VOX_FAULT_READS      if it is set, calls that read and ask count and fail, too
 *   VOX_FAULT_SHRINK     if it is set, a file that is mapped into memory at a fixed place becomes empty right after
 *   VOX_FAULT_SHORT      if it is set, every call reads or writes at most half of what it was asked for
 *   VOX_FAULT_INTERRUPT  if it is set, every other call that reads, writes or flushes is interrupted by a signal first
 *   VOX_FAULT_CLOCK      if it is set, the time of day is always the same one, so that equal runs write equal files
 *   VOX_FAULT_COUNT      a file for the number of calls and the name of the one that failed, written at the end */
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
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static const char *folder, *count_file;
static long fail_at;
static int keeps_failing, is_active, counts_reads, is_short, is_interrupted;
static atomic_long calls, transfers;
static const char* failed_call = "none";

__attribute__((constructor)) static void begin(void) {
  const char* program = getenv("VOX_FAULT_PROGRAM");
  const char* at = getenv("VOX_FAULT_AT");
  folder = getenv("VOX_FAULT_FOLDER");
  count_file = getenv("VOX_FAULT_COUNT");
  fail_at = at ? atol(at) : 0;
  keeps_failing = getenv("VOX_FAULT_KEEP") != NULL;
  counts_reads = getenv("VOX_FAULT_READS") != NULL;
  is_short = getenv("VOX_FAULT_SHORT") != NULL;
  is_interrupted = getenv("VOX_FAULT_INTERRUPT") != NULL;
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

/* A path relative to an open folder counts by that folder. */
static int is_file_inside(int file);
static int is_inside_at(int from, const char* path) {
  return from == AT_FDCWD || path[0] == '/' ? is_inside(path) : is_file_inside(from);
}

static int path_of(int file, char* path, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, size - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return 1;
}

static int is_file_inside(int file) {
  char path[4096];
  return path_of(file, path, sizeof path) && path[0] == '/' && is_inside(path);
}

/* Counts a call and returns 1 if it has to fail. */
static int fails_or_keeps(int counts, int keeps, const char* name, int error) {
  if (!counts) return 0;
  long number = atomic_fetch_add(&calls, 1) + 1;
  if (number != fail_at && !(keeps && fail_at > 0 && number > fail_at)) return 0;
  if (number == fail_at) failed_call = name;
  errno = error;
  return 1;
}
static int fails(int counts, const char* name, int error) {
  return fails_or_keeps(counts, keeps_failing, name, error);
}
static int fails_once(int counts, const char* name, int error) {
  return fails_or_keeps(counts, 0, name, error);
}

/* Calls on pipes between processes are never made to fail, but they are cut short and interrupted. */
static int is_disturbed(int file) {
  char path[4096];
  return is_active && path_of(file, path, sizeof path) &&
         (path[0] == '/' ? is_inside(path) : strncmp(path, "pipe:", 5) == 0);
}

static int interrupts(int file) {
  if (!is_interrupted || !is_disturbed(file) || atomic_fetch_add(&transfers, 1) % 2 != 0) return 0;
  errno = EINTR;
  return 1;
}

static size_t shortened(int file, size_t count) {
  return is_short && count > 1 && is_disturbed(file) ? count / 2 : count;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define ON_FILE(name, error) fails(is_active&& is_file_inside(file), #name, error)
#define ON_READ(name, error) fails(is_active&& counts_reads&& is_file_inside(file), #name, error)
#define ON_PATH(name, error) fails(is_active&& is_inside(path), #name, error)
#define ONCE_ON_PATH(name, error) fails_once(is_active&& is_inside(path), #name, error)
#define ONCE_ON_PATH_AT(name, error) fails_once(is_active&& is_inside_at(from, path), #name, error)
#define ON_PATH_AT(name, error) fails(is_active&& is_inside_at(from, path), #name, error)

ssize_t write(int file, const void* bytes, size_t count) {
  return ON_FILE(write, ENOSPC) || interrupts(file) ? -1 : REAL(write)(file, bytes, shortened(file, count));
}
ssize_t writev(int file, const struct iovec* parts, int count) {
  if (ON_FILE(writev, ENOSPC) || interrupts(file)) return -1;
  return is_short && is_disturbed(file) ? write(file, parts->iov_base, parts->iov_len)
                                        : REAL(writev)(file, parts, count);
}
ssize_t pwrite(int file, const void* bytes, size_t count, off_t at) {
  return ON_FILE(pwrite, ENOSPC) || interrupts(file) ? -1
                                                     : REAL(pwrite)(file, bytes, shortened(file, count), at);
}
ssize_t pwrite64(int file, const void* bytes, size_t count, off64_t at) {
  return ON_FILE(pwrite64, ENOSPC) || interrupts(file)
             ? -1
             : REAL(pwrite64)(file, bytes, shortened(file, count), at);
}
ssize_t read(int file, void* bytes, size_t count) {
  return ON_READ(read, EIO) || interrupts(file) ? -1 : REAL(read)(file, bytes, shortened(file, count));
}
ssize_t readv(int file, const struct iovec* parts, int count) {
  if (ON_READ(readv, EIO) || interrupts(file)) return -1;
  return is_short && is_disturbed(file) ? read(file, parts->iov_base, parts->iov_len)
                                        : REAL(readv)(file, parts, count);
}
ssize_t pread(int file, void* bytes, size_t count, off_t at) {
  return ON_READ(pread, EIO) || interrupts(file) ? -1 : REAL(pread)(file, bytes, shortened(file, count), at);
}
ssize_t pread64(int file, void* bytes, size_t count, off64_t at) {
  return ON_READ(pread64, EIO) || interrupts(file) ? -1
                                                   : REAL(pread64)(file, bytes, shortened(file, count), at);
}
ssize_t copy_file_range(int from, off64_t* from_at, int file, off64_t* at, size_t count, unsigned flags) {
  if (ON_FILE(copy_file_range, ENOSPC)) return -1;
  return REAL(copy_file_range)(from, from_at, file, at, shortened(file, count), flags);
}
ssize_t sendfile(int file, int from, off_t* at, size_t count) {
  return ON_FILE(sendfile, ENOSPC) ? -1 : REAL(sendfile)(file, from, at, shortened(file, count));
}
int fsync(int file) {
  return ON_FILE(fsync, EIO) || interrupts(file) ? -1 : REAL(fsync)(file);
}
int fdatasync(int file) {
  return ON_FILE(fdatasync, EIO) || interrupts(file) ? -1 : REAL(fdatasync)(file);
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
int fallocate(int file, int mode, off_t at, off_t size) {
  return ON_FILE(fallocate, ENOSPC) || interrupts(file) ? -1 : REAL(fallocate)(file, mode, at, size);
}
int posix_fallocate(int file, off_t at, off_t size) {
  if (ON_FILE(posix_fallocate, ENOSPC) || interrupts(file)) return errno;
  return REAL(posix_fallocate)(file, at, size);
}
int fchmod(int file, mode_t mode) {
  return ON_FILE(fchmod, EIO) ? -1 : REAL(fchmod)(file, mode);
}

/* A failing close closes the file all the same, as Linux does. */
int close(int file) {
  int failed = ON_FILE(close, EIO);
  int result = REAL(close)(file);
  if (failed) errno = EIO;
  return failed ? -1 : result;
}

int rename(const char* old, const char* path) {
  return ON_PATH(rename, EIO) ? -1 : REAL(rename)(old, path);
}
int renameat(int old_folder, const char* old, int from, const char* path) {
  return ON_PATH_AT(renameat, EIO) ? -1 : REAL(renameat)(old_folder, old, from, path);
}
int renameat2(int old_folder, const char* old, int from, const char* path, unsigned flags) {
  return ON_PATH_AT(renameat2, EIO) ? -1 : REAL(renameat2)(old_folder, old, from, path, flags);
}
int link(const char* old, const char* path) {
  return ONCE_ON_PATH(link, EIO) ? -1 : REAL(link)(old, path);
}
int mkdir(const char* path, mode_t mode) {
  return ON_PATH(mkdir, ENOSPC) ? -1 : REAL(mkdir)(path, mode);
}
int unlink(const char* path) {
  return ONCE_ON_PATH(unlink, EIO) ? -1 : REAL(unlink)(path);
}
int unlinkat(int from, const char* path, int flags) {
  return ONCE_ON_PATH_AT(unlinkat, EIO) ? -1 : REAL(unlinkat)(from, path, flags);
}
int rmdir(const char* path) {
  return ONCE_ON_PATH(rmdir, EIO) ? -1 : REAL(rmdir)(path);
}
int remove(const char* path) {
  return ONCE_ON_PATH(remove, EIO) ? -1 : REAL(remove)(path);
}

int fstat(int file, struct stat* status) {
  return ON_READ(fstat, EIO) ? -1 : REAL(fstat)(file, status);
}
int stat(const char* path, struct stat* status) {
  return fails(is_active && counts_reads && is_inside(path), "stat", EIO) ? -1 : REAL(stat)(path, status);
}
int lstat(const char* path, struct stat* status) {
  return fails(is_active && counts_reads && is_inside(path), "lstat", EIO) ? -1 : REAL(lstat)(path, status);
}

void* mmap(void* at, size_t size, int access, int flags, int file, off_t offset) {
  if (file >= 0 && ON_READ(mmap, ENOMEM)) return MAP_FAILED;
  void* mapped = REAL(mmap)(at, size, access, flags, file, offset);
  if (is_active && getenv("VOX_FAULT_SHRINK") && (flags & MAP_FIXED) && file >= 0 && is_file_inside(file)) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    if (truncate(link, 0) != 0) return MAP_FAILED;
  }
  return mapped;
}

#define OPEN(name)                                                  \
  int name(const char* path, int flags, ...) {                      \
    va_list rest;                                                   \
    va_start(rest, flags);                                          \
    mode_t mode = va_arg(rest, mode_t);                             \
    va_end(rest);                                                   \
    return ON_PATH(name, EIO) ? -1 : REAL(name)(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define OPEN_AT(name)                                                             \
  int name(int from, const char* path, int flags, ...) {                          \
    va_list rest;                                                                 \
    va_start(rest, flags);                                                        \
    mode_t mode = va_arg(rest, mode_t);                                           \
    va_end(rest);                                                                 \
    return ONCE_ON_PATH_AT(name, EIO) ? -1 : REAL(name)(from, path, flags, mode); \
  }
OPEN_AT(openat)
OPEN_AT(openat64)

static int clock_stands(void) {
  static int stands = -1;
  if (stands < 0) stands = getenv("VOX_FAULT_CLOCK") != NULL;
  return stands;
}
int clock_gettime(clockid_t clock, struct timespec* now) {
  if (!clock_stands() || clock != CLOCK_REALTIME) return REAL(clock_gettime)(clock, now);
  *now = (struct timespec){.tv_sec = 1700000000};
  return 0;
}
time_t time(time_t* now) {
  time_t seconds = clock_stands() ? 1700000000 : REAL(time)(NULL);
  if (now) *now = seconds;
  return seconds;
}

int creat(const char* path, mode_t mode) {
  return ON_PATH(creat, EIO) ? -1 : REAL(creat)(path, mode);
}
FILE* fopen(const char* path, const char* mode) {
  return ON_PATH(fopen, EIO) ? NULL : REAL(fopen)(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  return ON_PATH(fopen64, EIO) ? NULL : REAL(fopen64)(path, mode);
}
