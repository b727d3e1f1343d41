// Log messages as finished strings; log.h formats them. These are two headers because nvcc's host passes
// cannot read fmt's headers. The library prints nothing: a program that wants its messages sets a sink.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace vox {

enum class LogLevel { Error, Warning, Info, Debug };

// A sink gets the messages of all levels, one call at a time, from any thread. It must not log itself.
using LogSink = std::function<void(LogLevel level, std::string_view text)>;

// Replaces the sink and returns the previous one. Before the first call there is none, and messages are lost.
LogSink set_log_sink(LogSink sink);

void log_line(LogLevel level, const std::string& text);

}  // namespace vox
