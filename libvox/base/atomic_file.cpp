#include "libvox/base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include "libvox/base/error.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

Error system_error(const std::string& problem, const fs::path& target, int code) {
  Error error(fmt::format("{}: {}", problem, std::generic_category().message(code)));
  error.at(target.string());
  return error;
}

// Renaming a file over a device or a folder would destroy it, or would fail only at the end.
void check_target(const fs::path& target) {
  std::error_code failed;
  fs::file_status status = fs::status(target, failed);
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

// Returns a name that no other process, and no other file of this one, uses. It is cut to stay below
// NAME_MAX.
fs::path temporary_name(const fs::path& target) {
  static std::atomic<uint64_t> count = 0;
  std::string name = target.filename().string().substr(0, 200);
  return target.parent_path() / fmt::format("{}.{}-{}.tmp", name, getpid(), count++);
}

// Returns the text without the digits at its end, or an empty text if it does not end with a digit.
std::string_view without_number(std::string_view text) {
  const size_t end = text.find_last_not_of("0123456789") + 1;
  return text.substr(0, end == text.size() ? 0 : end);
}

std::string_view without_ending(std::string_view text, std::string_view ending) {
  return text.substr(0, text.ends_with(ending) ? text.size() - ending.size() : 0);
}

void sync(const fs::path& path, int flags, const fs::path& target) {
  int file = open(path.c_str(), flags | O_CLOEXEC);
  if (file < 0) throw system_error("cannot be written", target, errno);
  int failed = fsync(file) == 0 ? 0 : errno;
  if (close(file) != 0 && failed == 0) failed = errno;
  // EINVAL means that the file system cannot sync, as for folders on some network file systems.
  if (failed != 0 && failed != EINVAL) throw system_error("cannot be written", target, failed);
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& target) : target_(target) {
  if (target.filename().empty()) throw Error("is a folder, expected a file to write").at(target.string());
  check_target(target);
  std::error_code ignored;
  if (fs::is_symlink(target, ignored)) target_ = fs::weakly_canonical(target);
  for (int file = -1; file < 0;) {
    temporary_ = temporary_name(target_);
    file = open(temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (file >= 0) {
      close(file);
    } else if (errno != EEXIST) {  // EEXIST: left behind by a process that was killed
      throw system_error("cannot be written", target, errno);
    }
  }
}

AtomicFile::~AtomicFile() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove(temporary_, ignored);
}

void AtomicFile::commit() {
  sync(temporary_, O_WRONLY, target_);
  std::error_code failed;
  fs::rename(temporary_, target_, failed);
  if (failed) throw system_error("cannot be written", target_, failed.value());
  temporary_.clear();
  fs::path folder = target_.parent_path();
  sync(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY, target_);
}

std::optional<std::string> target_of_temporary(const std::string& name) {
  const std::string_view process = without_ending(without_number(without_ending(name, ".tmp")), "-");
  const std::string_view target = without_ending(without_number(process), ".");
  return target.empty() ? std::nullopt : std::optional<std::string>(target);
}

}  // namespace vox
