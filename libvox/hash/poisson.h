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
#pragma once

#include <cstdint>
#include <vector>

namespace vox::hash {

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
