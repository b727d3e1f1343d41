#include "libvox/edit/editor.h"

#include <algorithm>

#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/progress.h"
#include "libvox/edit/edit.h"

namespace vox::edit {
namespace {

// Returns how far back the script goes by undo: the largest number of edits between a state to which it
// returns and the furthest state before that.
uint64_t deepest_undo(const Script& script) {
  const auto is_undo = [](const Command& command) { return std::holds_alternative<Undo>(command.action); };
  if (std::none_of(script.commands.begin(), script.commands.end(), is_undo)) return 0;
  uint64_t done = 0, undone = 0, furthest = 0, deepest = 0;
  for (ScriptCursor cursor(script); auto command = cursor.next();) {
    if (std::holds_alternative<Edit>(command->action) || std::holds_alternative<Restore>(command->action)) {
      ++done;
      undone = 0;
    }
    if (const auto* redo = std::get_if<Redo>(&command->action)) {
      const uint64_t count = std::min<uint64_t>(undone, redo->count);
      done += count;
      undone -= count;
    }
    if (const auto* undo = std::get_if<Undo>(&command->action)) {
      const uint64_t count = std::min<uint64_t>(done, undo->count);
      done -= count;
      undone += count;
    }
    furthest = std::max(furthest, done);
    deepest = std::max(deepest, furthest - done);
  }
  return deepest;
}

bool apart(const VoxelBox& a, const VoxelBox& b) {
  return intersection(a, b).empty();
}

const char* name_of(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::Everything:
      return "everything";
    case ShapeKind::Sphere:
      return "sphere";
    case ShapeKind::Box:
      return "box";
    case ShapeKind::Capsule:
      return "capsule";
    case ShapeKind::Cylinder:
      return "cylinder";
    case ShapeKind::Ellipsoid:
      return "ellipsoid";
  }
  return "";
}

struct ToolName {
  std::string operator()(const PaintEdit& edit) const {
    const char* modes[] = {" add", " remove", " paint", " replace"};
    return std::string(name_of(edit.shape.kind)) + modes[static_cast<size_t>(edit.mode)];
  }
  std::string operator()(const CopyEdit& edit) const { return edit.scene == kThisScene ? "copy" : "stamp"; }
  std::string operator()(const CombineEdit& edit) const {
    const char* modes[] = {"union", "subtract", "intersect"};
    return modes[static_cast<size_t>(edit.mode)];
  }
  std::string operator()(const MorphEdit& edit) const {
    const char* modes[] = {"erode", "dilate", "smooth"};
    return modes[static_cast<size_t>(edit.mode)];
  }
  std::string operator()(const FillEdit&) const { return "fill"; }
};

}  // namespace

std::string tool_name(const Edit& edit) {
  return std::visit(ToolName(), edit);
}

std::string tool_name(std::span<const Edit> edits) {
  const std::string first = tool_name(edits[0]);
  const bool alike =
      std::all_of(edits.begin(), edits.end(), [&](const Edit& e) { return tool_name(e) == first; });
  return alike ? first : "several";
}

uint32_t scene_of(const Edit& edit) {
  if (const auto* copy = std::get_if<CopyEdit>(&edit)) return copy->scene;
  if (const auto* combine = std::get_if<CombineEdit>(&edit)) return combine->scene;
  return kThisScene;
}

Edit with_scene(Edit edit, const std::vector<EditorScene>& scenes) {
  const uint32_t place = scene_of(edit);
  if (place == kThisScene) return edit;
  const EditorScene& scene = scenes.at(place - 1);
  if (auto* copy = std::get_if<CopyEdit>(&edit)) {
    copy->scene = scene.number;
    return with_source(*copy, scene.resolution);
  }
  if (auto* combine = std::get_if<CombineEdit>(&edit)) combine->scene = scene.number;
  return edit;
}

Editor::Editor(EditSession& session, const Script& script, std::vector<EditorScene> scenes,
               const EditorOptions& options, Events events)
    : session_(session),
      script_(script),
      scenes_(std::move(scenes)),
      options_(options),
      events_(std::move(events)),
      undo_depth_(deepest_undo(script)),
      items_after_collection_(session.items()) {}

void Editor::run() {
  for (ScriptCursor cursor(script_); auto command = cursor.next();) {
    throw_if_cancelled();
    run_command(*command);
  }
  if (!batch_.empty()) flush();
}

