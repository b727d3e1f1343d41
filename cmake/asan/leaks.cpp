// Part of every program with the address sanitizer: leaks that are not ours.

// HDF5 itself leaks some hundred bytes when it gives up on a damaged file.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:libhdf5";
}
