#include "capi/errors.h"

#include <exception>
#include <new>
#include <stdexcept>

namespace vox {
namespace {

struct LastError {
  std::string message, what, where, hint;
};

// The texts are made before they replace the last ones, so that a lack of memory leaves none of them half.
thread_local LastError last_error;

vox_status keep(LastError error, vox_status status) {
  last_error = std::move(error);
  return status;
}

vox_status keep(const Error& error, vox_status status) {
  return keep(LastError{error.what(), error.problem(), error.place(), error.advice()}, status);
}

vox_status keep(const std::string& text, vox_status status) {
  return keep(LastError{text, text, {}, {}}, status);
}

vox_status keep_any() {
  try {
    throw;
  } catch (const UsageError& error) {
    return keep(error, VOX_BAD_USE);
  } catch (const OutOfMemory& error) {
    return keep(error, VOX_NO_MEMORY);
  } catch (const Cancelled& error) {
    return keep(error, VOX_CANCELLED);
  } catch (const Error& error) {
    return keep(error, VOX_FAILED);
  } catch (const std::bad_alloc&) {
    return keep(std::string("out of memory"), VOX_NO_MEMORY);
  } catch (const std::length_error&) {  // of a vector that no memory could hold
    return keep(std::string("out of memory"), VOX_NO_MEMORY);
  } catch (const std::exception& error) {
    return keep(std::string(error.what()), VOX_DEFECT);
  } catch (...) {
    return keep(std::string("an exception of an unknown kind"), VOX_DEFECT);
  }
}

}  // namespace

vox_status keep_error() noexcept {
  try {
    return keep_any();
  } catch (...) {  // there is no memory for the texts, and short ones need none
    last_error.message.assign("out of memory");
    last_error.what.assign("out of memory");
    last_error.where.clear();
    last_error.hint.clear();
    return VOX_NO_MEMORY;
  }
}

}  // namespace vox

const char* vox_error_message(void) {
  return vox::last_error.message.c_str();
}

const char* vox_error_what(void) {
  return vox::last_error.what.c_str();
}

const char* vox_error_where(void) {
  return vox::last_error.where.c_str();
}

const char* vox_error_hint(void) {
  return vox::last_error.hint.c_str();
}

const char* vox_version(void) {
  return VOX_VERSION;
}
