// The options of a table set, which all of its tables share.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace vox::hash {

// The way in which the four variants of the paper find duplicates in a batch (find_or_insert.h, slab/variants.h).
enum class Duplicates : uint8_t {
  Open,  // by open addressing over the numbers of items
  Slabs  // by a table of slabs (Molenaar & Eisemann 2024, §5.2)
};
inline constexpr std::array kDuplicatesNames = {"open", "slabs"};

struct TableOptions {
  std::string table = "sector";  // the variant, one of table_names()
  uint32_t load_factor = 96;     // intended number of items in a bucket (Molenaar & Eisemann 2024, §6.2)
  Duplicates duplicates = Duplicates::Open;  // has no effect on `sector`
};

// Returns the names of the variants of hash tables, in the order in which they are shown. make_tables_impl.h lists
// the variants themselves.
std::vector<std::string> table_names();
// Throws a UsageError if there is no variant of this name.
void check_table_name(const std::string& name);

// Predicts how many slabs a table of linked lists has, from the number of items and buckets alone.
//
// A good hash puts each of n items into any of B buckets with equal probability, independently. A bucket then
// holds Binomial(n, 1/B) items, which for large B is Poisson with mean m = n / B. A bucket with x items takes
// ceil(x / s) slabs of s slots, because only its first slab has empty slots. A bucket therefore has at least
// c + 1 slabs if x > c · s, and
//
//   P(c slabs) = P((c − 1) · s < x <= c · s)        E(slabs) = B · Σ_c c · P(c slabs)
//
// Measurements differ from this by a few standard deviations at most, unless the hash is bad or the insertion
// leaves holes.

// The probability that a bucket holds this number of items.
struct PoissonShare {
  uint64_t items;
  double share;
};
// Returns the probabilities of all numbers of items except those that together have less than 1e-12.
std::vector<PoissonShare> poisson_shares(double mean);

// Returns P(c slabs) for c = 0, 1, 2, …, up to a remainder of less than 1e-12.
std::vector<double> slabs_of_a_bucket(double items_per_bucket, unsigned slots);

// Returns E(slabs) of one bucket.
double expected_slabs(double items_per_bucket, unsigned slots);

}  // namespace vox::hash
