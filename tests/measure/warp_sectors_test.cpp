// Compares the sectors that 32 searches read together, and maximum ages, with plain loops over the cells of a
// table.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "libvox/base/mix.h"
#include "libvox/device/cpu_device.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/hash/keyed/probes.h"

namespace vox {
namespace {

using Cells = std::vector<uint64_t>;

class WarpSectors : public testing::Test {
 protected:
  std::unique_ptr<hash::KeyTable<device::CpuDevice, uint64_t>> build(const char* name, const Cells& cells,
                                                                     double load_factor = 0.8) {
    auto table = hash::make_key_table<device::CpuDevice, uint64_t>(
        device_, {.table = name, .load_factor = load_factor});
    built_ = table->build(cells.data(), cells.size());
    return table;
  }

  // Returns random keys of 40 bits.
  static Cells random_cells(uint64_t count, uint64_t seed) {
    Cells cells;
    for (uint64_t i = 0; i < count; ++i) cells.push_back(mix64(i + seed) >> 24);
    return cells;
  }

  device::CpuDevice device_{0, false};
  hash::KeyTableBuild built_;
};

TEST_F(WarpSectors, AreTheDifferentOnesOfEachStepOf32Searches) {
  const Cells stored = random_cells(500, 0), others = random_cells(500, 1 << 20);
  const auto table = build("open", stored, 0.9);
  const hash::RandomProbes sequence(table->slots(), hash::attempt_seed({}, 1));
  for (const size_t n : {0, 1, 31, 32, 33, 1000}) {
    Cells keys;
    for (size_t i = 0; i < n; ++i) keys.push_back(i % 5 == 0 ? others[i / 2] : stored[i / 3]);
    uint64_t expected = 0;
    for (size_t warp = 0; warp < n; warp += 32) {
      std::set<std::pair<uint32_t, uintptr_t>> read;  // step and sector
      for (size_t i = warp; i < std::min(warp + 32, n); ++i)
        for (uint32_t age = 1; age <= built_.most_probes; ++age) {
          const uint64_t* const cell = table->cells() + sequence.place(sequence.start(keys[i]), age);
          read.emplace(age, reinterpret_cast<uintptr_t>(cell) / 32);
          if (*cell == hash::kEmptyCell<uint64_t> || *cell == keys[i]) break;
        }
      expected += read.size();
    }
    EXPECT_EQ(table->count_warp_sectors(keys.data(), n), expected) << n;
  }
}

TEST_F(WarpSectors, AreOneForFourNeighboursInACoherentTable) {
  Cells cells;
  for (uint64_t i = 0; i < 3200; ++i) cells.push_back(i);
  const auto table = build("robin", cells, 0.5);
  EXPECT_LE(*table->count_warp_sectors(cells.data(), cells.size()), 3200u / 4 + 100);
  EXPECT_GE(*table->count_warp_sectors(cells.data(), cells.size()), 3200u / 4);
  const auto random = build("robin-random", cells, 0.5);
  EXPECT_GE(*random->count_warp_sectors(cells.data(), cells.size()), 3000u);
}

TEST_F(WarpSectors, AreNotSaidByTablesThatAGroupSearches) {
  const Cells cells = random_cells(100, 0);
  EXPECT_FALSE(build("slabset", cells)->count_warp_sectors(cells.data(), cells.size()));
  EXPECT_TRUE(build("slabset", cells)->maximum_ages().empty());
}

template <class Sequence>
std::vector<uint8_t> oldest_of_slots(const hash::KeyTable<device::CpuDevice, uint64_t>& table) {
  const Sequence sequence(table.slots(), hash::attempt_seed({}, 1));
  std::vector<uint8_t> oldest(table.slots());
  for (uint64_t slot = 0; slot < table.slots(); ++slot) {
    if (table.cells()[slot] == hash::kEmptyCell<uint64_t>) continue;
    const uint64_t key = table.cells()[slot] & table.cell_mask();
    uint8_t& age = oldest[sequence.place(sequence.start(key), 1)];
    age = std::max(age, static_cast<uint8_t>(hash::age_at(sequence, key, slot)));
  }
  return oldest;
}

TEST_F(WarpSectors, MaximumAgesAreThoseOfTheOldestKeysThatLookAtASlotFirst) {
  const Cells cells = random_cells(5000, 0);
  const auto coherent = build("robin", cells);
  ASSERT_EQ(built_.attempts, 1u);
  EXPECT_EQ(coherent->maximum_ages(), oldest_of_slots<hash::CoherentProbes>(*coherent));
  const auto random = build("robin-random", cells);
  ASSERT_EQ(built_.attempts, 1u);
  EXPECT_EQ(random->maximum_ages(), oldest_of_slots<hash::RandomProbes>(*random));
}

}  // namespace
}  // namespace vox