void Editor::run_command(const Command& command) {
  if (const Edit* edit = std::get_if<Edit>(&command.action)) {
    const Edit ready = with_scene(*edit, scenes_);
    if (!batch_.empty() && !joins_batch(ready)) flush();
    batch_.push_back(command);
    batch_.back().action = ready;
    written_.push_back(written_box(ready, session_.resolution()));
    read_.push_back(read_box(ready, session_.resolution()));
    if (batch_.size() >= options_.batch) flush();
    return;
  }
  if (!batch_.empty()) flush();
  line_ = command.line;
  try {
    std::visit([&](const auto& action) { perform(command, action); }, command.action);
  } catch (const Cancelled&) {
    throw;
  } catch (OutOfMemory& error) {
    error.at(location(script_, command));
    throw;
  } catch (const Error& error) {
    throw Error(error.what()).at(location(script_, command)).about(error.setting());
  }
  events_.done(command);
}

// True if the edit is of the same kind as the batch, and neither it nor an edit of the batch changes what the
// other writes or reads.
bool Editor::joins_batch(const Edit& edit) const {
  const Edit& first = std::get<Edit>(batch_[0].action);
  if (edit.index() != first.index() || std::holds_alternative<FillEdit>(edit)) return false;
  const auto steps = [](const Edit& e) {
    return std::holds_alternative<MorphEdit>(e) ? std::get<MorphEdit>(e).steps : 1;
  };
  if (steps(edit) != 1 || steps(first) != 1) return false;
  const VoxelBox writes = written_box(edit, session_.resolution()),
                 reads = read_box(edit, session_.resolution());
  for (size_t i = 0; i < batch_.size(); ++i)
    if (!apart(writes, written_[i]) || !apart(writes, read_[i]) || !apart(reads, written_[i])) return false;
  return true;
}

void Editor::flush() {
  const std::vector<Command> batch = std::exchange(batch_, {});
  written_.clear();
  read_.clear();
  run_pass(batch);
}

// If the edits do not fit in memory in one pass, they may still fit one by one. What comes after them, such as a
// checkpoint, may run out of memory, too, but then the edits have been done.
void Editor::run_pass(std::span<const Command> commands) {
  std::vector<Edit> edits;
  for (const Command& command : commands) edits.push_back(std::get<Edit>(command.action));
  line_ = commands.back().line;
  const SceneState before = session_.state();
  PassRecord record;
  record.line = commands[0].line;
  record.frame = commands[0].frame;
  record.tool = tool_name(edits);
  record.edits = static_cast<uint32_t>(edits.size());
  const Stopwatch watch;
  try {
    record.work = apply_or_collect(edits);
  } catch (Error& error) {
    if (commands.size() == 1 || dynamic_cast<const OutOfMemory*>(&error) == nullptr) {
      error.at(location(script_, commands[0]));
      throw;
    }
    log_debug("{}, with {} edits in one pass", error.what(), commands.size());
    for (const Command& command : commands) run_pass({&command, 1});
    return;
  }
  record.seconds = watch.seconds();
  record.store.items = session_.items();
  if (options_.measure) {
    record.store = session_.size();
    record.changed_voxels = session_.changed_voxels(before, session_.state());
  }
  edits_since_collection_ += edits.size();
  push({before, session_.state(), std::move(edits)});
  events_.pass(record);
  collect_if_due();
  events_.done(commands.back());
}

// Runs all of these edits or none.
EditWork Editor::apply(std::span<const Edit> edits, Passes passes) {
  const SceneState before = session_.state();
  try {
    return passes == Passes::Several ? session_.apply_in_pieces(edits.front()) : session_.apply(edits);
  } catch (...) {
    session_.set_state(before);
    throw;
  }
}

// If memory runs out, it may be full of garbage, so the edits are tried again after a collection. After that, a single
// edit takes less memory in several passes.
EditWork Editor::apply_or_collect(std::span<const Edit> edits) {
  try {
    return apply(edits);
  } catch (const OutOfMemory& error) {
    log_debug("line {}: {}; collecting garbage", line_, error.what());
  }
  collect();
  if (edits.size() > 1) return apply(edits);
  return apply(edits, Passes::Several);
}

dag::FrozenDag Editor::freeze() {
  try {
    return session_.freeze();
  } catch (const OutOfMemory& error) {
    log_debug("line {}: {}; collecting garbage", line_, error.what());
  }
  collect();
  return session_.freeze();
}

void Editor::push(Step step) {
  redo_.clear();
  if (undo_depth_ == 0) return;
  undo_.push_back(std::move(step));
  if (undo_.size() > undo_depth_) undo_.pop_front();  // a step has at least one edit
}

