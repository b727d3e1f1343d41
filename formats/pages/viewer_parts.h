// The parts of formats/pages/viewer as texts that a page is made of; cmake/embed_viewer.cmake makes them.
#pragma once

namespace vox {

extern const char* const kViewerStyle;
extern const char* const kViewerBody;
extern const char* const kViewerScript;

}  // namespace vox
