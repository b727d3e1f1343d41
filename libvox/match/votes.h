// Voting for pairs of bases of two pictures (Alcantara et al. 2009, §6). A map with several values for a key
// leads from coordinates to the bases of the reference that have a point there. The points of every basis of
// the query are looked up, and each basis found gets a vote. The votes are counted in an array of n × m
// counters, whose rows and columns are the numbers that two-way indices assign to the bases. The array is
// made for some of the query's bases at a time.
//
// The numbers of bases depend on the table; the results of the vote do not.
#pragma once

#include <algorithm>
#include <vector>

#include "libvox/base/progress.h"
#include "libvox/hash/keyed/maps.h"
#include "libvox/match/edge_points.h"

namespace vox::match {

// A pair of bases, and the number of the query's points that voted for it.
struct VotedPair {
  uint32_t votes = 0;
  uint32_t query = 0, reference = 0;  // bases
  bool operator==(const VotedPair&) const = default;
};

// --- bodies of loops ---

// Writes the map's items: the key of the cell of each point of each basis, and the basis.
struct WriteBasisItems {
  BasesRef bases;
  uint32_t *keys, *values;
  VOX_HD void operator()(uint64_t i) const {
    keys[i] = bases.key(i);
    values[i] = bases.basis(i);
  }
};
struct WriteLookups {
  BasesRef bases;
  uint32_t* keys;
  VOX_HD void operator()(uint64_t i) const { keys[i] = bases.key(i); }
};

struct LengthOfRun {
  const hash::KeyRun* runs;
  VOX_HD uint32_t operator()(uint64_t i) const { return runs[i].count; }
};
struct NoteLongestRun {
  const uint32_t* starts;
  uint32_t* longest;
  VOX_HD void operator()(uint64_t i) const { device::atomic_max(longest, starts[i + 1] - starts[i]); }
};

// Writes the bases found by a lookup, each with its row in the array of votes.
struct TakeFoundBases {
  const hash::KeyRun* runs;
  const uint32_t* values;
  const uint64_t* starts;  // the index of each lookup's first vote
  uint64_t first;          // the first lookup
  uint32_t lookups_of_row;
  uint32_t *bases, *rows;
  template <class Group>
  VOX_HD void operator()(Group group, uint64_t i) const {
    const uint64_t lookup = first + i, to = starts[lookup] - starts[first];
    const hash::KeyRun run = runs[lookup];
    const auto row = static_cast<uint32_t>(lookup / lookups_of_row);
    group.each(run.count, [&](uint32_t j) {
      bases[to + j] = values[run.begin + j];
      rows[to + j] = row;
    });
  }
};

struct CastVotes {
  const uint32_t *rows, *columns;
  uint64_t columns_of_row;
  uint32_t* votes;
  VOX_HD void operator()(uint64_t i) const {
    device::atomic_add(votes + rows[i] * columns_of_row + columns[i], 1u);
  }
};

// Finds the most votes in each row and the basis that has them. If several have as many, it takes the
// lowest basis, whose inverted bits are the greatest. Each thread takes every kStride-th column.
struct TakeMostVotes {
  static constexpr uint64_t kStride = 64;

  const uint32_t* votes;
  const uint32_t* bases;  // the basis of each column
  uint64_t columns;
  uint64_t* most;
  VOX_HD void operator()(uint64_t i) const {
    const uint64_t row = i / kStride;
    uint64_t best = 0;
    for (uint64_t column = i % kStride; column < columns; column += kStride) {
      const uint64_t here =
          uint64_t{votes[row * columns + column]} << 32 | static_cast<uint32_t>(~bases[column]);
      if (here > best) best = here;
    }
    device::atomic_max(most + row, best);
  }
};

// The largest numbers of counters, lookups and votes that are in memory at once.
struct VoteSizes {
  uint64_t counters = uint64_t{1} << 26, lookups = uint64_t{1} << 20, votes = uint64_t{1} << 22;
};

template <class Device>
class GeometricHash {
 public:
  GeometricHash(Device& device, const std::string& table, const VoteSizes& sizes = {})
      : device_(device),
        sizes_(sizes),
        map_(device, {.table = table}, hash::RunOrder::kAny),
        index_(device, {.table = table}),
        query_index_(device, {.table = table}) {}

  // build_map() and vote() need a reference that has bases. They throw the errors of the hash tables.
  void build_map(const PictureBases<Device>& reference) {
    const uint64_t n = reference.items();
    auto keys = device_.template make<uint32_t>(n), values = device_.template make<uint32_t>(n);
    device_.for_each({"write items of bases", 8}, n,
                     WriteBasisItems{reference.ref(), keys.data(), values.data()});
    map_.build(keys.data(), values.data(), n);
  }
  void build_index(const PictureBases<Device>& reference) {
    index_.build(reference.bases.data(), reference.count);
  }

