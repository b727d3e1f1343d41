// Lets a user end a program early: SIGINT or SIGTERM sets a flag, and long loops check the flag where it is
// safe to stop.
#pragma once

namespace vox {

void cancel_on_interrupt();  // installs the SIGINT and SIGTERM handler
void throw_if_cancelled();   // throws Cancelled after a signal

}  // namespace vox
