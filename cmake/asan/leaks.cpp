// Tells the address sanitizer about leaks in other people's libraries. Every program built with it contains
// this file.

// HDF5 leaks a few hundred bytes when it gives up on a damaged file. oneTBB keeps 40 bytes for an observer of an
// arena until all threads have left that arena, which they may not have done when the process ends.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:libhdf5\nleak:tbb::detail::r1::observe";
}
