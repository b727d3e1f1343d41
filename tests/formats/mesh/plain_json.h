// A slow reader of JSON for tests that shares no code with the reader that it checks.
#pragma once

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace vox {

struct PlainJson {
  std::map<std::string, PlainJson> members;
  std::vector<PlainJson> items;
  std::string text;
  double number = 0;

  bool has(const std::string& name) const { return members.contains(name); }
  const PlainJson& operator[](const std::string& name) const { return members.at(name); }
  const PlainJson& operator[](size_t index) const { return items.at(index); }
  double number_or(const std::string& name, double otherwise) const {
    return has(name) ? members.at(name).number : otherwise;
  }
  size_t whole_or(const std::string& name, size_t otherwise) const {
    return static_cast<size_t>(number_or(name, static_cast<double>(otherwise)));
  }
};

// Reads correct JSON without escapes. `true` becomes the number 1.
inline PlainJson parse_plain_json(const char*& p) {
  auto skip = [&] {
    while (*p == ' ' || *p == '\n' || *p == ',' || *p == ':') ++p;
  };
  auto text = [&] {
    std::string value;
    for (++p; *p != '"'; ++p) value += *p;
    ++p;
    return value;
  };
  skip();
  PlainJson json;
  if (*p == '{') {
    for (++p, skip(); *p != '}'; skip()) {
      std::string name = text();
      skip();
      json.members[name] = parse_plain_json(p);
    }
    ++p;
  } else if (*p == '[') {
    for (++p, skip(); *p != ']'; skip()) json.items.push_back(parse_plain_json(p));
    ++p;
  } else if (*p == '"') {
    json.text = text();
  } else if (*p == 't' || *p == 'f') {
    json.number = *p == 't';
    while (*p >= 'a' && *p <= 'z') ++p;
  } else {
    char* end = nullptr;
    json.number = std::strtod(p, &end);
    p = end;
  }
  return json;
}

}  // namespace vox
