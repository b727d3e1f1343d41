// Tells the address sanitizer of leaks that are not ours. Every program that is built with it has this file.

// HDF5 itself leaks some hundred bytes when it gives up on a damaged file.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:libhdf5";
}
