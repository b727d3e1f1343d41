#include "libvox/measure/key_views.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace vox::measure {
namespace {

constexpr scene::Rgba8 kPaper = {255, 255, 255, 255};
constexpr std::array<scene::Rgba8, 5> kAgeColors = {
    {{0, 0, 0, 255}, {0, 0, 255, 255}, {0, 160, 0, 255}, {255, 255, 0, 255}, {255, 0, 0, 255}}};

}  // namespace

scene::Image picture_of_ages(const std::vector<uint8_t>& ages, std::optional<uint32_t> width) {
  scene::Image image;
  image.name = "maximum ages";
  image.width = std::max(
      1u, width.value_or(static_cast<uint32_t>(std::ceil(std::sqrt(static_cast<double>(ages.size()))))));
  image.height = static_cast<uint32_t>((ages.size() + image.width - 1) / image.width);
  image.pixels.assign(size_t{image.width} * image.height, kPaper);
  std::ranges::transform(ages, image.pixels.begin(), [](uint8_t age) {
    return kAgeColors[std::min<size_t>(age, kAgeColors.size() - 1)];
  });
  return image;
}

scene::Image side_by_side(const std::vector<const scene::Image*>& images) {
  constexpr uint32_t kGap = 16;
  scene::Image all;
  for (const scene::Image* image : images) {
    all.width += image->width + (all.width > 0 ? kGap : 0);
    all.height = std::max(all.height, image->height);
  }
  all.pixels.assign(size_t{all.width} * all.height, kPaper);
  size_t left = 0;
  for (const scene::Image* image : images) {
    for (uint32_t y = 0; y < image->height; ++y)
      std::copy_n(image->pixels.begin() + static_cast<std::ptrdiff_t>(size_t{y} * image->width), image->width,
                  all.pixels.begin() + static_cast<std::ptrdiff_t>(size_t{y} * all.width + left));
    left += image->width + kGap;
  }
  return all;
}

}  // namespace vox::measure
