// An edit script as commands. formats/script/edit_script.h and formats/script/replay_csv.h read it, an editor
// runs it.
//
// Repetitions stay as they are written; a ScriptCursor gives the commands one by one, in the order in which
// they run, so that a script of ten million edits takes the memory of its lines.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "libvox/edit/edit.h"

namespace vox::edit {

struct Undo {
  uint32_t count = 1;
  friend bool operator==(const Undo&, const Undo&) = default;
};
struct Redo {
  uint32_t count = 1;
  friend bool operator==(const Redo&, const Redo&) = default;
};
// Gives the scene as it is now this name, which another state may have had.
struct Snapshot {
  std::string name;
  friend bool operator==(const Snapshot&, const Snapshot&) = default;
};
// Goes back to the snapshot of this name, which stands before it in the script.
struct Restore {
  std::string name;
  friend bool operator==(const Restore&, const Restore&) = default;
};

struct Collect {  // collects garbage now, all of it at once
  friend bool operator==(const Collect&, const Collect&) = default;
};

enum class CollectWhen : uint8_t { Never, Every, Threshold };

struct CollectTrigger {
  CollectWhen when = CollectWhen::Never;
  uint32_t every = 0;    // edits
  double threshold = 0;  // share of garbage in the store, 0 to 1
  friend bool operator==(const CollectTrigger&, const CollectTrigger&) = default;
};

// How garbage is collected from here on. A value that is absent stays as it was.
struct CollectPolicy {
  std::optional<CollectTrigger> trigger;
  std::optional<double> budget_ms;  // of one step of a collection after an edit; 0: it runs at once
  friend bool operator==(const CollectPolicy&, const CollectPolicy&) = default;
};

struct Save {
  std::filesystem::path path;
  friend bool operator==(const Save&, const Save&) = default;
};

using Action = std::variant<Edit, Undo, Redo, Snapshot, Restore, Collect, CollectPolicy, Save>;

struct Command {
  uint32_t line = 0;       // from 1
  uint32_t frame = 0;      // of a recording, from 1; 0 in a script
  uint64_t text = 0;       // where the command begins in Script::text
  uint32_t text_size = 0;  // bytes
  Action action;
};

// Repeats commands [first, end) of the script `count` times. The n-th time, from 0, places of edits move by
// n * step and by a random offset of -jitter to +jitter on each axis; the offsets of repetitions around it
// are added. A copy's target moves, its source stays. Places of whole voxels move by the sum, rounded, halves
// away from zero.
struct Repeat {
  uint32_t line = 0;
  uint32_t first = 0, end = 0;
  uint32_t count = 1;
  EditPlace step = {0, 0, 0};
  EditPlace jitter = {0, 0, 0};  // no component is negative
  uint64_t seed = 0;
};

struct Script {
  std::filesystem::path path;                // of the script, for messages
  std::string text;                          // all of it
  std::vector<std::filesystem::path> files;  // an edit's scene is 1 + the index of its file
  std::deque<Command> commands;
  std::deque<Repeat> repeats;  // by `first`, outer before inner; none is empty
  uint64_t total = 0;          // commands that a cursor gives
};

// The text of the command, without the comment.
std::string_view source_text(const Script& script, const Command& command);

// Where a command stands: "trees.txt:12", for Error::at().
std::string location(const Script& script, const Command& command);
// Where a command begins, with its column: "trees.txt:12:3".
std::string place_of(const Script& script, const Command& command);

class ScriptCursor {
 public:
  explicit ScriptCursor(const Script& script) : script_(script) {}  // the script outlives the cursor

  // The next command, with all repetitions applied; nothing at the end.
  std::optional<Command> next();

 private:
  struct Running {
    uint32_t repeat;
    uint32_t round;    // from 0
    uint64_t key;      // of this round and those around it; the jitter depends on it
    EditPlace offset;  // of this repetition and all around it
  };

  void end_rounds();
  void begin_repeats();
  Running round_of(uint32_t repeat, uint32_t round) const;

  const Script& script_;
  uint32_t at_ = 0;           // the command that comes next
  uint32_t next_repeat_ = 0;  // the first repetition that has not begun
  std::vector<Running> running_;
};

// The edit with its places moved.
Edit moved(Edit edit, EditPlace offset);

}  // namespace vox::edit
