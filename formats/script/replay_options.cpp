#include <fmt/format.h>

#include <cmath>

#include "formats/script/replay_csv.h"
#include "formats/script/script_values.h"
#include "libvox/base/error.h"

namespace vox {

ReplayScale parse_replay_scale(std::string_view text) {
  size_t slash = text.find('/');
  auto numerator = parse_decimal(text.substr(0, slash));
  auto denominator = slash == std::string_view::npos ? 1.0 : parse_decimal(text.substr(slash + 1));
  auto positive = [](std::optional<double> v) { return v && *v > 0 && std::isfinite(*v); };
  if (!positive(numerator) || !positive(denominator))
    throw UsageError(
        fmt::format("the scale is '{}', expected a number above 0 or a fraction, such as 4, 0.5 or 1/3",
                    text))
        .about("scale");
  return {*numerator, *denominator};
}

std::array<uint8_t, 3> parse_replay_swizzle(std::string_view text) {
  std::array<uint8_t, 3> axes = {};
  uint32_t seen = 0;
  for (size_t k = 0; k < 3 && text.size() == 3; ++k) {
    if (text[k] < 'x' || text[k] > 'z') break;
    axes[k] = static_cast<uint8_t>(text[k] - 'x');
    seen |= 1u << axes[k];
  }
  if (seen != 7)
    throw UsageError(
        fmt::format("the order of axes is '{}', expected x, y and z in some order, such as xzy", text))
        .about("swizzle");
  return axes;
}

Vec3d parse_replay_shift(std::string_view text) {
  std::array<double, 3> shift = {};
  std::string_view rest = text;
  for (size_t k = 0; k < 3; ++k) {
    size_t comma = rest.find(',');
    auto value = parse_decimal(rest.substr(0, comma));
    if ((comma == std::string_view::npos) != (k == 2) || !value || !std::isfinite(*value))
      throw UsageError(fmt::format("the shift is '{}', expected x,y,z such as 10,0,-5", text)).about("shift");
    shift[k] = *value;
    if (k < 2) rest.remove_prefix(comma + 1);
  }
  return {shift[0], shift[1], shift[2]};
}

}  // namespace vox
