#include "libvox/measure/key_views.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/hash/keyed/keys.h"
#include "libvox/scene/procedural/shapes.h"

namespace vox::measure {
namespace {

constexpr scene::Rgba8 kPaper = {255, 255, 255, 255};
constexpr std::array<scene::Rgba8, 5> kAgeColors = {
    {{0, 0, 0, 255}, {0, 0, 255, 255}, {0, 160, 0, 255}, {255, 255, 0, 255}, {255, 0, 0, 255}}};

}  // namespace

scene::Image picture_of_slots(const std::string& name, const std::vector<scene::Rgba8>& slots,
                              std::optional<uint32_t> width) {
  scene::Image image;
  image.name = name;
  image.width = std::max(
      1u, width.value_or(static_cast<uint32_t>(std::ceil(std::sqrt(static_cast<double>(slots.size()))))));
  image.height = static_cast<uint32_t>((slots.size() + image.width - 1) / image.width);
  image.pixels = slots;
  image.pixels.resize(size_t{image.width} * image.height, kPaper);
  return image;
}

scene::Image picture_of_ages(const std::vector<uint8_t>& ages, std::optional<uint32_t> width) {
  std::vector<scene::Rgba8> slots(ages.size());
  std::ranges::transform(ages, slots.begin(), [](uint8_t age) {
    return kAgeColors[std::min<size_t>(age, kAgeColors.size() - 1)];
  });
  return picture_of_slots("maximum ages", slots, width);
}

namespace {

struct Pixel {
  uint32_t x, y;
};

// A Robin Hood table of pixels: of two keys at a slot, the one with the lower age goes on.
template <hash::ProbeSequence Sequence>
class Table2d {
 public:
  Table2d(uint32_t side, uint64_t seed)
      : side_(side),
        along_x_(side, seed),
        along_y_(side, seed + Sequence::kMostAge),
        slots_(uint64_t{side} * side) {}

  bool insert(Pixel key) {
    for (uint32_t age = 1; age <= Sequence::kMostAge; ++age) {
      Slot& slot = slots_[place(key, age)];
      if (slot.age == 0) {
        slot = {key, age};
        return true;
      }
      if (slot.age < age) {
        std::swap(slot.key, key);
        std::swap(slot.age, age);
      }
    }
    return false;
  }

  std::vector<uint8_t> maximum_ages() const {
    std::vector<uint8_t> ages(slots_.size());
    for (const Slot& slot : slots_) {
      if (slot.age == 0) continue;
      uint8_t& most = ages[place(slot.key, 1)];
      most = std::max(most, static_cast<uint8_t>(slot.age));
    }
    return ages;
  }

 private:
  struct Slot {
    Pixel key;
    uint32_t age = 0;  // 0: free
  };

  uint64_t place(Pixel key, uint32_t age) const {
    return along_y_.place(along_y_.start(key.y), age) * side_ + along_x_.place(along_x_.start(key.x), age);
  }

  uint64_t side_;
  Sequence along_x_, along_y_;
  std::vector<Slot> slots_;
};

template <class Sequence>
std::vector<uint8_t> ages_of(const std::vector<Pixel>& keys, uint32_t side) {
  constexpr uint64_t kAttempts = 16, kSeeds = 1000;
  for (uint64_t attempt = 0; attempt < kAttempts; ++attempt) {
    Table2d<Sequence> table(side, attempt * kSeeds);
    if (std::ranges::all_of(keys, [&](const Pixel& key) { return table.insert(key); }))
      return table.maximum_ages();
  }
  throw Error("the picture could not be hashed in 2D").hint("a lower load factor leaves more slots free");
}

}  // namespace

AgesIn2d maximum_ages_in_2d(const SparsePicture& picture, double load_factor, Probes2d probes) {
  std::vector<Pixel> keys;
  for (uint32_t y = 0; y < picture.height; ++y)
    for (uint32_t x = 0; x < picture.width; ++x)
      if (picture.color(x, y) != kWhite) keys.push_back({x, y});
  const double side = std::sqrt(static_cast<double>(keys.size()) / load_factor);
  AgesIn2d result = {.side = static_cast<uint32_t>(next_prime(std::max(
                         hash::CoherentProbes::kMostAge + 6u, static_cast<uint32_t>(std::ceil(side))))),
                     .ages = {},
                     .keys = keys.size()};
  result.ages = probes == Probes2d::Coherent ? ages_of<hash::CoherentProbes>(keys, result.side)
                                             : ages_of<hash::RandomProbes>(keys, result.side);
  return result;
}

scene::Rgba8 color_of_place(const Int3& place, const Int3& size) {
  scene::Rgba8 color = {0, 0, 0, 255};
  const auto part = [&](uint32_t axis) {
    return static_cast<uint8_t>(int64_t{place[axis]} * 255 / std::max(size[axis] - 1, 1));
  };
  color.r = part(0);
  color.g = part(1);
  color.b = part(2);
  return color;
}

TurningPicture turning_picture(uint32_t width, uint32_t height, uint64_t frames) {
  TurningPicture picture = {
      static_cast<int32_t>(width), static_cast<int32_t>(height),
      static_cast<uint32_t>(std::clamp<uint64_t>(frames, 1, TurningPicture::kMostFrames))};
  constexpr double kUnit = 1 << TurningPicture::kLog2Unit, kFirst = 0.1;  // of a turn
  for (uint32_t frame = 0; frame < picture.frames; ++frame) {
    const scene::Vec2d turn = scene::unit_circle(kFirst + static_cast<double>(frame) / picture.frames);
    picture.turns[frame] = {static_cast<int32_t>(std::lround(turn.x * kUnit)),
                            static_cast<int32_t>(std::lround(turn.y * kUnit))};
  }
  return picture;
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
