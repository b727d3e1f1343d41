// Reports the errors of a script, for those who go through all of it whatever is wrong with a line.
#pragma once

#include <functional>

#include "libvox/base/error.h"
#include "libvox/edit/script.h"

namespace vox::edit {

// Called for each line that is wrong, which is then left out. Where it is empty, the first error is thrown.
using OnScriptError = std::function<void(const Error&)>;

// Calls `step`, and adds the command's place to an error that it throws.
template <class Step>
void at_command(const Script& script, const Command& command, const OnScriptError& on_error,
                const Step& step) {
  try {
    step();
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    const Error placed = Error(error.what()).at(place_of(script, command)).about(error.setting());
    if (!on_error) throw placed;
    on_error(placed);
  }
}

}  // namespace vox::edit
