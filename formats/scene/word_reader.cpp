#include "formats/scene/word_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "libvox/base/error.h"

namespace vox::h5 {

std::shared_ptr<WordReader> WordReader::open(const Object& dataset) {
  const std::optional<ChunkFormat> format = chunk_format(dataset);
  if (!format) return nullptr;
  return std::shared_ptr<WordReader>(new WordReader(dataset, *format));
}

WordReader::WordReader(const Object& dataset, const ChunkFormat& format)
    : file_(fcntl(descriptor(dataset), F_DUPFD_CLOEXEC, 0)),
      where_(dataset.where()),
      format_(format),
      words_(words_in(dataset)) {
  if (file_ < 0) throw Error(fmt::format("cannot be read: {}", std::strerror(errno))).at(where_);
  const uint64_t most = Coder::most_bytes(format);
  for (hsize_t first = 0; first < words_; first += format.words) {
    unsigned skipped_filters = 0;
    haddr_t at = HADDR_UNDEF;
    hsize_t bytes = 0;
    check(H5Dget_chunk_info_by_coord(dataset.id, &first, &skipped_filters, &at, &bytes), where_,
          "cannot be read");
    if (at == HADDR_UNDEF || bytes == 0 || bytes > most || skipped_filters != 0)
      throw Error(fmt::format("the chunk from word {} has {} bytes", first, bytes)).at(where_);
    chunks_.push_back({at, bytes});
  }
}

WordReader::~WordReader() {
  if (file_ >= 0) close(file_);
}

void WordReader::read(uint64_t first, std::span<uint32_t> to) {
  std::unique_ptr<Coder> coder = take_coder();
  Words whole;  // a chunk of which only a part is wanted
  while (!to.empty()) {
    const uint64_t chunk = first / format_.words, begin = chunk * format_.words;
    const uint64_t end = std::min(begin + format_.words, words_);
    const uint64_t count = std::min<uint64_t>(end - first, to.size());
    if (first == begin && count == end - begin) {
      read_chunk(*coder, chunk, to.first(count));
    } else {
      whole.resize(end - begin);
      read_chunk(*coder, chunk, whole);
      std::copy_n(whole.begin() + static_cast<ptrdiff_t>(first - begin), count, to.begin());
    }
    first += count;
    to = to.subspan(count);
  }
  const std::lock_guard lock(mutex_);
  coders_.push_back(std::move(coder));
}

void WordReader::read_chunk(Coder& coder, uint64_t chunk, std::span<uint32_t> to) {
  Bytes bytes(chunks_[chunk].bytes);
  for (uint64_t done = 0; done < bytes.size();) {
    const ssize_t got =
        pread(file_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(chunks_[chunk].at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      throw Error(
          fmt::format("cannot be read: {}", got == 0 ? "the file has become shorter" : std::strerror(errno)))
          .at(where_);
    done += static_cast<uint64_t>(got);
  }
  if (!coder.decode(bytes, to))
    throw Error(fmt::format("the chunk from word {} is damaged", chunk * format_.words)).at(where_);
}

std::unique_ptr<WordReader::Coder> WordReader::take_coder() {
  const std::lock_guard lock(mutex_);
  if (coders_.empty()) return std::make_unique<Coder>(format_);
  std::unique_ptr<Coder> coder = std::move(coders_.back());
  coders_.pop_back();
  return coder;
}

}  // namespace vox::h5
