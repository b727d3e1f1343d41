// Loops over the pixels of a picture, in parts, because they may take long.
#pragma once

#include <algorithm>

#include "libvox/base/cancel.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"

namespace vox::render {

// Runs the body for the pixels from body.first to before `end`, with `rays_each` rays per pixel, in parts of
// at most `rays_at_once` rays, so that long work can report progress and be stopped. body.first is the pixel
// at which a part begins. Returns the seconds on the device.
template <class Device, class Body>
double cast_pixels(Device& device, Body body, uint64_t end, uint64_t rays_each, uint64_t rays_at_once) {
  const uint64_t at_once = std::max<uint64_t>(rays_at_once / rays_each, 32);
  const uint64_t begin = body.first;
  Progress progress("casting rays", end - begin);
  double seconds = 0;
  while (body.first < end) {
    throw_if_cancelled();
    const uint64_t n = std::min(at_once, end - body.first);
    seconds += device.seconds([&] { device.for_each({"render: pixels", 4}, n, body); });
    body.first += n;
    const uint64_t done = body.first - begin;
    if (end - begin > at_once) progress.update(done, format_count(done * rays_each) + " rays");
  }
  return seconds;
}

}  // namespace vox::render
