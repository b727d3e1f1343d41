#include "libvox/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kMostNames = 1000;  // temporary files of one target that exist at the same time
constexpr int kMostLinks = 40;         // symbolic links in a chain, as the system has it

Error system_error(const std::string& problem, const fs::path& target, int code) {
  Error error(fmt::format("{}: {}", problem, std::generic_category().message(code)));
  error.at(target.string());
  return error;
}

// Refuses devices and folders: renaming over a device would destroy it, and over a folder fails only at the end.
void check_target(const fs::path& target) {
  std::error_code failed;
  const fs::file_status status = fs::status(target, failed);
  if (!fs::exists(status)) {
    if (failed && failed != std::errc::no_such_file_or_directory)
      throw system_error("cannot be written", target, failed.value());
    return;
  }
  if (fs::is_directory(status)) throw Error("is a folder, expected a file to write").at(target.string());
  if (!fs::is_regular_file(status))
    throw Error("is a device or a pipe, expected a file to write").at(target.string());
  if (access(target.c_str(), W_OK) != 0) throw system_error("cannot be written", target, errno);
}

// The name is cut so that it stays below NAME_MAX.
fs::path temporary_name(const fs::path& target, uint64_t process, uint64_t number) {
  const std::string name = target.filename().string().substr(0, 200);
  return target.parent_path() / fmt::format("{}.{}-{}.tmp", name, process, number);
}

// A name that no other process, and no other file of this one, uses.
fs::path unique_name(const fs::path& target) {
  static std::atomic<uint64_t> count = 0;
  return temporary_name(target, static_cast<uint64_t>(getpid()), count++);
}

enum class Lock { Held, Taken, Unsupported };

// Locks a file for as long as its descriptor is open. Such a lock does not meet those that HDF5 takes.
Lock lock(int file) {
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (fcntl(file, F_OFD_SETLK, &whole) == 0) return Lock::Held;
  return errno == EAGAIN || errno == EACCES ? Lock::Taken : Lock::Unsupported;
}

bool is_at(const fs::path& path, dev_t device, ino_t inode) {
  struct stat there = {};
  return lstat(path.c_str(), &there) == 0 && there.st_dev == device && there.st_ino == inode;
}

// A search under a temporary name finds nothing any more, a file that a running process has locked, or something that must
// stay, because it may be somebody else's.
enum class Found { Nothing, Running, Foreign };

// Removes a temporary file of ours that no running process has locked.
Found remove_dead(const fs::path& path) {
  const int file = open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return errno == ENOENT ? Found::Nothing : Found::Foreign;
  struct stat opened = {};
  const bool is_ours = fstat(file, &opened) == 0 && S_ISREG(opened.st_mode) && opened.st_uid == geteuid();
  const Lock state = is_ours ? lock(file) : Lock::Unsupported;
  if (state == Lock::Held && is_at(path, opened.st_dev, opened.st_ino)) unlink(path.c_str());
  close(file);
  return state == Lock::Held ? Found::Nothing : state == Lock::Taken ? Found::Running : Found::Foreign;
}

// Removes what dead processes left under this number and those that follow it.
void remove_dead_from(const fs::path& target, uint32_t number) {
  for (; number < kMostNames; ++number) {
    const fs::path path = temporary_name(target, 0, number);
    if (access(path.c_str(), F_OK) != 0 || remove_dead(path) != Found::Nothing) return;
  }
}

// A new file, which is removed unless it is taken. Memory for its name is taken before the file is there.
class Opened {
 public:
  explicit Opened(fs::path path)
      : path_(std::move(path)), file_(open(path_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666)) {}
  Opened(Opened&& other) noexcept : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}
  Opened& operator=(Opened&&) = delete;
  ~Opened() {
    if (file_ < 0) return;
    unlink(path_.c_str());
    close(file_);
  }

  int file() const { return file_; }
  const fs::path& path() const { return path_; }
  void close_only() { close(std::exchange(file_, -1)); }  // leaves the file to another process
  void take(fs::path& path, int& file) noexcept {
    path = std::move(path_);
    file = std::exchange(file_, -1);
  }

 private:
  fs::path path_;
  int file_;
};

std::optional<Opened> open_new(const fs::path& path, const fs::path& target) {
  Opened opened(path);
  if (opened.file() >= 0) return opened;
  if (errno == EEXIST) return std::nullopt;
  const int code = errno;
  std::error_code unknown;
  if (const fs::path folder = target.parent_path();
      code == ENOENT && !folder.empty() && !fs::exists(folder, unknown))
    throw Error(fmt::format("cannot be written: the folder {} does not exist", folder.string()))
        .at(target.string());
  throw system_error("cannot be written", target, code);
}

// Locks a new file. The lock counts as taken if another process has removed the file from this path before.
Lock lock_at(const fs::path& path, int file) {
  const Lock state = lock(file);
  struct stat made = {};
  if (state != Lock::Held) return state;
  return fstat(file, &made) == 0 && is_at(path, made.st_dev, made.st_ino) ? Lock::Held : Lock::Taken;
}

