#include "formats/io/output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "libvox/base/error.h"

namespace vox {
namespace {

constexpr size_t kBufferBytes = 1 << 20;

[[noreturn]] void fail(const std::filesystem::path& target) {
  throw Error(fmt::format("cannot be written: {}", std::generic_category().message(errno)))
      .at(target.string());
}

// Calls write(bytes), which writes a part of them and returns its size or -1, until all bytes are written.
template <class Write>
void write_all(std::string_view bytes, const std::filesystem::path& target, const Write& write) {
  while (!bytes.empty()) {
    const ssize_t written = write(bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(target);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

void OutputFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (bytes.size() < kBufferBytes)
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  else
    write_all(bytes, file_.target(),
              [&](std::string_view rest) { return ::write(file_.descriptor(), rest.data(), rest.size()); });
}

void OutputFile::flush() {
  write_all({buffer_.data(), buffer_.size()}, file_.target(),
            [&](std::string_view rest) { return ::write(file_.descriptor(), rest.data(), rest.size()); });
  buffer_.clear();
}

void OutputFile::release() {
  flush();
  buffer_.shrink_to_fit();
  file_.release();
}

void OutputFile::commit() {
  flush();
  file_.commit();
}

void OutputFile::commit_together(std::list<OutputFile>& files) {
  std::vector<AtomicFile*> all;
  for (OutputFile& file : files) {
    file.flush();
    all.push_back(&file.file_);
  }
  vox::commit_together(all);
}

void write_at(int descriptor, uint64_t offset, std::string_view bytes, const std::filesystem::path& target) {
  write_all(bytes, target, [&](std::string_view rest) {
    const ssize_t written = pwrite(descriptor, rest.data(), rest.size(), static_cast<off_t>(offset));
    if (written > 0) offset += static_cast<uint64_t>(written);
    return written;
  });
}

}  // namespace vox
