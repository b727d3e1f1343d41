// The benchmark of hash tables on one device.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/log_line.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/hash/find_or_insert.h"
#include "libvox/hash/slab/variants.h"
#include "libvox/hash/table_options.h"
#include "libvox/measure/bench_items.h"
#include "libvox/measure/hash_bench.h"
#include "libvox/measure/random_reads.h"
#include "libvox/measure/timing.h"

namespace vox::measure {

// Counts the items that a search in `tables` found, and its errors. `pointers` is the result of the search
// for the first n items of `batch`, and `numbers` gives the numbers of these items; items 1 to `stored`
// are in the tables.
template <class Device, class Tables, class Numbers>
SearchOutcome search_outcome(Device& device, const Tables& tables, uint64_t stored, const Numbers& numbers,
                             const hash::BatchRef& batch, uint64_t n, const uint32_t* pointers) {
  const auto memory = tables.memory_ref();
  const bench::IsStored<Numbers> is_stored = {numbers, stored};
  const bench::IsWrong<Numbers, decltype(tables.memory_ref())> is_wrong = {is_stored, batch, memory,
                                                                           tables.pointer_range(), pointers};
  return {device.sum("count hits", n, bench::IsFound{pointers}),
          device.sum("count stored items", n, is_stored), device.sum("check pointers", n, is_wrong)};
}

// Throws Error unless equal items, and only equal items, have the same leader, which is its own leader.
template <class Device, class Numbers>
void check_leaders(Device& device, const std::string& what, const Numbers& numbers, uint64_t n,
                   const uint32_t* leader_of) {
  auto marks = device.template make<uint32_t>(n + 1);  // one for each of the numbers 1 to n
  device.fill(marks.data(), n + 1, 0u);
  device.for_each("mark numbers", n, bench::MarkNumber<Numbers>{numbers, marks.data()});
  const uint64_t distinct = device.sum("count numbers", n + 1, bench::IsMarked{marks.data()});
  const uint64_t wrong = device.sum("check leaders", n, bench::IsWrongLeader<Numbers>{numbers, n, leader_of});
  if (wrong != 0) throw Error(what + ": " + format_count(wrong) + " items have a wrong leader");
  const uint64_t leaders = device.sum("count leaders", n, hash::IsLeader{leader_of});
  if (leaders != distinct)
    throw Error(what + ": found " + format_count(leaders) + " different items, expected " +
                format_count(distinct));
}

template <class Device>
class HashBench {
 public:
  HashBench(Device& device, const HashBenchOptions& options)
      : device_(device), options_(options), sizes_(sizes_of(options, device.name())) {}

  HashBenchResult run() {
    Stopwatch watch;
    result_.sizes = sizes_;
    measure_ceilings();
    uint64_t steps = 0, done = 0;
    for (const uint32_t words : options_.item_words)
      steps += tables_of(words).size() * options_.load_factors.size() + (has_duplicates(words) ? 1 : 0);
    Progress progress("measuring", steps);
    for (const uint32_t words : options_.item_words) {
      make_items(words);
      for (const uint32_t load_factor : options_.load_factors)
        for (const std::string& table : tables_of(words)) {
          const std::string what = table + ", " + std::to_string(words) + " words";
          try {
            measure({.table = table, .load_factor = load_factor});
          } catch (OutOfMemory& error) {
            error.at(what);
            throw;
          }
          progress.update(++done, what);
        }
      if (!has_duplicates(words)) continue;
      measure_duplicates();
      progress.update(++done, "duplicates, " + std::to_string(words) + " words");
    }
    result_.seconds = watch.seconds();
    return std::move(result_);
  }

 private:
  static constexpr hash::ChosenRef kAll = {nullptr};

  // True if duplicates can be found among items of this size: a DAG must have such items.
  static bool has_duplicates(uint32_t words) { return words >= hash::kMinItemWords; }

  // Returns the names of the tables that are measured with items of this size.
  std::vector<std::string> tables_of(uint32_t words) const {
    std::vector<std::string> chosen = chosen_names(options_.tables, hash_bench_tables());
    std::erase_if(chosen, [&](const std::string& name) { return !holds_items_of(name, words); });
    return chosen;
  }

