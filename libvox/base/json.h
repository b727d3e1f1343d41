// Writes JSON objects, with their keys in the order in which they were set. It does what --json needs;
// nothing here reads JSON.
//
//   Json result;
//   result.set("voxels", 12).set("device", "cpu");
//   result.object("seconds").set("load", 0.12);
#pragma once

#include <concepts>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vox {

class Json {
 public:
  Json& set(std::string key, std::string_view value);
  Json& set(std::string key, const char* value) { return set(std::move(key), std::string_view(value)); }
  Json& set(std::string key, bool value);
  Json& set(std::string key, double value);
  Json& set(std::string key, std::integral auto value) {
    return set_raw(std::move(key), std::to_string(value));
  }
  Json& object(std::string key);  // a new nested object for the caller to fill
  Json& array(std::string key);   // a new nested array, which append() fills
  Json& append();                 // a new object at the end of this array
  Json& append(double value) { return set("", value); }
  Json& append(std::integral auto value) { return set("", value); }

  std::string text() const;  // indented by two spaces, without a newline at the end

 private:
  Json& set_raw(std::string key, std::string text);
  void write(std::string& out, int indent) const;
  bool is_array_ = false;
  std::vector<std::pair<std::string, std::string>> keys_;  // key and plain value's text ("" if nested)
  std::deque<Json> nested_;                                // the nested values, in the order of their keys
};

}  // namespace vox
