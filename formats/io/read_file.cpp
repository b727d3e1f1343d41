#include "formats/io/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "libvox/base/error.h"

namespace vox {
namespace {

std::string problem_of(int file, struct stat& status) {
  if (file < 0) return fmt::format("cannot be opened: {}", std::strerror(errno));
  if (fstat(file, &status) != 0) return std::strerror(errno);
  if (S_ISDIR(status.st_mode)) return "is a folder, expected a file";
  if (!S_ISREG(status.st_mode)) return "is not a regular file";
  return status.st_size == 0 ? "the file is empty" : "";
}

}  // namespace

// Opens without blocking: a named pipe is refused instead of waited for.
ReadFile::ReadFile(const std::filesystem::path& path)
    : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat status = {};
  if (const std::string problem = problem_of(descriptor_, status); !problem.empty()) {
    if (descriptor_ >= 0) close(descriptor_);
    Error error(problem);
    if (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode) || S_ISSOCK(status.st_mode))
      error.hint("pipes and devices are not read: save what they give as a file first");
    throw error.at(path.string());
  }
  size_ = static_cast<uint64_t>(status.st_size);
}

ReadFile::~ReadFile() {
  close(descriptor_);
}

void ReadFile::read(uint64_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t count = pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(fmt::format("cannot be read: {}", std::strerror(errno))).at(path_.string());
    if (count == 0)
      throw Error(fmt::format("ends after {} bytes, but had {} when it was opened", offset, size_))
          .at(path_.string());
    offset += static_cast<uint64_t>(count);
    to = to.subspan(static_cast<size_t>(count));
  }
}

void check_input(const std::filesystem::path& path) {
  const ReadFile file(path);
}

std::string first_bytes(const std::filesystem::path& path, size_t most) {
  try {
    const ReadFile file(path);
    std::string bytes(std::min<uint64_t>(most, file.size()), '\0');
    file.read(0, std::as_writable_bytes(std::span(bytes)));
    return bytes;
  } catch (const Error&) {
    return "";
  }
}

}  // namespace vox
