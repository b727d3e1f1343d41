// Runs a script's commands on a session: batches of edits, undo and redo, snapshots, and garbage
// collection.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "libvox/edit/edit_session.h"
#include "libvox/edit/script.h"

namespace vox::edit {

// One of the script's files, as a scene of the session.
struct EditorScene {
  uint32_t number = 0;  // as returned by EditSession::add_scene()
  uint32_t resolution = 0;
};

struct EditorOptions {
  uint32_t batch = 1;   // the most edits in one pass
  bool measure = true;  // after each pass, count the voxels that it changed and the bytes of the store
};

// The record of one pass: one edit, or several that are independent of each other.
struct PassRecord {
  uint32_t line = 0;   // the line of the first edit
  uint32_t frame = 0;  // the frame of the first edit, in a recording
  std::string tool;    // "sphere add", "copy", "several"
  uint32_t edits = 0;
  EditWork work;
  uint64_t changed_voxels = 0;  // 0 if not measured, like the bytes of the store
  StoreSize store;              // after the pass
  double seconds = 0;           // wall time, without the measuring
};

struct CollectRecord {
  uint32_t line = 0;  // the line of the command at which the collection ended
  dag::CollectWork work;
};

class Editor {
 public:
  struct Events {
    std::function<void(const PassRecord&)> pass = [](const PassRecord&) {};
    std::function<void(const CollectRecord&)> collected = [](const CollectRecord&) {};
    std::function<void(const Save&, const Command&)> save = [](const Save&, const Command&) {};
    // Called after each pass with its last command, and after each other command. The scene is then in a
    // state that may be saved.
    std::function<void(const Command&)> done = [](const Command&) {};
  };

  // `scenes` are the script's files, in the script's order. The session and the script must outlive the
  // editor.
  Editor(EditSession& session, const Script& script, std::vector<EditorScene> scenes,
         const EditorOptions& options, Events events);

  // Throws Error with the line of the command that failed. The scene is then as it was before that edit.
  void run();

  // Freezes the current scene.
  dag::FrozenDag freeze();

 private:
  // The edits that one undo takes back.
  struct Step {
    SceneState before, after;
    std::vector<Edit> edits;  // empty if another state was restored
    uint64_t size() const { return edits.empty() ? 1 : edits.size(); }
  };

  void run_command(const Command& command);
  void perform(const Command& command, const Undo& undo);
  void perform(const Command& command, const Redo& redo);
  void perform(const Command& command, const Snapshot& snapshot);
  void perform(const Command& command, const Restore& restore);
  void perform(const Command& command, const Collect& collect);
  void perform(const Command& command, const CollectPolicy& policy);
  void perform(const Command& command, const Save& save);
  void perform(const Command&, const Edit&) {}        // run_command() has put it in the batch
  void perform(const Command&, const VolumeEdit&) {}  // scripts for scenes have none

  bool joins_batch(const Edit& edit) const;
  void flush();
  void run_pass(std::span<const Command> commands);
  enum class Passes { One, Several };
  EditWork apply(std::span<const Edit> edits, Passes passes = Passes::One);
  EditWork apply_or_collect(std::span<const Edit> edits);
  void split_last(uint64_t count);
  void push(Step step);
  void collect_if_due();
  void collect();
  void note_collected(const dag::CollectWork& work);
  std::vector<SceneState> kept_states() const;

  EditSession& session_;
  const Script& script_;
  std::vector<EditorScene> scenes_;
  EditorOptions options_;
  Events events_;
  uint32_t line_ = 0;                     // the line of the command that is running
  std::vector<Command> batch_;            // edits that wait for others to join them
  std::vector<VoxelBox> written_, read_;  // the boxes that the edits of the batch write and read
  std::deque<Step> undo_, redo_;
  uint64_t undo_depth_;  // the largest number of edits that the script undoes in a row
  std::map<std::string, SceneState> snapshots_;
  CollectTrigger trigger_;
  double budget_seconds_ = 0;  // the time of one step of a collection; 0: a collection runs all at once
  bool collecting_ = false;
  uint64_t edits_since_collection_ = 0;
  uint64_t items_after_collection_;
};

// Returns the name of an edit in reports: "sphere add", "copy", "fill".
std::string tool_name(const Edit& edit);
std::string tool_name(std::span<const Edit> edits);  // returns "several" if the names differ

// Returns the number of the script's file that an edit uses, from 1, or kThisScene if it uses none.
uint32_t scene_of(const Edit& edit);

// Returns the edit in the form that the session takes: with the session's number for its scene instead of
// the script's number for the file, and with that whole scene as its source if it names none.
Edit with_scene(Edit edit, const std::vector<EditorScene>& scenes);

}  // namespace vox::edit
