// The fixture of the tests of hash tables. Every test runs once for each variant in table_names().
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "libvox/hash/table_list.h"
#include "tests/hash/any_device.h"

namespace vox {

class TablesTest : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<AnyTables> make(hash::TableOptions options = {}) {
    options.table = GetParam();
    return device_->make_tables(options);
  }
  AnyDevice& device() { return *device_; }

 private:
  std::unique_ptr<AnyDevice> device_ = make_any_device();
};

#define VOX_FOR_ALL_TABLES(suite)                                              \
  INSTANTIATE_TEST_SUITE_P(All, suite, testing::ValuesIn(hash::table_names()), \
                           [](const testing::TestParamInfo<std::string>& info) { return info.param; })

inline bool all_different(Pointers pointers) {
  std::sort(pointers.begin(), pointers.end());
  return std::adjacent_find(pointers.begin(), pointers.end()) == pointers.end();
}

inline Pointers no_pointers(uint64_t count) {
  return Pointers(count, hash::kNullPointer);
}

// Checks that the tables hold item i at pointers[i].
inline void expect_items_at(AnyTables& tables, const Batch& batch, const Pointers& pointers) {
  const uint64_t range = tables.pointer_range();
  for (uint32_t pointer : pointers) ASSERT_LT(pointer, range);
  const std::vector<Item> items = tables.read(batch, pointers);
  for (uint64_t i = 0; i < batch.size(); ++i) ASSERT_EQ(items[i], batch.item(i)) << i;
}

inline std::vector<Batch> in_batches(const std::vector<Item>& items, const std::vector<uint64_t>& sizes) {
  std::vector<Batch> batches;
  auto at = items.begin();
  for (uint64_t size : sizes) {
    batches.emplace_back(std::vector<Item>(at, at + static_cast<int64_t>(size)));
    at += static_cast<int64_t>(size);
  }
  return batches;
}

// Inserts batches one after another, whose items all differ, and checks after each batch which items are
// found.
inline void insert_in_batches(AnyTables& tables, const std::vector<Batch>& batches) {
  std::vector<Pointers> pointers;
  Pointers all;
  for (size_t next = 0; next < batches.size(); ++next) {
    pointers.push_back(tables.insert_all(batches[next]));
    all.insert(all.end(), pointers.back().begin(), pointers.back().end());
    ASSERT_TRUE(all_different(all));
    for (size_t i = 0; i < batches.size(); ++i) {
      const Pointers found = tables.find_all(batches[i]);
      if (i <= next) {
        ASSERT_EQ(found, pointers[i]) << "of batch " << i << " after " << next;
        ASSERT_NO_FATAL_FAILURE(expect_items_at(tables, batches[i], pointers[i]));
      } else {
        ASSERT_EQ(found, no_pointers(found.size())) << "of batch " << i << " after " << next;
      }
    }
  }
  ASSERT_EQ(tables.items(), all.size());
}

}  // namespace vox
