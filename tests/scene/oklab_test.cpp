#include "libvox/scene/oklab.h"

#include <gtest/gtest.h>

#include <cmath>

namespace vox {
namespace {

void expect_near(Vec3d actual, Vec3d expected, double tolerance) {
  EXPECT_NEAR(actual.x, expected.x, tolerance);
  EXPECT_NEAR(actual.y, expected.y, tolerance);
  EXPECT_NEAR(actual.z, expected.z, tolerance);
}

TEST(Oklab, EveryCodeDecodesAsTheStandardSays) {
  for (int code = 0; code < 256; ++code) {
    double s = code / 255.0;
    double expected = s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
    EXPECT_NEAR(scene::srgb_to_linear(static_cast<uint8_t>(code)), expected, 1e-15) << code;
  }
}

TEST(Oklab, EveryValueEncodesToTheNearestCode) {
  for (int i = -10; i <= 100010; ++i) {
    double value = i / 100000.0, clamped = std::min(1.0, std::max(0.0, value));
    double exact =
        255 * (clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * std::pow(clamped, 1 / 2.4) - 0.055);
    EXPECT_LE(std::abs(scene::linear_to_srgb(value) - exact), 0.5 + 1e-5) << value;
  }
  for (int code = 0; code < 256; ++code)
    EXPECT_EQ(scene::linear_to_srgb(scene::srgb_to_linear(static_cast<uint8_t>(code))), code);
  EXPECT_EQ(scene::linear_to_srgb(std::nan("")), 0);
  EXPECT_EQ(scene::linear_to_srgb(HUGE_VAL), 255);
}

// These values come from CSS Color Module Level 4 and Ottosson's reference implementation.
TEST(Oklab, KnownColorsHaveTheirPublishedCoordinates) {
  expect_near(scene::linear_to_oklab({1, 1, 1}), {1, 0, 0}, 1e-6);
  expect_near(scene::linear_to_oklab({0, 0, 0}), {0, 0, 0}, 0);
  expect_near(scene::linear_to_oklab({1, 0, 0}), {0.6279554, 0.2248631, 0.1258463}, 1e-6);
  expect_near(scene::linear_to_oklab({0, 1, 0}), {0.8664396, -0.2338874, 0.1794985}, 1e-6);
  expect_near(scene::linear_to_oklab({0, 0, 1}), {0.4520137, -0.0324570, -0.3115281}, 1e-6);
}

// The pairs of XYZ and Oklab with three digits are from the table in Ottosson's article. D65 XYZ is first
// converted to linear sRGB.
TEST(Oklab, TheArticlesXyzPairsAreMet) {
  auto oklab = [](double x, double y, double z) {
    return scene::linear_to_oklab({3.2404542 * x - 1.5371385 * y - 0.4985314 * z,
                                   -0.9692660 * x + 1.8760108 * y + 0.0415560 * z,
                                   0.0556434 * x - 0.2040259 * y + 1.0572252 * z});
  };
  expect_near(oklab(0.950, 1.000, 1.089), {1.000, 0.000, 0.000}, 1.5e-3);
  expect_near(oklab(1, 0, 0), {0.450, 1.236, -0.019}, 1.5e-3);
  expect_near(oklab(0, 1, 0), {0.922, -0.671, 0.263}, 1.5e-3);
  expect_near(oklab(0, 0, 1), {0.153, -1.415, -0.449}, 1.5e-3);
}

TEST(Oklab, RootsAgreeWithTheLibraryAtEveryMagnitude) {
  // For grey, all three cones receive the grey level, because the coefficients of each add up to 1.
  for (double grey = 1e-30; grey < 1e30; grey *= 1.37) {
    EXPECT_NEAR(scene::cone_roots({grey, grey, grey}).x / std::cbrt(grey), 1, 1e-9);
    EXPECT_NEAR(scene::cone_roots({-grey, -grey, -grey}).y / std::cbrt(-grey), 1, 1e-9);
  }
}

TEST(Oklab, EveryColorSurvivesTheRoundTrip) {
  for (int r = 0; r < 256; r += 5)
    for (int g = 0; g < 256; g += 5)
      for (int b = 0; b < 256; b += 5) {
        scene::Rgb8 color = {static_cast<uint8_t>(r), static_cast<uint8_t>(g), static_cast<uint8_t>(b)};
        EXPECT_EQ(scene::linear_to_srgb(
                      scene::oklab_to_linear(scene::linear_to_oklab(scene::srgb_to_linear(color)))),
                  color);
      }
}

}  // namespace
}  // namespace vox