Opened open_unlocked(const fs::path& target) {
  while (true)
    if (std::optional<Opened> opened = open_new(unique_name(target), target)) return std::move(*opened);
}

// Opens the first temporary name that no running process uses, and removes those of dead processes on its way. On a
// file system without locks the name has the process's number instead, and stays if the process is killed.
Opened open_temporary(const fs::path& target) {
  for (uint32_t number = 0; number < kMostNames; ++number) {
    const fs::path path = temporary_name(target, 0, number);
    std::optional<Opened> opened = open_new(path, target);
    if (!opened && remove_dead(path) == Found::Nothing)
      if (std::optional<Opened> again = open_new(path, target)) opened.emplace(std::move(*again));
    if (!opened) continue;
    const Lock state = lock_at(path, opened->file());
    if (state == Lock::Held) {
      remove_dead_from(target, number + 1);
      return std::move(*opened);
    }
    if (state == Lock::Unsupported) break;
    opened->close_only();
  }
  return open_unlocked(target);
}

// Opens the temporary name that all with Writers::One use. Another process that looks whether a file is dead has the lock
// for a moment, which is waited for.
Opened open_only(const fs::path& target) {
  constexpr int kAttempts = 20;
  const fs::path path = temporary_name(target, 0, 0);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (std::optional<Opened> opened = open_new(path, target)) {
      const Lock state = lock_at(path, opened->file());
      if (state == Lock::Held) {
        remove_dead_from(target, 1);
        return std::move(*opened);
      }
      if (state != Lock::Taken) return open_unlocked(target);
      opened->close_only();
      continue;
    }
    const Found found = remove_dead(path);
    if (found == Found::Foreign) return open_temporary(target);
    if (found == Found::Running) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  throw Error("another run is writing this file")
      .at(target.string())
      .hint("wait until it is done, end it, or name another output");
}

// Gives a new file the owner, where that is allowed, and the permissions of the one that it will replace.
void take_permissions(int file, const fs::path& target) {
  struct stat old = {};
  if (stat(target.c_str(), &old) != 0) return;
  if (fchown(file, old.st_uid, old.st_gid) != 0 && fchown(file, static_cast<uid_t>(-1), old.st_gid) != 0)
    old.st_mode &= ~static_cast<mode_t>(S_IRWXG);  // the group is another one, which had no right to the file
  if (fchmod(file, old.st_mode & 0777) != 0) throw system_error("cannot be written", target, errno);
}

// EINVAL is the answer of file systems that cannot sync, such as folders on some network file systems.
int sync_result(int file) {
  int failed = 0;
  while ((failed = fsync(file) == 0 ? 0 : errno) == EINTR) {
  }
  return failed == EINVAL ? 0 : failed;
}

void sync_folder(const fs::path& folder, const fs::path& target) {
  const int file = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0 && errno == EACCES) return;  // a folder that may be written but not read cannot be synced
  const int failed = file < 0 ? errno : sync_result(file);
  if (file >= 0) close(file);
  if (failed != 0)
    throw system_error(
        "is written, but a power failure may undo that: its folder cannot be flushed to the disk", target,
        failed);
}

// True if the process has so many descriptors open that it should keep none without need.
bool are_descriptors_scarce(int newest) {
  rlimit limit = {};
  return getrlimit(RLIMIT_NOFILE, &limit) != 0 || static_cast<rlim_t>(newest) >= limit.rlim_cur / 2;
}

// A second name for the file at a target, which is gone when it is no longer needed. The name is a temporary one, so that
// the next run removes it if this one is killed, and the file is locked, so that no run does so before.
class Kept {
 public:
  explicit Kept(const fs::path& target)
      : file_(open(target.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)) {
    if (file_ >= 0) lock(file_);
    for (uint32_t number = 1; path_.empty() && number < kMostNames; ++number) {
      const fs::path path = temporary_name(target, 0, number);
      if (link(target.c_str(), path.c_str()) == 0)
        path_ = path;
      else if (errno != EEXIST)
        break;
    }
    if (file_ < 0 || (!path_.empty() && !are_descriptors_scarce(file_))) return;
    close(file_);
    file_ = -1;
  }
  ~Kept() {
    if (!path_.empty()) unlink(path_.c_str());
    if (file_ >= 0) close(file_);
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  bool is_there() const { return !path_.empty(); }

  // Puts the file back to the target.
  void restore(const fs::path& target) {
    const bool is_back = rename(path_.c_str(), target.c_str()) == 0;
    if (is_back) return path_.clear();
    unlink(target.c_str());
    [[maybe_unused]] const int linked = link(path_.c_str(), target.c_str());
  }

 private:
  fs::path path_;
  int file_;
};

// The files of a group that have been replaced so far.
class Replaced {
 public:
  explicit Replaced(size_t most) { steps_.reserve(most); }
  ~Replaced() { undo(); }
  Replaced(const Replaced&) = delete;
  Replaced& operator=(const Replaced&) = delete;

  void keep() { steps_.clear(); }

