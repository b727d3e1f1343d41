#include "formats/io/compression.h"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "libvox/base/error.h"

namespace vox {
namespace {

// The code of a block (RFC 1951, 3.2.2): the number of symbols with each length, and all symbols in the order of their
// codes.
class SymbolCode {
 public:
  static constexpr uint32_t kLongest = 15;

  explicit SymbolCode(std::span<const uint8_t> lengths) {
    for (const uint8_t length : lengths) ++counts_[length];
    counts_[0] = 0;
    std::array<uint32_t, kLongest + 2> starts = {};
    for (uint32_t length = 1; length <= kLongest; ++length)
      starts[length + 1] = starts[length] + counts_[length];
    for (uint32_t symbol = 0; symbol < lengths.size(); ++symbol)
      if (lengths[symbol] != 0) symbols_[starts[lengths[symbol]]++] = static_cast<uint16_t>(symbol);
  }

  // next_bit() returns the next bit of the data.
  template <class NextBit>
  uint32_t read(const NextBit& next_bit) const {
    uint32_t code = 0, first = 0, index = 0;
    for (uint32_t length = 1; length <= kLongest; ++length) {
      code = code << 1 | next_bit();
      if (code < first + counts_[length]) return symbols_[index + code - first];
      index += counts_[length];
      first = (first + counts_[length]) << 1;
    }
    throw Error("deflated data has a code without a symbol");
  }

 private:
  std::array<uint16_t, kLongest + 1> counts_ = {};
  std::array<uint16_t, 288> symbols_ = {};
};

// Walks through deflate data to find its last block.
class DeflateWalk {
 public:
  explicit DeflateWalk(std::span<const uint8_t> data) : data_(data) {
    for (bool is_last = false; !is_last;) {
      last_block_ = at_;
      is_last = bits(1) == 1;
      switch (bits(2)) {
        case 0:
          skip_stored();
          break;
        case 1:
          skip_symbols(kFixedLiterals, kFixedDistances);
          break;
        case 2:
          skip_dynamic();
          break;
        default:
          throw Error("deflated data has a block of no type");
      }
    }
  }

  // The numbers of the bits at which the last block begins, and of the one behind the data.
  uint64_t last_block() const { return last_block_; }
  uint64_t end() const { return at_; }

 private:
  static constexpr uint32_t kEndOfBlock = 256;
  static const SymbolCode kFixedLiterals, kFixedDistances;

  uint32_t bit() {
    if (at_ / 8 >= data_.size()) throw Error("deflated data ends early");
    const uint32_t bit = data_[at_ / 8] >> at_ % 8 & 1u;
    ++at_;
    return bit;
  }
  uint32_t bits(uint32_t count) {
    uint32_t value = 0;
    for (uint32_t i = 0; i < count; ++i) value |= bit() << i;
    return value;
  }
  uint32_t symbol(const SymbolCode& code) {
    return code.read([this] { return bit(); });
  }

  void skip_stored() {
    constexpr uint32_t kSizeBits = 16;
    at_ = (at_ + 7) / 8 * 8;
    const uint64_t bytes = bits(kSizeBits);
    at_ += kSizeBits + 8 * bytes;  // the size stands there twice
  }

  void skip_symbols(const SymbolCode& literals, const SymbolCode& distances) {
    constexpr uint32_t kFirstLength = 257, kLongestMatch = 285, kFirstWithBits = 265, kFirstFar = 4;
    for (uint32_t found = symbol(literals); found != kEndOfBlock; found = symbol(literals)) {
      if (found < kFirstLength) continue;
      if (found >= kFirstWithBits && found < kLongestMatch) at_ += (found - kFirstWithBits) / 4 + 1;
      const uint32_t distance = symbol(distances);
      if (distance >= kFirstFar) at_ += distance / 2 - 1;
    }
  }

  void skip_dynamic() {
    constexpr std::array<uint8_t, 19> kOrder = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                11, 4,  12, 3, 13, 2, 14, 1, 15};
    const uint32_t literals = bits(5) + 257, distances = bits(5) + 1, lengths_of_code = bits(4) + 4;
    std::array<uint8_t, 19> code_lengths = {};
    for (uint32_t i = 0; i < lengths_of_code; ++i) code_lengths[kOrder[i]] = static_cast<uint8_t>(bits(3));
    const SymbolCode code(code_lengths);
    std::array<uint8_t, 288 + 32> lengths = {};
    for (uint32_t i = 0; i < literals + distances;) {
      const uint32_t found = symbol(code);
      if (found < 16) {
        lengths[i++] = static_cast<uint8_t>(found);
        continue;
      }
      const uint8_t repeated = found == 16 && i > 0 ? lengths[i - 1] : uint8_t{0};
      uint32_t times = found == 16 ? 3 + bits(2) : found == 17 ? 3 + bits(3) : 11 + bits(7);
      for (; times > 0 && i < literals + distances; --times) lengths[i++] = repeated;
    }
    const std::span<const uint8_t> all = lengths;
    skip_symbols(SymbolCode(all.subspan(0, literals)), SymbolCode(all.subspan(literals, distances)));
  }

  std::span<const uint8_t> data_;
  uint64_t at_ = 0, last_block_ = 0;
};

std::array<uint8_t, 288> fixed_lengths() {
  std::array<uint8_t, 288> lengths;
  for (uint32_t i = 0; i < lengths.size(); ++i) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  return lengths;
}

std::array<uint8_t, 30> fixed_distance_lengths() {
  std::array<uint8_t, 30> lengths;
  lengths.fill(5);
  return lengths;
}

const SymbolCode DeflateWalk::kFixedLiterals = SymbolCode(fixed_lengths());
const SymbolCode DeflateWalk::kFixedDistances = SymbolCode(fixed_distance_lengths());

// Removes the mark of the last block, and adds an empty block up to the end of a byte.
void continue_stream(Bytes& data) {
  constexpr uint32_t kHeaderBits = 3;
  const DeflateWalk walk(data);
  data[walk.last_block() / 8] &= static_cast<uint8_t>(~(1u << walk.last_block() % 8));
  data.resize((walk.end() + 7) / 8);
  if (data.size() * 8 - walk.end() < kHeaderBits) data.push_back(0);
  constexpr std::array<uint8_t, 4> kNoBytes = {0, 0, 0xff, 0xff};
  std::ranges::copy(kNoBytes, std::back_inserter(data));
}

}  // namespace

GzipPieces::GzipPieces(int level)
    : compressor_(libdeflate_alloc_compressor(level), libdeflate_free_compressor) {}

Bytes GzipPieces::piece(std::span<const std::byte> bytes) {
  Bytes data(libdeflate_deflate_compress_bound(compressor_.get(), bytes.size()));
  data.resize(
      libdeflate_deflate_compress(compressor_.get(), bytes.data(), bytes.size(), data.data(), data.size()));
  continue_stream(data);
  if (size_ == 0) {
    constexpr std::array<uint8_t, 10> kHeader = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff};
    data.insert(data.begin(), kHeader.begin(), kHeader.end());
  }
  crc_ = libdeflate_crc32(crc_, bytes.data(), bytes.size());
  size_ += bytes.size();
  return data;
}

Bytes GzipPieces::end() const {
  Bytes data = {1, 0, 0, 0xff, 0xff};  // an empty block, marked as the last one
  for (const uint32_t number : {crc_, static_cast<uint32_t>(size_)})
    for (uint32_t byte = 0; byte < 4; ++byte) data.push_back(static_cast<uint8_t>(number >> 8 * byte));
  return data;
}

}  // namespace vox
