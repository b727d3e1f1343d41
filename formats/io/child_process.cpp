#include "formats/io/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "formats/io/read_file.h"
#include "libvox/base/error.h"
#include "libvox/base/process.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

constexpr int kTookTooMuchMemory = 3;  // the child's exit code
constexpr uint64_t kMostOpened = 64;   // files that the child has opened at once

void limit(int resource, uint64_t value) {
  rlimit limit = {.rlim_cur = value, .rlim_max = RLIM_INFINITY};
  getrlimit(static_cast<__rlimit_resource>(resource), &limit);
  limit.rlim_cur = std::min(limit.rlim_max, value);
  setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

uint64_t mapped_bytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t pages = 0;
  file >> pages;
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

[[noreturn]] void run_as_child(const ChildLimits& limits, const std::function<void(ChildMemory&)>& body) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  int nowhere = open("/dev/null", O_WRONLY);  // discards the C library's message about a broken heap
  dup2(nowhere, STDERR_FILENO);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, limits.seconds);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NOFILE, static_cast<uint64_t>(std::max(nowhere, 0)) + kMostOpened);
  try {
    ChildMemory memory(limits.bytes);
    give_up_rights(limits.readable);
    body(memory);
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    try {
      throw_if_cancelled();
    } catch (...) {
      kill(child, SIGKILL);
      while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
      throw;
    }
  }
  return status;
}

}  // namespace

MemoryFile::MemoryFile() : descriptor_(memfd_create("vox", MFD_CLOEXEC)) {
  if (descriptor_ < 0) throw Error(fmt::format("cannot create a file in memory: {}", std::strerror(errno)));
}

MemoryFile::~MemoryFile() {
  close(descriptor_);
}

// A child process may enlarge no file but this one, and only here.
class EnlargesFiles {
 public:
  EnlargesFiles() {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit most = {.rlim_cur = before_.rlim_max, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &most);
  }
  ~EnlargesFiles() { setrlimit(RLIMIT_FSIZE, &before_); }
  EnlargesFiles(const EnlargesFiles&) = delete;
  EnlargesFiles& operator=(const EnlargesFiles&) = delete;

 private:
  rlimit before_ = {};
};