  // Returns for each basis of the query the basis of the reference with the most votes (the lowest of
  // several). Pairs with the most votes come first. Bases without votes are left out.
  std::vector<VotedPair> vote(const PictureBases<Device>& query) {
    query_index_.build(query.bases.data(), query.count);
    const uint64_t bases = query_index_.count();
    most_ = device_.template make<uint64_t>(bases);
    device_.fill(most_.data(), bases, uint64_t{0});
    cast_ = 0;
    // The counters take at most a quarter of the available memory.
    const uint64_t counters = std::min(sizes_.counters, device_.pool().available() / (4 * sizeof(uint32_t)));
    const uint64_t at_once = std::max<uint64_t>(
        1, std::min(counters / index_.count(), sizes_.lookups / query.ref().points_of_basis()));
    votes_ = device_.template make<uint32_t>(std::min(at_once, bases) * index_.count());
    for (uint64_t first = 0; first < bases; first += at_once) {
      throw_if_cancelled();
      vote_of(query, first, std::min(at_once, bases - first));
    }
    votes_.reset();
    return pairs_of(bases);
  }

  const hash::MultiMap<Device, uint32_t>& map() const { return map_; }
  uint64_t votes_cast() const { return cast_; }  // votes cast by the last vote()
  uint64_t bytes() const { return map_.bytes() + index_.bytes(); }

  // Returns the largest number of values that a key has.
  uint32_t longest_run() {
    auto longest = device_.template make<uint32_t>(1);
    device_.fill(longest.data(), 1, 0u);
    device_.for_each("find the longest run", map_.index().count(),
                     NoteLongestRun{map_.starts(), longest.data()});
    uint32_t result = 0;
    device_.download(&result, longest.data(), 1);
    return result;
  }

 private:
  // Counts the votes of the query's bases with these numbers.
  void vote_of(const PictureBases<Device>& query, uint64_t first, uint64_t rows) {
    BasesRef bases = query.ref();
    bases.bases = query_index_.keys() + first;
    const uint64_t lookups = rows * bases.points_of_basis();
    device_.fill(votes_.data(), rows * index_.count(), 0u);
    auto keys = device_.template make<uint32_t>(lookups);
    device_.for_each({"write lookups", 4}, lookups, WriteLookups{bases, keys.data()});
    auto runs = device_.template make<hash::KeyRun>(lookups);
    map_.find(keys.data(), lookups, runs.data());
    auto starts = device_.template make<uint64_t>(lookups + 1);
    cast_ += device_.exclusive_scan({"find starts of votes", 16}, lookups, LengthOfRun{runs.data()},
                                    starts.data());
    std::vector<uint64_t> host(lookups + 1);
    device_.download(host.data(), starts.data(), host.size());
    for (uint64_t begin = 0; begin < lookups;) {
      const auto after = std::upper_bound(host.begin() + static_cast<int64_t>(begin) + 1, host.end(),
                                          host[begin] + sizes_.votes);
      const auto end = std::max<uint64_t>(begin + 1, static_cast<uint64_t>(after - host.begin()) - 1);
      cast({runs.data(), map_.values(), starts.data(), begin, bases.points_of_basis(), nullptr, nullptr},
           end - begin, host[end] - host[begin]);
      begin = end;
    }
    device_.for_each({"take the most votes", sizeof(uint32_t) * 256.0}, rows * TakeMostVotes::kStride,
                     TakeMostVotes{votes_.data(), index_.keys(), index_.count(), most_.data() + first});
  }

  void cast(TakeFoundBases take, uint64_t lookups, uint64_t votes) {
    if (votes == 0) return;
    auto bases = device_.template make<uint32_t>(votes), rows = device_.template make<uint32_t>(votes),
         columns = device_.template make<uint32_t>(votes);
    take.bases = bases.data();
    take.rows = rows.data();
    device_.for_each_group({"take found bases", 100}, lookups, take);
    index_.find(bases.data(), votes, columns.data());
    device_.for_each({"cast votes", 40}, votes,
                     CastVotes{rows.data(), columns.data(), index_.count(), votes_.data()});
  }

  std::vector<VotedPair> pairs_of(uint64_t bases) {
    std::vector<uint64_t> most(bases);
    std::vector<uint32_t> queries(bases);
    device_.download(most.data(), most_.data(), bases);
    device_.download(queries.data(), query_index_.keys(), bases);
    std::vector<VotedPair> pairs;
    for (size_t i = 0; i < bases; ++i)
      if (most[i] >> 32 != 0)
        pairs.push_back({static_cast<uint32_t>(most[i] >> 32), queries[i], ~static_cast<uint32_t>(most[i])});
    std::ranges::sort(pairs, [](const VotedPair& a, const VotedPair& b) {
      return a.votes != b.votes ? a.votes > b.votes : a.query < b.query;
    });
    return pairs;
  }

  Device& device_;
  const VoteSizes sizes_;
  hash::MultiMap<Device, uint32_t> map_;
  hash::KeyIndex<Device, uint32_t> index_, query_index_;  // indices of the bases
  device::Buffer<uint32_t> votes_;
  device::Buffer<uint64_t> most_;
  uint64_t cast_ = 0;
};

}  // namespace vox::match
