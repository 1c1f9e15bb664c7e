//===- ascend_string.h - a string that crosses libraries --------*- C++ -*-===//
//
// Operator projects may be compiled with the old std::string layout; this type
// holds plain characters so that it does not matter.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_GRAPH_ASCEND_STRING_H
#define LOSSGRAD_GRAPH_ASCEND_STRING_H

#include "graph/types.h"

#include <cstring>
#include <functional>
#include <memory>

namespace ge {

class AscendString {
public:
  AscendString() = default;
  AscendString(const char_t *const name)
      : AscendString(name, name ? std::strlen(name) : 0) {}
  AscendString(const char_t *const name, size_t length) {
    if (!name)
      return;
    text.reset(new char[length + 1], std::default_delete<char[]>());
    std::memcpy(text.get(), name, length);
    text.get()[length] = '\0';
    size = length;
  }

  /// Never null.
  const char_t *GetString() const { return text ? text.get() : ""; }
  size_t GetLength() const { return size; }
  size_t Find(const AscendString &what) const {
    const char *found = std::strstr(GetString(), what.GetString());
    return found ? size_t(found - GetString()) : static_cast<size_t>(-1);
  }
  size_t Hash() const {
    size_t hash = 14695981039346656037u;
    for (const char *c = GetString(); *c; ++c)
      hash = (hash ^ static_cast<unsigned char>(*c)) * 1099511628211u;
    return hash;
  }

  bool operator<(const AscendString &d) const { return compare(d) < 0; }
  bool operator>(const AscendString &d) const { return compare(d) > 0; }
  bool operator<=(const AscendString &d) const { return compare(d) <= 0; }
  bool operator>=(const AscendString &d) const { return compare(d) >= 0; }
  bool operator==(const AscendString &d) const { return compare(d) == 0; }
  bool operator!=(const AscendString &d) const { return compare(d) != 0; }
  bool operator==(const char_t *const d) const {
    return d && std::strcmp(GetString(), d) == 0;
  }
  bool operator!=(const char_t *const d) const { return !(*this == d); }

private:
  int compare(const AscendString &d) const {
    return std::strcmp(GetString(), d.GetString());
  }
  std::shared_ptr<char> text;
  size_t size = 0;
};

} // namespace ge

namespace std {
template <> struct hash<ge::AscendString> {
  size_t operator()(const ge::AscendString &name) const { return name.Hash(); }
};
} // namespace std

#endif // LOSSGRAD_GRAPH_ASCEND_STRING_H
