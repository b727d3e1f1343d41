// Takes from a child process what reading a file does not need. Landlock (https://docs.kernel.org/userspace-api/landlock.html)
// names the files that may be read, and a filter of system calls refuses what changes files, makes connections or starts
// programs. A kernel or a container that forbids one of them has the other, or at least the limits on resources.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "formats/io/child_process.h"

namespace vox {
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
