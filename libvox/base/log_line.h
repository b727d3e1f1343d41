// Messages as finished strings; log.h formats them. Apart from it because nvcc's host passes cannot read
// fmt's headers. The library prints nothing: who wants its messages sets a sink.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace vox {

enum class LogLevel { Error, Warning, Info, Debug };

// Hears of every message, of all levels, one call at a time, from any thread. It does not log itself.
using LogSink = std::function<void(LogLevel level, std::string_view text)>;

// Replaces the sink, and returns the one there was. Without one, as in the beginning, messages are lost.
LogSink set_log_sink(LogSink sink);

void log_line(LogLevel level, const std::string& text);

}  // namespace vox
