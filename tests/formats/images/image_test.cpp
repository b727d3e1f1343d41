// Reads and writes images, and refuses those that claim more than they hold.
#include <gtest/gtest.h>
#include <libdeflate.h>

#include <cmath>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "formats/images/image.h"
#include "formats/io/read_file.h"
#include "libvox/base/error.h"
#include "tests/common/test_process.h"
#include "tests/formats/mesh/gltf_builder.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

constexpr scene::Rgba8 kRed = {255, 0, 0, 255}, kGreen = {0, 255, 0, 255}, kBlue = {0, 0, 255, 128},
                       kGray = {100, 101, 102, 255};
const std::vector<scene::Rgba8> kSixPixels = {kRed, kGreen, kBlue, kGray, kGreen, kRed};  // 3 x 2

std::span<const std::byte> bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string message_of(const std::string& file) {
  try {
    decode_image(bytes(file), "wood.png");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Returns a smooth image of 128 x 96 pixels, which JPEG keeps almost unchanged.
std::vector<scene::Rgba8> gradient() {
  std::vector<scene::Rgba8> pixels;
  for (uint32_t y = 0; y < 96; ++y)
    for (uint32_t x = 0; x < 128; ++x)
      pixels.push_back({static_cast<uint8_t>(2 * x), static_cast<uint8_t>(2 * y), 77, 255});
  return pixels;
}

TEST(ReadImage, FormatsWithoutLossKeepEveryPixelTopRowFirst) {
  for (ImageWriter* writer : {write_png, stbi_write_tga_to_func, stbi_write_bmp_to_func}) {
    std::string file = encoded(writer, 3, 2, kSixPixels);
    scene::Image image = decode_image(bytes(file), "six");
    EXPECT_EQ(image.name, "six");
    EXPECT_EQ(image.width, 3u);
    EXPECT_EQ(image.height, 2u);
    EXPECT_EQ(image.pixels, kSixPixels);
  }
}

TEST(ReadImage, APngMayBeginWithAnEmptyChunkOfPixels) {
  std::string file = encoded(write_png, 3, 2, kSixPixels);
  file.insert(file.find("IDAT") - 4, std::string("\0\0\0\0IDAT\x35\xaf\x06\x1e", 12));
  EXPECT_EQ(decode_image(bytes(file), "six").pixels, kSixPixels);
}

TEST(ReadImage, JpegKeepsColorsNearly) {
  std::vector<scene::Rgba8> expected = gradient();
  std::string file = encoded(write_jpg, 128, 96, expected);
  scene::Image image = decode_image(bytes(file), "jpg");
  ASSERT_EQ(image.pixels.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(image.pixels[i].r, expected[i].r, 12);
    ASSERT_NEAR(image.pixels[i].g, expected[i].g, 12);
    ASSERT_EQ(image.pixels[i].a, 255);
  }
}

TEST(ReadImage, HdrBecomesGammaEncoded) {
  std::vector<float> linear = {1, 0.5f, 0, 20, 0.25f, 0};
  std::string file;
  auto append = [](void* to, void* data, int size) {
    static_cast<std::string*>(to)->append(static_cast<char*>(data), static_cast<size_t>(size));
  };
  stbi_write_hdr_to_func(append, &file, 2, 1, 3, linear.data());
  scene::Image image = decode_image(bytes(file), "hdr");
  ASSERT_EQ(image.pixels.size(), 2u);
  EXPECT_NEAR(image.pixels[0].r, 255, 1);
  EXPECT_NEAR(image.pixels[0].g, 255 * std::pow(0.5, 1 / 2.2), 2);
  EXPECT_EQ(image.pixels[0].b, 0);
  EXPECT_EQ(image.pixels[1].r, 255);
}

TEST(ReadImage, SixteenBitPngKeepsTheUpperByte) {
  // 1 x 1 pixel with 16 bits a channel, RGB 0xffff 0x8040 0x0000.
  const uint8_t file[] = {0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d,
                          0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01,
                          0x10, 0x02, 0x00, 0x00, 0x00, 0xc0, 0xe7, 0x8f, 0x9d, 0x00, 0x00, 0x00,
                          0x0f, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xf8, 0xff, 0xbf, 0xc1,
                          0x81, 0x81, 0x01, 0x00, 0x0d, 0xbc, 0x02, 0xbf, 0x2e, 0xa7, 0xbf, 0xde,
                          0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
  scene::Image image = decode_image(std::as_bytes(std::span(file)), "deep");
  EXPECT_EQ(image.pixels, (std::vector<scene::Rgba8>{{255, 128, 0, 255}}));
}

TEST(ReadImage, WhatIsNoImageIsAnErrorThatNamesTheFile) {
  EXPECT_EQ(message_of(""), "wood.png: the image file is empty");
  EXPECT_EQ(message_of("this is a text, and a text is no image however long it may become"),
            "wood.png: not a supported image (supported: png, jpg, webp, tga, bmp and hdr)");
  EXPECT_NE(message_of(std::string(1000, '\0')), "");
}

TEST(ReadImage, TruncatedFilesAreErrorsWhereverTheyEnd) {
  for (ImageWriter* writer : {write_png, write_jpg, stbi_write_tga_to_func, stbi_write_bmp_to_func}) {
    std::string file = encoded(writer, 128, 96, gradient());
    ASSERT_EQ(message_of(file), "");
    for (size_t tenths = 0; tenths < 10; ++tenths)
      EXPECT_NE(message_of(file.substr(0, file.size() * tenths / 10)), "") << tenths << " tenths";
    EXPECT_NE(message_of(file.substr(0, file.size() - 5)), "");
  }
}

TEST(ReadImage, SizesAreCheckedBeforeDecoding) {
  auto bmp_of_size = [](uint32_t width, uint32_t height) {
    std::string file = encoded(stbi_write_bmp_to_func, 3, 2, kSixPixels);
    for (size_t i = 0; i < 4; ++i) {
      file[18 + i] = static_cast<char>(width >> 8 * i);
      file[22 + i] = static_cast<char>(height >> 8 * i);
    }
    return file;
  };
  EXPECT_EQ(message_of(bmp_of_size(60000, 60000)).substr(0, 52),
            "wood.png: an image of 60000 x 60000 pixels is too la");
  EXPECT_NE(message_of(bmp_of_size(32768, 32768)).find("too large"), std::string::npos);
  EXPECT_NE(message_of(bmp_of_size(16384, 16384)).find("cannot hold an image"), std::string::npos);
  EXPECT_NE(message_of(bmp_of_size(1000, 1000)).find("truncated"), std::string::npos);
}

TEST(ReadImage, FlippedBytesNeverCrash) {
  std::mt19937 random(7);
  for (ImageWriter* writer : {write_png, write_jpg, stbi_write_tga_to_func, stbi_write_bmp_to_func}) {
    const std::string good = encoded(writer, 16, 12, std::vector<scene::Rgba8>(16 * 12, kGray));
    for (int round = 0; round < 500; ++round) {
      std::string file = good;
      for (int i = 0; i < 3; ++i)
        file[random() % std::min<size_t>(file.size(), 700)] = static_cast<char>(random());
      message_of(file);
    }
  }
}

TEST(ReadImage, JpegsWithTooManyHuffmanCodesAreRefused) {
  std::string file = encoded(write_jpg, 128, 96, gradient());
  size_t table = file.find("\xff\xc4");
  ASSERT_NE(table, std::string::npos);
  file[table + 5 + 15] = '\xff';  // codes of 16 bits
  file[table + 5 + 14] = '\xff';
  EXPECT_EQ(message_of(file),
            "wood.png: the JPEG has a Huffman table of more than 256 codes (is it damaged?)");
}

// Bytes of 255 may stand before a marker's code, also before that of the first marker.
TEST(ReadImage, TheTablesOfJpegsBehindMoreBytesOf255AreCheckedToo) {
  std::string file = encoded(write_jpg, 128, 96, gradient());
  ASSERT_TRUE(file.starts_with("\xff\xd8"));
  file.insert(0, "\xff\xff");
  EXPECT_EQ(message_of(file), "");
  const size_t table = file.find("\xff\xc4");
  file[table + 5 + 15] = '\xff';
  file[table + 5 + 14] = '\xff';
  EXPECT_EQ(message_of(file),
            "wood.png: the JPEG has a Huffman table of more than 256 codes (is it damaged?)");
}

TEST(ReadImage, FilesThatAreNotThereAreNamed) {
  TestFolder folder;
  auto message = [](const std::filesystem::path& path) -> std::string {
    try {
      read_image(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  std::string missing = (folder.path() / "missing.png").string();
  EXPECT_EQ(message(missing), missing + ": no such file");
  EXPECT_EQ(message(folder.path()), folder.path().string() + ": not a regular file");
  std::string empty = folder.write("empty.png", "").string();
  EXPECT_EQ(message(empty), empty + ": the image file is empty");
}

TEST(FindFile, NamesAreFoundAsPeopleWriteThem) {
  TestFolder folder;
  std::filesystem::path wood = folder.write("Textures/Old Wood.PNG", "x");
  std::filesystem::create_directories(folder.path() / "mesh");
  auto same = [&](const std::string& from, const std::string& name) {
    auto found = find_file(folder.path() / from, name);
    return found && std::filesystem::equivalent(*found, wood);
  };
  EXPECT_TRUE(same("", "Textures/Old Wood.PNG"));
  EXPECT_TRUE(same("", "textures/old wood.png"));
  EXPECT_TRUE(same("", "textures\\old wood.png"));
  EXPECT_TRUE(same("", ".\\.\\TEXTURES\\OLD WOOD.PNG"));
  EXPECT_TRUE(same("", "./textures//Old%20wood.png"));
  EXPECT_TRUE(same("mesh", "../textures/old wood.png"));
  EXPECT_TRUE(same("", "C:\\art\\textures\\old wood.png"));
  EXPECT_TRUE(same("Textures", "C:\\art\\tex\\old wood.png"));
  EXPECT_TRUE(same("Textures", "/nowhere/at/all/Old Wood.PNG"));
  EXPECT_TRUE(same("mesh", wood.string()));
  EXPECT_TRUE(same("mesh", "file://" + wood.string()));
}

TEST(FindFile, FilesOutsideOfTheOpenFoldersAreRefused) {
  namespace fs = std::filesystem;
  TestFolder folder;
  folder.write("secret/key.bin", "x");
  folder.write("mesh/inside/wood.png", "x");
  folder.write("mesh-2/wood.png", "x");
  const fs::path mesh = folder.path() / "mesh";
  fs::create_symlink(folder.path() / "secret/key.bin", mesh / "link.bin");
  fs::create_directory_symlink(folder.path() / "secret", mesh / "linked");
  fs::create_symlink("inside/wood.png", mesh / "wood link.png");
  const OpenFolders open(std::span(&mesh, 1));
  for (const std::string& name :
       {std::string("../secret/key.bin"), (folder.path() / "secret/key.bin").string(),
        std::string("inside/../../secret/key.bin"), std::string("link.bin"), std::string("linked/key.bin"),
        std::string("../mesh-2/../secret/key.bin")}) {
    EXPECT_THROW(find_file(mesh, name, open), OutsideFile) << name;
    EXPECT_TRUE(find_file(mesh, name)) << name;
  }
  for (const char* name :
       {"inside/wood.png", "../mesh/inside/wood.png", "../mesh-2/inside/wood.png", "wood link.png"})
    EXPECT_TRUE(find_file(mesh, name, open)) << name;
  EXPECT_FALSE(find_file(mesh, "../secret/nothing.bin", open));
  const std::vector<fs::path> both = {mesh, folder.path() / "secret"};
  EXPECT_TRUE(find_file(mesh, "link.bin", OpenFolders(both)));
}

TEST(FindFile, ExactLetterCaseGoesFirst) {
  TestFolder folder;
  folder.write("WOOD.png", "x");
  folder.write("tex/Wood.png", "x");
  folder.write("Wood.png", "x");
  folder.write("Tex/other.png", "x");
  EXPECT_EQ(find_file(folder.path(), "Wood.png"), folder.path() / "Wood.png");
  EXPECT_EQ(find_file(folder.path(), "wood.png"), folder.path() / "WOOD.png");
  EXPECT_EQ(find_file(folder.path(), "Tex/wood.png"), folder.path() / "tex/Wood.png");
}

TEST(FindFile, WhatIsNotThereIsNotFound) {
  TestFolder folder;
  folder.write("wood.png/inside.txt", "a folder");
  EXPECT_FALSE(find_file(folder.path(), ""));
  EXPECT_FALSE(find_file(folder.path(), "wood.png"));
  EXPECT_FALSE(find_file(folder.path(), "stone.png"));
  EXPECT_FALSE(find_file(folder.path() / "missing", "stone.png"));
  EXPECT_FALSE(find_file(folder.path(), "stone.png%"));
  EXPECT_FALSE(find_file(folder.path(), std::string(1 << 20, '.')));
  std::string up;
  for (int i = 0; i < 100000; ++i) up += "../";
  EXPECT_FALSE(find_file(folder.path(), up + "x"));
}

TEST(ImageLoader, ReadsEachFileOnceAndKeepsTheOrder) {
  TestFolder folder;
  auto red = folder.write("red.png", png(1, 1, {kRed}));
  auto green = folder.write("green.png", png(1, 1, {kGreen}));
  std::string blue = png(1, 1, {kBlue});
  ImageLoader loader;
  EXPECT_EQ(loader.add_file(red), 0u);
  EXPECT_EQ(loader.add_file(green), 1u);
  EXPECT_EQ(loader.add_file(folder.path() / "." / "red.png"), 0u);
  EXPECT_EQ(loader.add_embedded(bytes(blue), "blue"), 2u);
  EXPECT_EQ(loader.add_pixels({.name = "gray", .width = 1, .height = 1, .pixels = {kGray}}), 3u);
  std::vector<scene::Image> images = loader.load();
  ASSERT_EQ(images.size(), 4u);
  EXPECT_EQ(images[0].pixels[0], kRed);
  EXPECT_EQ(images[1].pixels[0], kGreen);
  EXPECT_EQ(images[1].name, green.string());
  EXPECT_EQ(images[2].pixels[0], kBlue);
  EXPECT_EQ(images[2].name, "blue");
  EXPECT_EQ(images[3].pixels[0], kGray);
}

TEST(ImageLoader, WhatCannotBeReadBecomesAWarningAndTheMaterialsColor) {
  TestFolder folder;
  ImageLoader loader;
  loader.add_file(folder.write("zero.png", ""));
  loader.add_file(folder.write("good.png", png(1, 1, {kGreen})));
  loader.add_embedded({}, "nothing");
  scene::Scene scene;
  testing::internal::CaptureStderr();
  scene.images = loader.load();
  std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("zero.png: the image file is empty"), std::string::npos) << log;
  EXPECT_LT(log.find("zero.png"), log.find("nothing: the image file is empty")) << log;
  scene.materials.resize(4);
  scene.materials[0].image = 0;
  scene.materials[1].image = 1;
  scene.materials[3].image = 2;
  drop_empty_images(scene);
  ASSERT_EQ(scene.images.size(), 1u);
  EXPECT_EQ(scene.images[0].pixels[0], kGreen);
  EXPECT_EQ(scene.materials[0].image, scene::kNone);
  EXPECT_EQ(scene.materials[1].image, 0u);
  EXPECT_EQ(scene.materials[2].image, scene::kNone);
  EXPECT_EQ(scene.materials[3].image, scene::kNone);
}

// Images of a few bytes that claim much take little memory before they are refused.

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
