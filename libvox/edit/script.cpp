#include "libvox/edit/script.h"

#include <fmt/format.h>

#include <algorithm>

#include "libvox/base/bits.h"

namespace vox::edit {
namespace {

// Rounds units to voxels, halves away from zero.
int32_t rounded(int64_t units) {
  constexpr int64_t kHalf = kEditUnits / 2;
  return static_cast<int32_t>((units + (units < 0 ? -kHalf : kHalf)) / kEditUnits);
}

Int3 moved(Int3 voxel, EditPlace offset) {
  return voxel + Int3{rounded(offset.x), rounded(offset.y), rounded(offset.z)};
}

Shape moved(Shape shape, EditPlace offset) {
  bool second =
      shape.kind == ShapeKind::Box || shape.kind == ShapeKind::Capsule || shape.kind == ShapeKind::Cylinder;
  if (shape.kind != ShapeKind::Everything) shape.a = shape.a + offset;
  if (second) shape.b = shape.b + offset;
  return shape;
}

// Moves edits that have a shape and no other place.
template <class InShape>
void move_places(InShape& edit, EditPlace offset) {
  edit.shape = moved(edit.shape, offset);
}
void move_places(CopyEdit& edit, EditPlace offset) {
  edit.to = moved(edit.to, offset);
  edit.within = moved(edit.within, offset);
}
void move_places(CombineEdit& edit, EditPlace offset) {
  edit.at = moved(edit.at, offset);
}
void move_places(FillEdit& edit, EditPlace offset) {
  edit.seed = moved(edit.seed, offset);
  edit.shape = moved(edit.shape, offset);
}

// Returns a random number from -reach to +reach. The bias of the remainder is below 2^-32.
int64_t random_offset(uint64_t key, uint64_t axis, int64_t reach) {
  auto choices = static_cast<uint64_t>(2 * reach + 1);
  return static_cast<int64_t>(mix64(key + (axis + 1) * 0x9e3779b97f4a7c15ull) % choices) - reach;
}

}  // namespace

std::string_view source_text(const Script& script, const Command& command) {
  return std::string_view(script.text).substr(command.text, command.text_size);
}

std::string location(const Script& script, const Command& command) {
  return fmt::format("{}:{}", script.path.string(), command.line);
}

std::string place_of(const Script& script, const Command& command) {
  const std::string_view before = std::string_view(script.text).substr(0, command.text);
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };  // UTF-8
  const size_t line = before.find_last_of("\r\n") + 1;  // npos + 1 is 0
  const auto column = 1 + std::ranges::count_if(before.substr(line), [&](char c) { return !continues(c); });
  return fmt::format("{}:{}", location(script, command), column);
}

Edit moved(Edit edit, EditPlace offset) {
  std::visit([&](auto& of_kind) { move_places(of_kind, offset); }, edit);
  return edit;
}

VolumeEdit moved(VolumeEdit edit, EditPlace offset) {
  edit.shape = moved(edit.shape, offset);
  edit.mask_at = moved(edit.mask_at, offset);
  return edit;
}

std::optional<Command> ScriptCursor::next() {
  end_rounds();
  begin_repeats();
  if (at_ == script_.commands.size()) return std::nullopt;
  Command command = script_.commands[at_++];
  if (running_.empty()) return command;
  if (auto* edit = std::get_if<Edit>(&command.action)) *edit = moved(*edit, running_.back().offset);
  if (auto* edit = std::get_if<VolumeEdit>(&command.action)) *edit = moved(*edit, running_.back().offset);
  return command;
}

void ScriptCursor::end_rounds() {
  while (!running_.empty() && at_ == script_.repeats[running_.back().repeat].end) {
    Running done = running_.back();
    running_.pop_back();
    if (done.round + 1 == script_.repeats[done.repeat].count) continue;
    running_.push_back(round_of(done.repeat, done.round + 1));
    at_ = script_.repeats[done.repeat].first;
    next_repeat_ = done.repeat + 1;
    return;
  }
}

void ScriptCursor::begin_repeats() {
  while (next_repeat_ < script_.repeats.size() && script_.repeats[next_repeat_].first == at_)
    running_.push_back(round_of(next_repeat_++, 0));
}

ScriptCursor::Running ScriptCursor::round_of(uint32_t repeat, uint32_t round) const {
  const Repeat& written = script_.repeats[repeat];
  uint64_t around = running_.empty() ? 0 : running_.back().key;
  EditPlace offset = running_.empty() ? EditPlace{0, 0, 0} : running_.back().offset;
  uint64_t key = mix64(mix64(around ^ mix64(written.seed + 1)) + round);
  EditPlace jitter = {random_offset(key, 0, written.jitter.x), random_offset(key, 1, written.jitter.y),
                      random_offset(key, 2, written.jitter.z)};
  return {repeat, round, key, offset + written.step * int64_t{round} + jitter};
}

}  // namespace vox::edit
