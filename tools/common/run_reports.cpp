// How a run did its work: ranks, kernels, times and memory.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <type_traits>

#include "formats/io/read_file.h"
#include "formats/results/files.h"
#include "formats/results/views.h"
#include "libvox/base/process.h"
#include "libvox/base/units.h"
#include "libvox/dag/frozen_dag.h"
#include "tools/common/reports.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

// Calls f with the name, the unit, a reader through which the row may be changed, and a sentence, for each figure.
template <class F>
void each_figure(const F& f) {
  const auto share = [&](const char* name, const char* unit, auto figure, const char* sentence) {
    f(
        name, unit, [=](auto& row) -> auto& { return row.share.*figure; }, sentence);
  };
  const auto traffic = [&](const char* name, const char* unit, auto figure, const char* sentence) {
    f(
        name, unit, [=](auto& row) -> auto& { return row.traffic.*figure; }, sentence);
  };
  using Share = build::BuildFigures;
  using Traffic = ranks::Traffic;
  share("voxelize", "s", &Share::voxelize_seconds, "Time from triangles to leaves, of each rank of a scene.");
  share("build", "s", &Share::build_seconds, "Time from leaves to the nodes of chunk cells.");
  share(
      "exchange", "s", &Share::merge_seconds,
      "Time in which these are merged with those of the others; with `--spill`, by the first rank for all.");
  share("order", "s", &Share::order_seconds,
        "Time in which they are brought into canonical order; with `--spill`, by the first rank for all.");
  share("keep", "s", &Share::keep_seconds, "With `--resume`: time for writing and reading rounds.");
  traffic("waited", "s", &Traffic::waited, "Part of all these times: waiting for others.");
  traffic("sent", "bytes", &Traffic::sent, "Number of bytes sent to others.");
  traffic("received", "bytes", &Traffic::received, "Number of bytes received from others.");
  share("items_kept", "items", &Share::items_kept, "Number of nodes and leaves that the rank owns.");
  share("items_given", "items", &Share::items_given, "Number of those that it has sent to other owners.");
  f(
      "peak_device_bytes", "bytes", [](auto& row) -> auto& { return row.peak_device_bytes; },
      "Size of its device's memory at the peak.");
}

ResultTable kernels_table(const std::vector<device::KernelTime>& kernels) {
  using Kernel = device::KernelTime;
  const auto rate = [](const Kernel& kernel) {
    return kernel.seconds > 0 ? static_cast<double>(kernel.bytes) / kernel.seconds : 0.0;
  };
  ResultTable table;
  table
      .column("name", "", kernels, &Kernel::name, both({"kernel"}),
              "Name of a kernel or a loop; with `--profile`.")
      .column("launches", "", kernels, &Kernel::launches, both({"launches"}), "Number of its launches.")
      .column("seconds", "s", kernels, &Kernel::seconds, both({"seconds", Look::fixed(4)}),
              "Time of all these launches.")
      .column("bytes", "bytes", kernels, &Kernel::bytes, both({"bytes", Look::bytes()}),
              "Number of bytes read and written; 0 if they are not counted.")
      .column(for_people(), "bytes per second", kernels, rate, both({"GB/s", Look::fixed(1, 1e-9)}));
  return table;
}

// The machine, the build and the inputs of a run.

std::string processor() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (const size_t colon = line.find(": "); line.starts_with("model name") && colon != std::string::npos)
      return line.substr(colon + 2);
  return "unknown";
}

std::string memory() {
  const auto pages = static_cast<uint64_t>(std::max(sysconf(_SC_PHYS_PAGES), 0L));
  return format_bytes(pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
}

std::string operating_system() {
  utsname names = {};
  uname(&names);
  return fmt::format("{} {}", names.sysname, names.release);
}

// Returns what the driver's own program tells of the GPUs, equal ones once; "none" without it. A benchmark that was
// interrupted asks, too: its results are still written.
std::string gpus() {
  if (!program_in_path("nvidia-smi")) return "none";
  const ProgramResult told =
      run_program({"nvidia-smi", "--query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem,power.limit",
                   "--format=csv,noheader"},
                  AfterInterrupt::Finish);
  if (told.status != 0) return "none";
  std::istringstream lines(told.output);
  std::set<std::string> each;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) each.insert(line);
  return fmt::format("{}", fmt::join(each, "; "));
}

