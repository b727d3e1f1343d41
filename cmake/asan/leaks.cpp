// Tells the address sanitizer about leaks in other people's libraries. Every program built with it contains
// this file.

// HDF5 leaks a few hundred bytes when it gives up on a damaged file.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:libhdf5";
}
