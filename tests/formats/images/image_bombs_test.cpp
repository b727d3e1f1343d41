// Images of a few bytes that claim much take little memory before they are refused.
#include <gtest/gtest.h>
#include <libdeflate.h>

#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formats/images/image.h"
#include "libvox/base/error.h"
#include "tests/formats/mesh/compressed_gltf.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

std::string packed_zlib(const std::string& bytes) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(6), libdeflate_free_compressor);
  std::string packed(libdeflate_zlib_compress_bound(compressor.get(), bytes.size()), '\0');
  packed.resize(
      libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(), packed.data(), packed.size()));
  return packed;
}

std::string problem_of(const std::string& file) {
  try {
    decode_image(std::as_bytes(std::span(file)), "wood.png");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// A PNG of 1 x 1 pixel whose chunk of pixels states `length` bytes and holds `content`.
std::string png_with_chunk(uint32_t length, const std::string& content) {
  const std::string sound = png(1, 1, {kRed});
  std::string file = sound.substr(0, sound.find("IDAT") - 4);
  for (int shift = 24; shift >= 0; shift -= 8) file += static_cast<char>(length >> shift);
  return file + "IDAT" + content + "1234" + sound.substr(sound.find("IEND") - 4);
}

// Runs f() and returns by how many bytes the process has been larger than before at some time, as far as Linux tells.
template <class F>
uint64_t growth(const F& f) {
  const auto peak = [] {
    std::ifstream status("/proc/self/status");
    std::string word;
    uint64_t kilobytes = 0;
    while (status >> word)
      if (word == "VmHWM:") status >> kilobytes;
    return kilobytes << 10;
  };
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak is then what is there now
  const uint64_t before = peak();
  f();
  return peak() - before;
}

TEST(ImageBombs, WhatAChunkOfAPngClaimsOrUnpacksToIsNotBelieved) {
  const std::string zeros = packed_zlib(std::string(64 << 20, '\0'));
  ASSERT_LT(zeros.size(), 100u << 10);
  const auto small = [](const std::string& file) {
    EXPECT_LT(growth([&] {
                EXPECT_EQ(problem_of(file),
                          "wood.png: the image cannot be decoded: outofmem (is it damaged?)");
              }),
              8u << 20);
  };
  small(png_with_chunk(static_cast<uint32_t>(zeros.size()), zeros));
  small(png_with_chunk(1'700'000'000, zeros));
}

TEST(ImageBombs, AWebpThatClaimsManyPixelsAndIsTruncatedTakesLittleMemory) {
  if (!can_read_webp()) GTEST_SKIP() << "built without libwebp";
  std::vector<scene::Rgba8> pixels(64 * 64);
  for (uint32_t i = 0; i < pixels.size(); ++i)
    pixels[i] = {static_cast<uint8_t>(i * i), static_cast<uint8_t>(i % 61), 7, 255};
  std::string file = webp(64, 64, pixels);
  const uint32_t sides = 16383 << 14 | 16383;  // two times 14 bits, each the side less 1
  for (size_t i = 0; i < 3; ++i) file[21 + i] = static_cast<char>(sides >> 8 * i);
  file[24] = static_cast<char>((file[24] & 0xf0) | sides >> 24);
  EXPECT_LT(
      growth([&] { EXPECT_NE(problem_of(file).find("WebP image cannot be decoded"), std::string::npos); }),
      64u << 20);
}

}  // namespace
}  // namespace vox
