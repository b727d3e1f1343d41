#include "formats/io/deflate.h"

#include <libdeflate.h>

#ifdef VOX_HAS_ISAL
#include <isa-l/igzip_lib.h>
#endif

#include "formats/io/compression.h"

namespace vox {

#ifdef VOX_HAS_ISAL
struct Deflater::Fast {
  isal_zstream stream;
  std::vector<uint8_t> memory = std::vector<uint8_t>(ISAL_DEF_LVL1_DEFAULT);

  // Returns the number of bytes written; 0 if there is not enough room.
  size_t deflate(std::span<const uint8_t> bytes, std::span<uint8_t> to) {
    isal_deflate_stateless_init(&stream);
    stream.level = 1;
    stream.level_buf = memory.data();
    stream.level_buf_size = static_cast<uint32_t>(memory.size());
    stream.gzip_flag = IGZIP_ZLIB;
    stream.end_of_stream = 1;
    stream.next_in = const_cast<uint8_t*>(bytes.data());
    stream.avail_in = static_cast<uint32_t>(bytes.size());
    stream.next_out = to.data();
    stream.avail_out = static_cast<uint32_t>(to.size());
    return isal_deflate_stateless(&stream) == COMP_OK ? stream.total_out : 0;
  }
};
#else
struct Deflater::Fast {};
#endif

uint64_t deflate_bound(uint64_t bytes) {
  return libdeflate_zlib_compress_bound(nullptr, bytes);
}

Deflater::Deflater(int level) : compressor_(libdeflate_alloc_compressor(level), libdeflate_free_compressor) {
#ifdef VOX_HAS_ISAL
  if (level == kFastestDeflate) fast_ = std::make_unique<Fast>();
#endif
}

Deflater::~Deflater() = default;
Deflater::Deflater(Deflater&&) noexcept = default;

Bytes Deflater::deflated(std::span<const uint8_t> bytes) {
  Bytes result(deflate_bound(bytes.size()));
  size_t size = 0;
#ifdef VOX_HAS_ISAL
  if (fast_) size = fast_->deflate(bytes, result);
#endif
  if (size == 0)
    size =
        libdeflate_zlib_compress(compressor_.get(), bytes.data(), bytes.size(), result.data(), result.size());
  result.resize(size);
  return result;
}

}  // namespace vox
