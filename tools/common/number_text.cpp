#include "tools/common/number_text.h"

#include <fmt/format.h>

#include <cmath>

#include "libvox/base/units.h"

namespace vox {

std::string number_text(double value) {
  const double size = std::fabs(value);
  if (size != 0 && (size < 1e-3 || size >= 999999.5)) return fmt::format("{:.2e}", value);
  if (size < 999.5) return fmt::format("{:.3g}", value);
  return (value < 0 ? "-" : "") + format_count(static_cast<uint64_t>(size + 0.5));
}

}  // namespace vox