void MemoryFile::write(std::span<const std::byte> bytes) {
  const EnlargesFiles enlarges;
  while (!bytes.empty()) {
    ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Error(fmt::format("writing to memory: {}", std::strerror(errno)));
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
}

size_t MemoryFile::read_count(uint64_t item_bytes) {
  uint64_t count = 0;
  read(std::as_writable_bytes(std::span(&count, 1)));
  if (count > rest_ / item_bytes) throw Error("the result of a child process is damaged");
  return count;
}

void MemoryFile::rewind() {
  struct stat status = {};
  fstat(descriptor_, &status);
  lseek(descriptor_, 0, SEEK_SET);
  rest_ = static_cast<uint64_t>(status.st_size);
}

void MemoryFile::read(std::span<std::byte> bytes) {
  if (bytes.size() > rest_) throw Error("the result of a child process is incomplete");
  rest_ -= bytes.size();
  while (!bytes.empty()) {
    ssize_t count = ::read(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Error(fmt::format("reading from memory: {}", std::strerror(errno)));
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
}

ChildMemory::ChildMemory(uint64_t bytes) : most_(mapped_bytes() + available_bytes()) {
  limit(RLIMIT_AS, std::min(most_, mapped_bytes() + bytes));
  if (mapped_bytes() + bytes < most_) std::set_new_handler([] { _exit(kTookTooMuchMemory); });
}

void ChildMemory::lift() {
  std::set_new_handler(nullptr);
  limit(RLIMIT_AS, most_);
}

void run_in_child_process(const ChildLimits& limits, const std::function<void(ChildMemory&)>& body) {
  pid_t child = fork();
  if (child == 0) run_as_child(limits, body);
  if (child < 0) throw Error(fmt::format("cannot start a child process: {}", std::strerror(errno)));
  int status = wait_for(child);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    throw ChildTookTooMuch(fmt::format("took more than {} s", limits.seconds));
  if (WIFSIGNALED(status)) throw Error(fmt::format("crashed: {}", strsignal(WTERMSIG(status))));
  if (WEXITSTATUS(status) == kTookTooMuchMemory)
    throw ChildTookTooMuch(fmt::format("took more than {} of memory", format_bytes(limits.bytes)));
  if (WEXITSTATUS(status) != 0) throw Error("crashed");
}

namespace {

constexpr uint64_t kMiB = 1 << 20;

// True if a file is zip (3MF, ZAE), gzip (BLEND) or binary FBX, whose arrays are deflated.
bool is_compressed(const std::filesystem::path& path) {
  const std::string text = first_bytes(path, 18);
  return text.starts_with("PK\x03\x04") || text.starts_with("\x1f\x8b") ||
         text.starts_with("Kaydara FBX Binary");
}

}  // namespace

ChildLimits may_take(const std::filesystem::path& path) {
  std::error_code failed;
  const uint64_t file = std::filesystem::file_size(path, failed);
  if (failed) throw Error(failed.message());
  const uint64_t size = is_compressed(path) ? 16 * file : file;
  return {.seconds = 10 + size / kMiB, .bytes = 256 * kMiB + 64 * size};
}

// Takes from a child process what reading a file does not need. Landlock (https://docs.kernel.org/userspace-api/landlock.html)
// names the files that may be read, and a filter of system calls refuses what changes files, makes connections or starts
// programs. A kernel or a container that forbids one of them has the other, or at least the limits on resources.

namespace {

// --- files ---

constexpr uint64_t kReadFile = LANDLOCK_ACCESS_FS_READ_FILE, kReadFolder = LANDLOCK_ACCESS_FS_READ_DIR;
constexpr uint64_t kFirstRights = (uint64_t{1} << 13) - 1;  // all rights of the first version of landlock
constexpr uint64_t kMoveBetweenFolders = uint64_t{1} << 13,
                   kTruncate = uint64_t{1} << 14;  // versions 2 and 3

uint64_t known_rights(long version) {
  return kFirstRights | (version >= 2 ? kMoveBetweenFolders : 0) | (version >= 3 ? kTruncate : 0);
}

// The files that tell available_bytes() (libvox/base/process.h) how much memory is left.
constexpr std::array kMemoryFiles = {"/proc/meminfo", "/proc/self/cgroup", "/proc/self/statm",
                                     "/sys/fs/cgroup"};

void allow_reading(int rules, const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_PATH | O_CLOEXEC);
  struct stat status = {};
  if (file < 0 || fstat(file, &status) != 0) return;
  landlock_path_beneath_attr rule = {};
  rule.allowed_access = S_ISDIR(status.st_mode) ? kReadFile | kReadFolder : kReadFile;
  rule.parent_fd = file;
  syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  close(file);
}

void read_nothing_but(std::span<const std::filesystem::path> readable) {
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, size_t{0}, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return;
  landlock_ruleset_attr rights = {};
  rights.handled_access_fs = known_rights(version);
  const int rules = static_cast<int>(syscall(SYS_landlock_create_ruleset, &rights, sizeof(rights), 0));
  if (rules < 0) return;
  for (const char* path : kMemoryFiles) allow_reading(rules, path);
  for (const std::filesystem::path& path : readable) allow_reading(rules, path.empty() ? "." : path);
  syscall(SYS_landlock_restrict_self, rules, 0);
  close(rules);
}

// --- system calls ---

#if defined(__x86_64__)
constexpr uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kMachine = 0;  // no filter
#endif
constexpr uint32_t kOtherAbi = 0x40000000;  // x32 on x86-64

constexpr uint32_t refusal(int error) {
  return SECCOMP_RET_ERRNO | (static_cast<uint32_t>(error) & SECCOMP_RET_DATA);
}

// These are refused whatever their arguments are.
constexpr auto kRefusedCalls = std::to_array<long>({
#if defined(__x86_64__)  // machines that came later have only the calls with `at` in their names
  SYS_creat, SYS_unlink, SYS_rename, SYS_mkdir, SYS_rmdir, SYS_link, SYS_symlink, SYS_mknod, SYS_chmod,
      SYS_chown, SYS_lchown, SYS_fork, SYS_vfork,
#endif
      SYS_unlinkat, SYS_renameat, SYS_renameat2, SYS_mkdirat, SYS_linkat, SYS_symlinkat, SYS_mknodat,
      SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_truncate, SYS_setxattr, SYS_lsetxattr,
      SYS_fsetxattr, SYS_utimensat, SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_sendto,
      SYS_sendmsg, SYS_sendmmsg, SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv,
      SYS_process_vm_writev, SYS_kill, SYS_tkill, SYS_pidfd_open, SYS_pidfd_getfd, SYS_mount, SYS_umount2,
      SYS_chroot, SYS_pivot_root, SYS_unshare, SYS_setns, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd,
      SYS_io_uring_setup, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_memfd_create, SYS_shmget, SYS_mq_open,
      SYS_reboot, SYS_swapon, SYS_init_module, SYS_finit_module, SYS_kexec_load
});
// The C library calls others if these are missing, whose arguments a filter can see.
constexpr auto kMissingCalls = std::to_array<long>({SYS_clone3, SYS_openat2});

constexpr uint32_t kWrites = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;

class CallFilter {
 public:
  CallFilter() {
    load(offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, kMachine, 1, 0);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);  // code for another machine: this filter does not know its calls
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    add(BPF_JMP | BPF_JGE | BPF_K, kOtherAbi, 0, 1);
    add(BPF_RET | BPF_K, refusal(ENOSYS));
#endif
    for (const long call : kRefusedCalls) refuse(call, EPERM);
    for (const long call : kMissingCalls) refuse(call, ENOSYS);
#if defined(__x86_64__)
    refuse_if(SYS_open, 1, kWrites, 1);
#endif
    refuse_if(SYS_openat, 2, kWrites, 1);
    refuse_if(SYS_clone, 0, CLONE_THREAD, 0);  // threads remain
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }

  void apply() {
    sock_fprog program = {static_cast<unsigned short>(code_.size()), code_.data()};
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
  }

 private:
  void add(int code, uint32_t value, uint8_t if_true = 0, uint8_t if_false = 0) {
    code_.push_back({static_cast<uint16_t>(code), if_true, if_false, value});
  }
  void load(size_t offset) {
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset));
  }

  void refuse(long call, int error) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 1);
    add(BPF_RET | BPF_K, refusal(error));
  }

  // Refuses a call if an argument has some of these bits (`set` is 1) or none of them (0). Only its lower half is looked at,
  // which comes first on the machines that have a filter.
  void refuse_if(long call, size_t argument, uint32_t bits, uint8_t set) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 4);
    load(offsetof(seccomp_data, args) + 8 * argument);
    add(BPF_JMP | BPF_JSET | BPF_K, bits, set != 0 ? 0 : 1, set != 0 ? 1 : 0);
    add(BPF_RET | BPF_K, refusal(EACCES));
    load(offsetof(seccomp_data, nr));
  }

  std::vector<sock_filter> code_;
};

}  // namespace

void give_up_rights(std::span<const std::filesystem::path> readable) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  read_nothing_but(readable);
  if constexpr (kMachine != 0) CallFilter().apply();
}

}  // namespace vox