  // Measures random reads from as much memory as one table takes and, if there is enough memory, from as much
  // as eight such tables take.
  void measure_ceilings() {
    const double scale = static_cast<double>(sizes_.fill) / HashBenchOptions::kFill;
    const uint64_t reads = std::max<uint64_t>(16 * sizes_.batch, 1 << 20);
    for (const double bytes : {scale * 0x1p30, scale * 0x1p33}) {
      const uint64_t wanted = std::max<uint64_t>(static_cast<uint64_t>(bytes), 1 << 20);
      if (!result_.ceilings.empty() && wanted > device_.pool().available() / 10 * 9) {
        log_line(LogLevel::Info, "not enough memory to measure random reads in " + format_bytes(wanted));
        continue;
      }
      for (const RandomReadCeiling& ceiling :
           measure_random_reads(device_, wanted, reads, options_.repetitions))
        result_.ceilings.push_back(ceiling);
    }
    device_.pool().trim();
  }

  // Makes the items of all batches. Items 1 to `fill` are stored first; the items of the inserted batch
  // follow them.
  void make_items(uint32_t words) {
    item_words_ = words;
    expected_ = {};
    expected_[words] = sizes_.fill + sizes_.batch;
    const uint64_t most = std::max(sizes_.fill, sizes_.batch);
    for (device::Buffer<uint32_t>* buffer : {&filled_words_, &new_words_, &batch_words_, &pointers_})
      buffer->reset();
    device_.pool().trim();
    filled_words_ = device_.template make<uint32_t>(sizes_.fill * words);
    new_words_ = device_.template make<uint32_t>(sizes_.batch * words);
    batch_words_ = device_.template make<uint32_t>(sizes_.batch * words);
    pointers_ = device_.template make<uint32_t>(most);
    filled_ = write_items(kFilled, sizes_.fill, filled_words_);
    new_ = write_items(bench::Consecutive{sizes_.fill + 1}, sizes_.batch, new_words_);
  }

  template <class Numbers>
  hash::BatchRef write_items(const Numbers& numbers, uint64_t n, const device::Buffer<uint32_t>& to) {
    device_.for_each({"write items", item_words_ * 4.0}, n,
                     bench::WriteBenchItems<Numbers>{numbers, item_words_, to.data()});
    return {to.data(), nullptr, nullptr, item_words_};  // tables compute the hashes
  }

  template <class F>
  Timing repeated(const F& f) const {
    return measure::repeated(options_.repetitions, f);
  }

  HashBenchRow row_of(const std::string& table, const std::string& op, uint64_t items) const {
    HashBenchRow row;
    row.table = table;
    row.item_words = item_words_;
    row.op = op;
    row.items = items;
    row.repetitions = options_.repetitions;
    return row;
  }

  static std::string text_of(const HashBenchRow& row) {
    return row.table + ", " + std::to_string(row.item_words) + " words, " + row.op + " at " +
           std::to_string(row.hit_rate) + " %";
  }

  static void set_memory(HashBenchRow& row, const hash::TableSet<Device>& tables) {
    row.bytes = row.allocated_bytes = 0;
    for (const hash::TableMemory& memory : tables.memory()) {
      row.bytes += memory.total_bytes();
      row.allocated_bytes += memory.allocated_bytes();
    }
  }

  template <hash::CellWord Cell>
  static void set_memory(HashBenchRow& row, const KeyItems<Device, Cell>& table) {
    row.bytes = table.bytes();
    row.allocated_bytes = table.allocated_bytes();
  }

  static void set_sectors(HashBenchRow& row, uint64_t sectors) {
    row.bytes_per_op = 32.0 * static_cast<double>(sectors) / static_cast<double>(row.items);
  }

  void add(HashBenchRow row) {
    auto share = [&](const RandomReadCeiling& ceiling) {
      const double reads = row.bytes_per_op / ceiling.bytes_each * static_cast<double>(row.items);
      return row.time.median > 0 ? reads / row.time.median / ceiling.reads_per_second : 0;
    };
    row.ceiling_share = share(result_.ceilings[0]);
    row.ceiling_share_128 = share(result_.ceilings[1]);
    result_.rows.push_back(std::move(row));
  }

