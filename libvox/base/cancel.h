// SIGINT asks; long loops answer at a safe place.
#pragma once

namespace vox {

void cancel_on_interrupt();  // installs the SIGINT and SIGTERM handler
void throw_if_cancelled();   // throws Cancelled after a signal

}  // namespace vox