std::vector<MachineFact> machine_facts() {
  return {{"processor", processor(), "Name of the processor."},
          {"threads", std::to_string(tbb::info::default_concurrency()),
           "Number of threads that may run at once."},
          {"memory", memory(), "Size of the memory."},
          {"system", operating_system(), "Name and version of the operating system's kernel."},
          {"gpus", gpus(),
           "Name, driver, highest clocks of multiprocessors and memory, and power limit of the GPUs, as "
           "nvidia-smi tells."},
          {"compiler", compiler_text(), "The compilers of this build, and their options."}};
}

InputFile input_of(const std::string& name) {
  const MappedFile file(name);
  const std::string_view bytes = file.text();
  dag::Digest digest = dag::start_digest(bytes.size());
  for (size_t at = 0; at < bytes.size(); at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof(word), bytes.size() - at));
    dag::combine(digest, word);
  }
  return {name, bytes.size(), dag::to_string(digest)};
}

}  // namespace

std::vector<RankFigures> gathered(const RankFigures& own, ranks::Ranks& ranks) {
  std::vector<RankFigures> all(ranks.count());
  each_figure([&](const char*, const char*, const auto& figure, const char*) {
    using Figure = std::remove_cvref_t<decltype(figure(own))>;
    const std::vector<uint64_t> values = ranks.gather(std::bit_cast<uint64_t>(figure(own)));
    for (size_t i = 0; i < all.size(); ++i) figure(all[i]) = std::bit_cast<Figure>(values[i]);
  });
  return all;
}

void set_ranks(ResultGroup& results, const std::vector<RankFigures>& ranks) {
  if (ranks.empty()) return;
  ResultTable& table = results.table(in_json("ranks"));
  each_figure([&](const char* name, const char* unit, const auto& figure, const char* sentence) {
    table.column(
        name, unit, ranks, [&](const RankFigures& row) { return figure(row); }, sentence);
  });
}

void print_profile(const std::vector<device::KernelTime>& kernels) {
  print_message(text_table(kernels_table(kernels)).text());
}

void set_profile(ResultGroup& results, const std::vector<device::KernelTime>& kernels) {
  if (!kernels.empty()) results.put(in_json("kernels"), kernels_table(kernels));
}

void set_seconds(ResultGroup& results, const std::vector<NamedSeconds>& seconds) {
  ResultGroup& group = results.group(in_json("seconds"));
  for (const NamedSeconds& part : seconds) group.set(part.name, part.seconds, "s", part.about);
}

std::string seconds_text(const std::vector<NamedSeconds>& seconds) {
  std::string text;
  for (const NamedSeconds& part : seconds)
    if (part.seconds > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", part.name, format_seconds(part.seconds));
  return text;
}

void set_peak_memory(ResultGroup& results) {
  results.set(in_json("peak_memory_bytes"), peak_resident_bytes(), "bytes",
              "Size of the process's memory at the peak.");
}

void set_device(ResultGroup& results, const std::string& device) {
  results.set(in_json("device"), device, "Name of the device: `cpu`, `cuda:0` and the like.");
}

RunConditions conditions_of(const std::vector<std::filesystem::path>& inputs) {
  RunConditions conditions = {machine_facts(), {}};
  for (const std::filesystem::path& file : inputs)
    if (std::filesystem::is_regular_file(file)) conditions.inputs.push_back(input_of(file.string()));
  return conditions;
}

void set_conditions(ResultGroup& results, const RunConditions& conditions, const NameMaker& name) {
  ResultGroup& machine = results.group(name("machine"));
  for (const MachineFact& fact : conditions.machine) machine.set(fact.name, fact.text, fact.about);
  results.table(name("inputs"))
      .column("file", "", conditions.inputs, &InputFile::file, "Path of a file that was read.")
      .column("bytes", "bytes", conditions.inputs, &InputFile::bytes, "Its size.")
      .column("digest", "", conditions.inputs, &InputFile::digest, "Digest of its content.");
}

void write_report_of(ResultGroup results, const std::vector<std::filesystem::path>& inputs,
                     const std::filesystem::path& file) {
  set_conditions(results, conditions_of(inputs), in_report);
  write_report(results, file);
}

}  // namespace vox
