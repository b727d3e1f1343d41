#include "formats/script/script_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "libvox/base/units.h"

namespace vox {
namespace {

bool in_range(edit::EditPlace place) {
  constexpr int64_t kMost = edit::kMaxEditPlace * edit::kEditUnits;
  auto near = [](int64_t units) { return units >= -kMost && units <= kMost; };
  return near(place.x) && near(place.y) && near(place.z);
}

bool in_range(Int3 voxel) {
  return in_range(edit::EditPlace{voxel.x, voxel.y, voxel.z} * edit::kEditUnits);
}

bool in_range(const edit::Shape& shape) {
  return in_range(shape.a) && in_range(shape.b);
}

struct PlacesInRange {
  template <class InShape>  // an edit whose only place is its shape
  bool operator()(const InShape& edit) const {
    return in_range(edit.shape);
  }
  bool operator()(const edit::CopyEdit& edit) const { return in_range(edit.to) && in_range(edit.within); }
  bool operator()(const edit::CombineEdit& edit) const { return in_range(edit.at); }
  bool operator()(const edit::FillEdit& edit) const { return in_range(edit.seed) && in_range(edit.shape); }
};

// True if the edit is in range when it is moved by this offset. Offsets far out of range are not added,
// because the sum could overflow.
bool stays_in_range(const edit::Edit& edit, edit::EditPlace offset) {
  edit::EditPlace half = {offset.x / 2, offset.y / 2, offset.z / 2};
  return in_range(half) && std::visit(PlacesInRange(), edit::moved(edit, offset));
}

}  // namespace

ScriptBuilder::ScriptBuilder(std::string text, std::filesystem::path path,
                             const edit::OnScriptError& on_error)
    : on_error_(on_error) {
  script_.text = std::move(text);
  script_.path = std::move(path);
}

template <class Step>
void ScriptBuilder::report_errors_of(const Step& step) const {
  try {
    step();
  } catch (const Error& error) {
    if (!on_error_) throw;
    on_error_(error);
  }
}

void ScriptBuilder::read_lines(const std::function<void(LineReader&)>& read_line) {
  check_is_text(script_.text, script_.path);
  const char* end = script_.text.c_str() + script_.text.size();
  uint32_t number = 1;
  for (const char* p = after_byte_order_mark(script_.text); p < end; ++number) {
    LineReader line(script_.path, p, number);
    report_errors_of([&] { read_line(line); });
    p = following_line(line.position());
  }
}

edit::Script ScriptBuilder::finish() {
  for (; is_repeating(); close_repeat())
    report_errors_of([&] { open_.back().line.fail(open_.back().word, "no 'end' follows this 'repeat'"); });
  return std::move(script_);
}

void ScriptBuilder::add(const LineReader& line, const Word& word, edit::Action action, uint32_t frame) {
  uint64_t runs = open_.empty() ? 1 : open_.back().runs;
  if (script_.total + runs > kMaxScriptCommands)
    line.fail(word,
              fmt::format("more than {} commands, with all repetitions", format_count(kMaxScriptCommands)));
  check_written(line, word);
  if (auto* edit = std::get_if<edit::Edit>(&action)) check_places(line, word, *edit);
  script_.total += runs;
  auto begin = static_cast<uint64_t>(word.at - script_.text.c_str());
  auto size = static_cast<uint32_t>(line.position() - word.at);
  script_.commands.push_back({line.number(), frame, begin, size, std::move(action)});
}

bool ScriptBuilder::is_full() const {
  return script_.commands.size() + script_.repeats.size() >= kMaxWrittenCommands;
}

bool ScriptBuilder::may_repeat() const {
  return open_.size() < kMaxScriptNesting && !is_full();
}

void ScriptBuilder::check_written(const LineReader& line, const Word& word) const {
  if (is_full())
    line.fail(word, fmt::format("more than {} commands in one file", format_count(kMaxWrittenCommands)),
              "use 'repeat', or split the script");
}

void ScriptBuilder::check_places(const LineReader& line, const Word& word, const edit::Edit& edit) const {
  if (open_.empty()) return;  // reading a place has checked its range
  if (!stays_in_range(edit, open_.back().least) || !stays_in_range(edit, open_.back().most))
    line.fail(word, fmt::format("repeated, this moves beyond ±{} voxels", format_count(edit::kMaxEditPlace)));
}

// Neither the runs nor the offsets overflow, because a repetition's count is at most 10^7, its step and
// jitter are at most 2^29, and at most 16 repetitions are nested.
void ScriptBuilder::begin_repeat(const LineReader& line, const Word& word, const edit::Repeat& repeat) {
  if (open_.size() == kMaxScriptNesting)
    line.fail(word, fmt::format("more than {} nested repetitions", kMaxScriptNesting));
  check_written(line, word);
  Open inner{line, word, static_cast<uint32_t>(script_.repeats.size()), 1, {0, 0, 0}, {0, 0, 0}};
  if (!open_.empty()) {
    inner.runs = open_.back().runs;
    inner.least = open_.back().least;
    inner.most = open_.back().most;
  }
  inner.runs = std::min(inner.runs * repeat.count, kMaxScriptCommands + 1);
  edit::EditPlace last = repeat.step * (int64_t{repeat.count} - 1);
  auto below = [](int64_t v) { return std::min<int64_t>(v, 0); };
  auto above = [](int64_t v) { return std::max<int64_t>(v, 0); };
  inner.least = inner.least + edit::EditPlace{below(last.x), below(last.y), below(last.z)} - repeat.jitter;
  inner.most = inner.most + edit::EditPlace{above(last.x), above(last.y), above(last.z)} + repeat.jitter;
  open_.push_back(inner);
  script_.repeats.push_back(repeat);
  script_.repeats.back().line = line.number();
  script_.repeats.back().first = static_cast<uint32_t>(script_.commands.size());
}

void ScriptBuilder::end_repeat(const LineReader& line, const Word& word) {
  if (!is_repeating()) line.fail(word, "no 'repeat' is open");
  close_repeat();
}

void ScriptBuilder::close_repeat() {
  edit::Repeat& repeat = script_.repeats[open_.back().index];
  repeat.end = static_cast<uint32_t>(script_.commands.size());
  // Repetitions inside an empty one were removed before, so the empty one is the last.
  if (repeat.first == repeat.end) script_.repeats.pop_back();
  open_.pop_back();
}

std::filesystem::path ScriptBuilder::resolved(const Word& file) const {
  return (script_.path.parent_path() / std::filesystem::path(file.text)).lexically_normal();
}

uint32_t ScriptBuilder::scene_number(const Word& file) {
  std::filesystem::path path = resolved(file);
  auto next = static_cast<uint32_t>(script_.files.size() + 1);
  auto [known, is_new] = scene_numbers_.try_emplace(path.string(), next);
  if (is_new) script_.files.push_back(std::move(path));
  return known->second;
}

}  // namespace vox