  void measure(const hash::TableOptions& options) {
    const std::vector<std::string> key_tables = hash::growing_key_table_names();
    if (std::ranges::count(key_tables, options.table) == 0)
      measure_table(options, [&] { return hash::make_tables(device_, options); });
    else if (item_words_ == 1)
      measure_table(options, [&] { return std::make_unique<KeyItems<Device, uint32_t>>(device_, options); });
    else
      measure_table(options, [&] { return std::make_unique<KeyItems<Device, uint64_t>>(device_, options); });
  }

  // Measures one table. make() returns an empty table set, or an object with the same calls.
  template <class Make>
  void measure_table(const hash::TableOptions& options, const Make& make) {
    std::vector<HashBenchRow> rows = measure_searches(options, make);
    time_insertions(make, rows.front(), rows.back());
    for (HashBenchRow& row : rows) add(std::move(row));
  }

  // Returns rows for the fill, every search and the insertion. Only the searches are timed here. The table is
  // filled once for them, by the insertion that counts sectors, which is slower than the one that is timed
  // later.
  template <class Make>
  std::vector<HashBenchRow> measure_searches(const hash::TableOptions& options, const Make& make) {
    const auto owner = make();
    auto& tables = *owner;
    tables.expect(expected_);
    HashBenchRow fill = row_of(options.table, "fill", sizes_.fill);
    fill.load_factor = options.load_factor;
    set_sectors(fill, tables.insert_counted(filled_, kAll, sizes_.fill, pointers_.data()));
    set_memory(fill, tables);

    std::vector<HashBenchRow> rows = {fill};
    for (const uint32_t hit_rate : options_.hit_rates) {
      HashBenchRow row = fill;
      row.op = "search";
      row.items = sizes_.batch;
      row.hit_rate = hit_rate;
      measure_search(tables, row);
      rows.push_back(std::move(row));
    }

    HashBenchRow insert = fill;
    insert.op = "insert";
    insert.items = sizes_.batch;
    set_sectors(insert, tables.insert_counted(new_, kAll, sizes_.batch, pointers_.data()));
    set_memory(insert, tables);
    check_all_found(tables, insert);
    rows.push_back(std::move(insert));
    return rows;
  }

  // Every repetition searches for other items, so that no cache holds the data from the repetition before.
  template <class Tables>
  void measure_search(const Tables& tables, HashBenchRow& row) {
    auto checked = [&](uint32_t seed, const auto& search) {
      const bench::RandomHits numbers = {sizes_.fill, sizes_.fill + sizes_.batch + 1, row.hit_rate, seed};
      const hash::BatchRef batch = write_items(numbers, row.items, batch_words_);
      device_.fill(pointers_.data(), row.items, hash::kNullPointer);
      const auto result = search(batch);
      check_search(text_of(row),
                   search_outcome(device_, tables, sizes_.fill, numbers, batch, row.items, pointers_.data()));
      return result;
    };
    const hash::SearchCounts counts = checked(0, [&](const hash::BatchRef& batch) {
      return tables.find_counted(batch, kAll, row.items, pointers_.data());
    });
    set_sectors(row, counts.sectors);
    if (counts.searches > 0) {
      const auto mean = [&](uint64_t sum) {
        return static_cast<double>(sum) / static_cast<double>(counts.searches);
      };
      row.slabs_per_search = mean(counts.slabs);
      row.false_candidates = mean(counts.false_candidates);
    }
    row.time = repeated([&](uint32_t repetition) {
      return checked(1 + repetition, [&](const hash::BatchRef& batch) {
        return device_.seconds([&] { tables.find(batch, kAll, row.items, pointers_.data()); });
      });
    });
  }

  template <class Tables>
  void check_all_found(const Tables& tables, const HashBenchRow& row) {
    const uint64_t stored = sizes_.fill + sizes_.batch;
    tables.find(new_, kAll, sizes_.batch, pointers_.data());
    check_search(text_of(row) + ", then a search for what was inserted",
                 search_outcome(device_, tables, stored, bench::Consecutive{sizes_.fill + 1}, new_,
                                sizes_.batch, pointers_.data()));
    tables.find(filled_, kAll, sizes_.fill, pointers_.data());
    check_search(text_of(row) + ", then a search for what was there before",
                 search_outcome(device_, tables, stored, kFilled, filled_, sizes_.fill, pointers_.data()));
  }

