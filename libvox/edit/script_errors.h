// Reports the errors of a script to a caller who wants to check every line, even after an error.
#pragma once

#include <functional>

#include "libvox/base/error.h"
#include "libvox/edit/script.h"

namespace vox::edit {

// Called for each line with an error; the line is then left out. If the function is empty, the first error is
// thrown.
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