  // Renames the file with this identity, which is taken back by undo(). Returns the system's error, or 0.
  int rename_to(const fs::path& file, const fs::path& target, dev_t device, ino_t inode) {
    struct stat there = {};
    Step step = {target, nullptr, device, inode};
    const bool existed = lstat(target.c_str(), &there) == 0;
    if (existed) step.old = std::make_unique<Kept>(target);
    if (rename(file.c_str(), target.c_str()) != 0) return errno;
    steps_.push_back(std::move(step));
    return 0;
  }

 private:
  // Puts back what was there, the last file first, unless another process has replaced a file meanwhile. On a file system
  // without hard links the old files are lost, and the new ones stay.
  void undo() {
    for (; !steps_.empty(); steps_.pop_back()) {
      const Step& step = steps_.back();
      if (!is_at(step.target, step.device, step.inode)) continue;
      if (!step.old)
        unlink(step.target.c_str());
      else if (step.old->is_there())
        step.old->restore(step.target);
    }
  }

  struct Step {
    fs::path target;
    std::unique_ptr<Kept> old;  // null if there was no file
    dev_t device;
    ino_t inode;
  };
  std::vector<Step> steps_;
};

// The text without digits at its end; empty if it does not end with a digit.
std::string_view without_number(std::string_view text) {
  const size_t end = text.find_last_not_of("0123456789") + 1;
  return text.substr(0, end == text.size() ? 0 : end);
}

std::string_view without_ending(std::string_view text, std::string_view ending) {
  return text.substr(0, text.ends_with(ending) ? text.size() - ending.size() : 0);
}

}  // namespace

fs::path followed(fs::path path) {
  std::error_code failed;
  for (int link = 0; link < kMostLinks && fs::is_symlink(path, failed); ++link) {
    const fs::path to = fs::read_symlink(path, failed);
    if (failed) throw system_error("is a link that cannot be followed", path, failed.value());
    path = path.parent_path() / to;
  }
  return path;
}

AtomicFile::AtomicFile(const fs::path& target, Writers writers) : target_(target) {
  if (target.filename().empty()) throw Error("is a folder, expected a file to write").at(target.string());
  check_target(target);
  target_ = followed(target);
  Opened opened = writers == Writers::One ? open_only(target_) : open_temporary(target_);
  opened.take(temporary_, descriptor_);
  try {
    take_permissions(descriptor_, target_);
    struct stat made = {};
    if (fstat(descriptor_, &made) != 0) throw system_error("cannot be written", target_, errno);
    device_ = made.st_dev;
    inode_ = made.st_ino;
  } catch (...) {
    unlink(temporary_.c_str());
    close(descriptor_);
    throw;
  }
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty() && is_at(temporary_, device_, inode_)) unlink(temporary_.c_str());
  if (descriptor_ >= 0) close(descriptor_);
}

void AtomicFile::flush() {
  if (is_flushed_) return;
  if (const int failed = sync_result(descriptor_)) throw system_error("cannot be written", target_, failed);
}

void AtomicFile::release() {
  flush();
  is_flushed_ = true;
  if (!are_descriptors_scarce(descriptor_)) return;
  close(descriptor_);
  descriptor_ = -1;
}

// Without a lock another run with the same target may have taken the name for that of a dead process.
void AtomicFile::check_still_there() const {
  if (!is_at(temporary_, device_, inode_))
    throw Error("cannot be written: its temporary file is gone")
        .at(target_.string())
        .hint("does another run write the same file?");
}

void AtomicFile::commit() {
  AtomicFile* const self = this;
  commit_together({&self, 1});
}

void commit_together(std::span<AtomicFile* const> files) {
  throw_late_error();
  for (AtomicFile* file : files) file->flush();
  for (AtomicFile* file : files) file->check_still_there();
  Replaced replaced(files.size());  // undoes what it did unless all is done
  for (AtomicFile* file : files) {
    const int failed = file == files.back()
                           ? (rename(file->temporary_.c_str(), file->target_.c_str()) == 0 ? 0 : errno)
                           : replaced.rename_to(file->temporary_, file->target_, file->device_, file->inode_);
    if (failed == 0) continue;
    throw system_error("cannot be written", file->target_, failed);
  }
  replaced.keep();
  for (AtomicFile* file : files) file->temporary_.clear();
  std::set<fs::path> folders;
  for (AtomicFile* file : files) {
    if (folders.insert(file->target_.parent_path()).second)
      sync_folder(file->target_.parent_path(), file->target_);
  }
}

std::optional<std::string> target_of_temporary(const std::string& name) {
  const std::string_view process = without_ending(without_number(without_ending(name, ".tmp")), "-");
  const std::string_view target = without_ending(without_number(process), ".");
  return target.empty() ? std::nullopt : std::optional<std::string>(target);
}

int open_nameless(const std::filesystem::path& folder) {
  int file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  // On a file system that cannot make files without a name, the name is removed right after the file is made.
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return file;
  std::string name = (folder / "vox-XXXXXX").string();  // mkostemp() replaces the XXXXXX
  file = mkostemp(name.data(), O_CLOEXEC);
  if (file >= 0) unlink(name.c_str());
  return file;
}

}  // namespace vox