  // An insertion changes the table, so every repetition fills a new one.
  template <class Make>
  void time_insertions(const Make& make, HashBenchRow& fill, HashBenchRow& insert) {
    std::vector<double> fill_seconds;
    insert.time = repeated([&](uint32_t repetition) {
      const auto tables = make();
      tables->expect(expected_);
      const double elapsed = time_insertion(*tables, fill, sizes_.fill, kFilled, filled_);
      if (repetition > 0) fill_seconds.push_back(elapsed);
      return time_insertion(*tables, insert, sizes_.fill + sizes_.batch, bench::Consecutive{sizes_.fill + 1},
                            new_);
    });
    fill.time = summarize(std::move(fill_seconds));
  }

  template <class Tables>
  double time_insertion(Tables& tables, const HashBenchRow& row, uint64_t stored, bench::Consecutive numbers,
                        const hash::BatchRef& batch) {
    device_.fill(pointers_.data(), row.items, hash::kNullPointer);
    const double elapsed = device_.seconds([&] { tables.insert(batch, kAll, row.items, pointers_.data()); });
    find_inserted(tables, batch, row.items);
    check_search(text_of(row),
                 search_outcome(device_, tables, stored, numbers, batch, row.items, pointers_.data()));
    return elapsed;
  }

  // Inserting into a table set writes the items' pointers. A table of keys does not, so its items are
  // searched for.
  void find_inserted(const hash::TableSet<Device>&, const hash::BatchRef&, uint64_t) const {}
  template <hash::CellWord Cell>
  void find_inserted(const KeyItems<Device, Cell>& tables, const hash::BatchRef& batch, uint64_t n) {
    tables.find(batch, kAll, n, pointers_.data());
  }

  // Measures each way of finding duplicates inside a batch, which are removed before the batch is searched
  // (§5.2).
  void measure_duplicates() {
    measure_duplicates("open", hash::find_leaders<Device>);
    measure_duplicates("slabs", hash::find_leaders_in_slabs<Device>);
  }

  template <class F>
  void measure_duplicates(const char* table, const F& find) {
    auto hashes = device_.template make<uint64_t>(sizes_.batch);
    for (const uint32_t copies : options_.hit_rates) {
      const bench::RandomCopies numbers = {sizes_.batch, copies};
      hash::BatchRef batch = write_items(numbers, sizes_.batch, batch_words_);
      device_.for_each("hash items", sizes_.batch, hash::HashItems{batch, hashes.data()});
      batch.hashes = hashes.data();
      HashBenchRow row = row_of(table, "duplicates", sizes_.batch);
      row.hit_rate = copies;
      row.time = repeated([&](uint32_t) {
        device_.fill(pointers_.data(), sizes_.batch, UINT32_MAX);
        const double elapsed = device_.seconds([&] { find(device_, batch, sizes_.batch, pointers_.data()); });
        check_leaders(device_, text_of(row), numbers, sizes_.batch, pointers_.data());
        return elapsed;
      });
      add(std::move(row));
    }
  }

  static constexpr bench::Consecutive kFilled = {1};

  Device& device_;
  const HashBenchOptions& options_;
  HashBenchSizes sizes_;
  HashBenchResult result_;
  // The items of the size that is measured now.
  uint32_t item_words_ = 0;
  hash::SizeCounts expected_ = {};
  device::Buffer<uint32_t> filled_words_, new_words_, batch_words_, pointers_;
  hash::BatchRef filled_ = {}, new_ = {};
};

template <class Device>
HashBenchResult bench_hash_on(Device& device, const HashBenchOptions& options) {
  check(options);
  try {
    return HashBench<Device>(device, options).run();
  } catch (OutOfMemory& error) {
    error.hint("allow more memory or lower the scale");
    throw;
  }
}

}  // namespace vox::measure
