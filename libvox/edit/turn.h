// Makes turns by 90° and mirror images, and combines them. Turns are right-handed: a quarter turn about z
// takes x to y.
#pragma once

#include <cstdint>

#include "libvox/edit/edit.h"

namespace vox::edit {

// Returns a turn by 90° about axis 0, 1 or 2.
inline Turn quarter_turn(uint8_t axis) {
  auto next = static_cast<uint8_t>((axis + 1) % 3), last = static_cast<uint8_t>((axis + 2) % 3);
  Turn turn;
  turn.axis[next] = last;
  turn.flip[next] = true;
  turn.axis[last] = next;
  return turn;
}

inline Turn mirror_image(uint8_t axis) {
  Turn turn;
  turn.flip[axis] = true;
  return turn;
}

// Returns the turn that does `first` and then `second`.
inline Turn followed_by(const Turn& first, const Turn& second) {
  Turn both;
  for (size_t k = 0; k < 3; ++k) {
    both.axis[k] = first.axis[second.axis[k]];
    both.flip[k] = first.flip[second.axis[k]] != second.flip[k];
  }
  return both;
}

// Returns the size of a turned box. `size` is its size before.
inline Int3 turned_size(const Turn& turn, Int3 size) {
  return {size[turn.axis[0]], size[turn.axis[1]], size[turn.axis[2]]};
}

}  // namespace vox::edit