// Splits the last step so that its last `count` edits, fewer than all, become a step of their own. The step
// stays in undo_ until then, so that its states are kept.
void Editor::split_last(uint64_t count) {
  const Step all = undo_.back();
  const auto middle = all.edits.end() - static_cast<std::ptrdiff_t>(count);
  const SceneState now = session_.state();
  session_.set_state(all.before);
  try {
    apply_or_collect(std::span(all.edits.begin(), middle));
  } catch (...) {
    session_.set_state(now);
    throw;
  }
  const SceneState between = session_.state();
  session_.set_state(now);
  undo_.pop_back();
  undo_.push_back({all.before, between, {all.edits.begin(), middle}});
  undo_.push_back({between, all.after, {middle, all.edits.end()}});
}

void Editor::perform(const Command& command, const Undo& undo) {
  for (uint64_t left = undo.count; left > 0;) {
    if (undo_.empty()) {
      log_warning("{}: there is nothing left to undo", location(script_, command));
      return;
    }
    if (undo_.back().size() > left) split_last(left);
    left -= undo_.back().size();
    session_.set_state(undo_.back().before);
    redo_.push_back(std::move(undo_.back()));
    undo_.pop_back();
  }
}

void Editor::perform(const Command& command, const Redo& redo) {
  for (uint64_t left = redo.count; left > 0;) {
    if (redo_.empty()) {
      log_warning("{}: there is nothing left to redo", location(script_, command));
      return;
    }
    undo_.push_back(std::move(redo_.back()));
    redo_.pop_back();
    if (undo_.back().size() > left) {
      split_last(undo_.back().size() - left);
      redo_.push_back(std::move(undo_.back()));
      undo_.pop_back();
    }
    left -= undo_.back().size();
    session_.set_state(undo_.back().after);
  }
}

void Editor::perform(const Command&, const Snapshot& snapshot) {
  snapshots_[snapshot.name] = session_.state();
}

void Editor::perform(const Command&, const Restore& restore) {
  const auto found = snapshots_.find(restore.name);
  if (found == snapshots_.end()) throw Error("there is no snapshot named '" + restore.name + "'");
  const SceneState before = session_.state();
  session_.set_state(found->second);
  push({before, found->second, {}});
}

void Editor::perform(const Command&, const Collect&) {
  collect();
}

void Editor::perform(const Command&, const CollectPolicy& policy) {
  if (policy.trigger) trigger_ = *policy.trigger;
  if (policy.budget_ms) budget_seconds_ = *policy.budget_ms / 1e3;
}

void Editor::perform(const Command& command, const Save& save) {
  events_.save(save, command);
}

// Collects if the policy says so. The share of garbage is unknown until the collection looks for it; it is at
// most what has been added since the last collection.
void Editor::collect_if_due() {
  const uint64_t items = session_.items();
  const auto added = static_cast<double>(items - std::min(items, items_after_collection_));
  const bool due = trigger_.when == CollectWhen::Every
                       ? edits_since_collection_ >= trigger_.every
                       : trigger_.when == CollectWhen::Threshold &&
                             added > trigger_.threshold * static_cast<double>(items);
  if (budget_seconds_ == 0 && (due || collecting_)) return collect();
  if (!collecting_ && due) {
    session_.start_collection(kept_states());
    collecting_ = true;
  }
  if (!collecting_) return;
  if (const auto work = session_.step_collection(budget_seconds_)) note_collected(*work);
}

void Editor::collect() {
  note_collected(session_.collect(kept_states()));
}

void Editor::note_collected(const dag::CollectWork& work) {
  events_.collected({line_, work});
  collecting_ = false;
  edits_since_collection_ = 0;
  items_after_collection_ = session_.items();
}

std::vector<SceneState> Editor::kept_states() const {
  std::vector<SceneState> states;
  for (const auto* steps : {&undo_, &redo_})
    for (const Step& step : *steps) states.push_back(step.before), states.push_back(step.after);
  for (const auto& [name, state] : snapshots_) states.push_back(state);
  std::sort(states.begin(), states.end());
  states.erase(std::unique(states.begin(), states.end()), states.end());
  return states;
}

namespace {

void add(EditCounts& to, const EditCounts& counts) {
  to.made += counts.made;
  to.distinct += counts.distinct;
  to.inserted += counts.inserted;
}

}  // namespace

EditWork& EditWork::operator+=(const EditWork& other) {
  add(nodes, other.nodes);
  add(leaves, other.leaves);
  octree_bytes += other.octree_bytes;
  octree_seconds += other.octree_seconds;
  octree_device_seconds += other.octree_device_seconds;
  merge_seconds += other.merge_seconds;
  merge_device_seconds += other.merge_device_seconds;
  return *this;
}

}  // namespace vox::edit
