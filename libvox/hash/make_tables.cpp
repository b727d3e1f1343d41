#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "libvox/device/cpu_device.h"
#include "libvox/hash/make_tables_impl.h"

namespace vox::hash {

std::vector<std::string> table_names() {
  std::vector<std::string> names;
  for (const auto& variant : kTableVariants<device::CpuDevice>) names.emplace_back(variant.name);
  return names;
}

void check_table_name(const std::string& name) {
  const auto names = table_names();
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw UsageError(
        fmt::format("there is no hash table '{}', expected one of: {}", name, fmt::join(names, ", ")));
}

std::vector<PoissonShare> poisson_shares(double mean) {
  if (mean <= 0) return {{0, 1.0}};
  // Less than 1e-12 lies beyond eight standard deviations plus forty items; the forty matter if the mean is
  // small.
  const double reach = 8 * std::sqrt(mean) + 40;
  const auto first = static_cast<uint64_t>(std::max(0.0, mean - reach));
  const auto last = static_cast<uint64_t>(mean + reach);
  std::vector<PoissonShare> shares;
  for (uint64_t x = first; x <= last; ++x) {
    const auto count = static_cast<double>(x);
    shares.push_back({x, std::exp(count * std::log(mean) - mean - std::lgamma(count + 1))});
  }
  return shares;
}

std::vector<double> slabs_of_a_bucket(double items_per_bucket, unsigned slots) {
  std::vector<double> result;
  for (const PoissonShare& share : poisson_shares(items_per_bucket)) {
    const uint64_t slabs = (share.items + slots - 1) / slots;
    result.resize(std::max<size_t>(result.size(), slabs + 1));
    result[slabs] += share.share;
  }
  return result;
}

double expected_slabs(double items_per_bucket, unsigned slots) {
  double sum = 0;
  const std::vector<double> shares = slabs_of_a_bucket(items_per_bucket, slots);
  for (size_t c = 0; c < shares.size(); ++c) sum += static_cast<double>(c) * shares[c];
  return sum;
}

}  // namespace vox::hash
