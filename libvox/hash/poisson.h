// How many slabs a table of linked lists has, from the number of items and buckets alone.
//
// A good hash puts each of n items into any of B buckets with equal chance, independently: a bucket holds
// Binomial(n, 1/B) items, which for large B is Poisson with mean m = n / B. A bucket with x items takes
// ceil(x / s) slabs of s slots, as only its first slab has empty slots. So a bucket has at least c + 1 slabs
// where x > c · s, and
//
//   P(c slabs) = P((c − 1) · s < x <= c · s)        E(slabs) = B · Σ_c c · P(c slabs)
//
// What is measured differs from this by a few standard deviations at most, unless the hash is bad or the
// insertion leaves holes.
#pragma once

#include <cstdint>
#include <vector>

namespace vox::hash {

// How likely it is that a bucket holds so many items.
struct PoissonShare {
  uint64_t items;
  double share;
};
// The shares of all numbers of items that matter: the others add up to less than 1e-12.
std::vector<PoissonShare> poisson_shares(double mean);

// P(c slabs) for c = 0, 1, 2, … as far as it matters: the rest adds up to less than 1e-12.
std::vector<double> slabs_of_a_bucket(double items_per_bucket, unsigned slots);

// E(slabs) of one bucket.
double expected_slabs(double items_per_bucket, unsigned slots);

}  // namespace vox::hash
