#include "formats/io/nameless_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "libvox/base/error.h"
#include "libvox/base/open_nameless.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

int file_of_size(uint64_t size, const std::filesystem::path& source) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const int file = open_nameless(folder);
  const int failed = file < 0 ? errno : posix_fallocate(file, 0, static_cast<off_t>(size));
  if (failed == 0) return file;
  if (file >= 0) close(file);
  throw Error(fmt::format("{} cannot be unpacked into {}: {}", format_bytes(size), folder.string(),
                          std::generic_category().message(failed)))
      .at(source.string())
      .hint("set TMPDIR to a folder with enough room");
}

}  // namespace

NamelessFile::NamelessFile(uint64_t size, const std::filesystem::path& source) : size_(size) {
  const int file = file_of_size(size, source);
  void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int reason = errno;
  close(file);
  if (mapped == MAP_FAILED)
    throw Error("cannot be unpacked: " + std::generic_category().message(reason)).at(source.string());
  data_ = static_cast<std::byte*>(mapped);
}

NamelessFile::~NamelessFile() {
  munmap(data_, size_);
}

}  // namespace vox
