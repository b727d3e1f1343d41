#include "formats/io/output_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "formats/io/output_file.h"
#include "libvox/base/error.h"
#include "libvox/base/files.h"
#include "libvox/base/progress.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

Error folder_error(const std::string& problem, const fs::path& target, int code) {
  Error error(fmt::format("{}: {}", problem, std::generic_category().message(code)));
  error.at(target.string());
  return error;
}

// Returns the folder's path without a slash at its end.
fs::path plain(const fs::path& target) {
  const fs::path path = followed(target);
  return path.has_filename() ? path : path.parent_path();
}

// Returns the paths of all files in a folder, relative to it. Links count as files and are not followed.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_symlink() || !entry.is_directory()) files.push_back(entry.path().lexically_relative(folder));
  return files;
}

}  // namespace

OutputFolder::OutputFolder(const fs::path& target, IsOwnFile is_own, Overwrite overwrite)
    : target_(plain(target)), is_own_(std::move(is_own)) {
  const std::string name = target_.filename().string();
  if (name.empty() || name == "." || name == "..")
    throw Error("cannot be replaced as a whole").at(target.string()).hint("name a folder inside of it");
  check_target(overwrite);
  temporary_ = target_.parent_path() / (name.substr(0, 200) + ".0-0.tmp");
  lock();
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
  if (descriptor_ >= 0) close(descriptor_);
}

void OutputFolder::check_target(Overwrite overwrite) const {
  try {
    const fs::file_status status = fs::status(target_);
    if (!fs::exists(status)) return;
    if (!fs::is_directory(status)) throw Error("is a file, expected a folder to write").at(target_.string());
    if (overwrite == Overwrite::AllFiles) return;
    for (const fs::path& file : files_in(target_))
      if (!is_own_(target_, file))
        throw Error(fmt::format("exists already, and holds {}, which vox did not write", file.string()))
            .at(target_.string())
            .hint("it is kept unless overwriting it is allowed")
            .about("overwrite");
  } catch (const fs::filesystem_error& error) {
    throw folder_error("cannot be read", target_, error.code().value());
  }
}

// A folder that no process has locked is what a killed process left.
void OutputFolder::lock() {
  const bool is_new = mkdir(temporary_.c_str(), 0777) == 0;
  if (!is_new && errno != EEXIST) throw folder_error("cannot be written", target_, std::exchange(errno, 0));
  descriptor_ = open(temporary_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor_ < 0) {
    const int code = errno;
    if (is_new) rmdir(temporary_.c_str());
    throw folder_error("cannot be written", target_, code);
  }
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(descriptor_);
    throw Error("another run is writing this folder")
        .at(target_.string())
        .hint("wait until it is done, end it, or name another output");
  }
  // A file that stayed would become one of the new files.
  std::error_code failed;
  for (fs::directory_iterator entry(temporary_, failed), end; !failed && entry != end;) {
    fs::remove_all(entry->path(), failed);
    if (!failed) entry.increment(failed);
  }
  if (!failed) return;
  close(descriptor_);
  throw folder_error("what a killed run left cannot be removed", temporary_, failed.value());
}

void OutputFolder::write(const fs::path& relative, std::string_view bytes) {
  const fs::path path = temporary_ / relative;
  const auto opened = [&] { return open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666); };
  int file = opened();
  if (file < 0 && errno == ENOENT) {
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    file = opened();
  }
  if (file < 0 && errno == EEXIST) return;
  if (file < 0) throw folder_error("cannot be written", target_, errno);
  try {
    write_at(file, 0, bytes, target_);
  } catch (...) {
    close(file);
    throw;
  }
  if (close(file) != 0) throw folder_error("cannot be written", target_, errno);
  ++files_;
  bytes_ += bytes.size();
}

void OutputFolder::write_by(const fs::path& relative, const std::function<void(const fs::path&)>& make) {
  const fs::path path = temporary_ / relative;
  try {
    make(path);
  } catch (const Cancelled&) {
    throw;
  } catch (Error& error) {
    error.at((target_ / relative).string());
    throw;
  }
  ++files_;
  bytes_ += fs::file_size(path);
}

void OutputFolder::commit() {
  throw_late_error();
  if (syncfs(descriptor_) != 0) throw folder_error("cannot be written", target_, errno);
  std::error_code failed;
  if (fs::is_directory(target_, failed))
    replace();
  else if (rename(temporary_.c_str(), target_.c_str()) != 0)
    throw folder_error("cannot be written", target_, errno);
  else
    temporary_.clear();
  const fs::path above = target_.parent_path();
  const int folder = open(above.empty() ? "." : above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  fsync(folder);
  close(folder);
}

// The old folder takes the temporary name and goes.
void OutputFolder::replace() {
  keep_foreign();
  if (renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) != 0)
    throw folder_error("cannot be replaced", target_, errno);
}

// Gives the files that are not vox's a second name in the new folder, or copies them where that cannot be.
void OutputFolder::keep_foreign() const {
  try {
    for (const fs::path& file : files_in(target_)) {
      const fs::path to = temporary_ / file;
      if (is_own_(target_, file) || fs::exists(fs::symlink_status(to))) continue;
      fs::create_directories(to.parent_path());
      std::error_code failed;
      fs::create_hard_link(target_ / file, to, failed);
      if (failed) fs::copy(target_ / file, to, fs::copy_options::copy_symlinks);
    }
  } catch (const fs::filesystem_error& error) {
    throw folder_error("holds a file that cannot be kept", target_, error.code().value());
  }
}

}  // namespace vox
