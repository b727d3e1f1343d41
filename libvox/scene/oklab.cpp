#include "libvox/scene/oklab.h"

#include <array>
#include <bit>

namespace vox::scene {
namespace {

// Returns the fifth root of x in (0, 1] by Newton's iteration. It starts above the root and falls until it
// has converged.
constexpr double fifth_root(double x) {
  for (double y = 1;;) {
    double next = (4 * y + x / (y * y * y * y)) / 5;
    if (next >= y) return y;
    y = next;
  }
}

// Decodes sRGB as in IEC 61966-2-1. The exponent 2.4 is 2 + 2/5.
constexpr double decode(double s) {
  if (s <= 0.04045) return s / 12.92;
  double x = (s + 0.055) / 1.055, root = fifth_root(x);
  return x * x * root * root;
}

constexpr auto kLinear = [] {
  std::array<double, 256> linear{};
  for (size_t code = 0; code < 256; ++code) linear[code] = decode(static_cast<double>(code) / 255);
  return linear;
}();

// Linear values from kFirst[code] to below kFirst[code + 1] are nearest to `code` (halfway in sRGB).
constexpr auto kFirst = [] {
  std::array<double, 257> first{};
  for (size_t code = 1; code < 256; ++code) first[code] = decode((static_cast<double>(code) - 0.5) / 255);
  first[256] = 2;  // never reached
  return first;
}();

// The codes of the values i / 4096. sRGB is steepest at black, with 3295 codes per unit, so that the code of
// any value is the code of the step below it or the next code.
constexpr uint32_t kSteps = 4096;
constexpr auto kCodeOfStep = [] {
  std::array<uint8_t, kSteps + 1> codes{};
  size_t code = 0;
  for (size_t step = 0; step <= kSteps; ++step) {
    while (kFirst[code + 1] <= static_cast<double>(step) / kSteps) ++code;
    codes[step] = static_cast<uint8_t>(code);
  }
  return codes;
}();

double positive_cube_root(double x) {
  // A third of the exponent and of the mantissa is within 5 %; Halley's iteration triples the digits.
  double y = std::bit_cast<double>(std::bit_cast<uint64_t>(x) / 3 + 0x2a9f789300000000u);
  for (int i = 0; i < 3; ++i) {
    double cube = y * y * y;
    y *= (cube + 2 * x) / (2 * cube + x);
  }
  return y;
}

double cube_root(double x) {
  if (x > 1e-300) return positive_cube_root(x);
  return x < -1e-300 ? -positive_cube_root(-x) : 0;
}

}  // namespace

double srgb_to_linear(uint8_t code) {
  return kLinear[code];
}

uint8_t linear_to_srgb(double value) {
  if (!(value > 0)) return 0;
  if (value >= 1) return 255;
  uint32_t code = kCodeOfStep[static_cast<uint32_t>(value * kSteps)];
  return static_cast<uint8_t>(code + (value >= kFirst[code + 1]));
}

Vec3d srgb_to_linear(Rgb8 color) {
  return {kLinear[color.r], kLinear[color.g], kLinear[color.b]};
}

Rgb8 linear_to_srgb(Vec3d rgb) {
  return {linear_to_srgb(rgb.x), linear_to_srgb(rgb.y), linear_to_srgb(rgb.z)};
}

Vec3d cone_roots(Vec3d rgb) {
  return {cube_root(0.4122214708 * rgb.x + 0.5363325363 * rgb.y + 0.0514459929 * rgb.z),
          cube_root(0.2119034982 * rgb.x + 0.6806995451 * rgb.y + 0.1073969566 * rgb.z),
          cube_root(0.0883024619 * rgb.x + 0.2817188376 * rgb.y + 0.6299787005 * rgb.z)};
}

Vec3d roots_to_oklab(Vec3d roots) {
  auto [l, m, s] = roots;
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

Vec3d linear_to_oklab(Vec3d rgb) {
  return roots_to_oklab(cone_roots(rgb));
}

Vec3d oklab_to_linear(Vec3d lab) {
  double l = lab.x + 0.3963377774 * lab.y + 0.2158037573 * lab.z;
  double m = lab.x - 0.1055613458 * lab.y - 0.0638541728 * lab.z;
  double s = lab.x - 0.0894841775 * lab.y - 1.2914855480 * lab.z;
  l = l * l * l, m = m * m * m, s = s * s * s;
  return {+4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

NearestEntry::NearestEntry(const Palette& palette)
    : count_(palette.count), cells_(1 << 15), colors_(1 << 24) {
  for (uint32_t i = 0; i < count_; ++i) entries_[i] = linear_to_oklab(srgb_to_linear(palette.colors[i]));
}

uint8_t NearestEntry::search(Rgb8 color) const {
  Vec3d lab = linear_to_oklab(srgb_to_linear(color));
  uint32_t nearest = 0;
  double smallest = 1e9;
  for (uint32_t i = 0; i < count_; ++i) {
    Vec3d apart = lab - entries_[i];
    double distance = dot(apart, apart);
    if (distance < smallest) smallest = distance, nearest = i;
  }
  return static_cast<uint8_t>(nearest + 1);
}

// |p - i|² - |p - n|², by which entry i is further from p than entry n, is linear in p, and therefore in the
// cone roots. These grow with r, g and b, so that they lie in a box between those of the cell's darkest and
// brightest colors. The sum of the smallest terms in the box bounds the difference from below.
uint8_t NearestEntry::search_cell(Rgb8 color) const {
  auto dark = [](uint8_t code) { return static_cast<uint8_t>(code & ~7); };
  auto bright = [](uint8_t code) { return static_cast<uint8_t>(code | 7); };
  Vec3d low = cone_roots(srgb_to_linear(Rgb8{dark(color.r), dark(color.g), dark(color.b)}));
  Vec3d high = cone_roots(srgb_to_linear(Rgb8{bright(color.r), bright(color.g), bright(color.b)}));
  Vec3d axes[] = {roots_to_oklab({1, 0, 0}), roots_to_oklab({0, 1, 0}), roots_to_oklab({0, 0, 1})};
  auto smallest = [](double slope, double from, double to) { return slope * (slope > 0 ? from : to); };

  constexpr double kRounding = 1e-9;  // far above a distance's rounding error, far below any difference that
                                      // matters
  uint8_t answer = search(color);
  Vec3d nearest = entries_[answer - 1u];
  for (uint32_t i = 0; i < count_; ++i) {
    if (i == answer - 1u) continue;
    Vec3d slope = (nearest - entries_[i]) * 2;
    double further =
        dot(entries_[i], entries_[i]) - dot(nearest, nearest) + smallest(dot(axes[0], slope), low.x, high.x) +
        smallest(dot(axes[1], slope), low.y, high.y) + smallest(dot(axes[2], slope), low.z, high.z);
    if (further < kRounding) return kMixed;
  }
  return answer;
}

}  // namespace vox::scene
