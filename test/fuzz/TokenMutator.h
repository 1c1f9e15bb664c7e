//===- TokenMutator.h - Mutations of whole tokens ---------------*- C++ -*-===//
//
// Bytes changed at random rarely get past a lexer, so most mutations work on
// whole tokens: names, numbers and brackets change places, and the code under
// test sees text that is almost right. Include it once per fuzz target.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TEST_FUZZ_TOKENMUTATOR_H
#define LOSSGRAD_TEST_FUZZ_TOKENMUTATOR_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstring>
#include <random>
#include <string>
#include <vector>

/// Words, strings, and single characters for everything else.
static std::vector<llvm::StringRef> tokenize(llvm::StringRef text) {
  std::vector<llvm::StringRef> tokens;
  while (!text.empty()) {
    size_t length = text.find_if_not(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; });
    if (text.front() == '"') {
      size_t end = text.find('"', 1);
      length = end == llvm::StringRef::npos ? text.size() : end + 1;
    }
    length = std::min(std::max<size_t>(length, 1), text.size());
    tokens.push_back(text.take_front(length));
    text = text.drop_front(length);
  }
  return tokens;
}

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<llvm::StringRef> tokens =
      tokenize({reinterpret_cast<const char *>(data), size});
  if (tokens.size() < 2 || random() % 8 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  for (unsigned i = 0, count = 1 + random() % 3; i != count; ++i) {
    size_t to = random() % tokens.size(), from = random() % tokens.size();
    switch (random() % 4) {
    case 0:
      tokens[to] = tokens[from];
      break;
    case 1:
      std::swap(tokens[to], tokens[from]);
      break;
    case 2:
      tokens[to] = "";
      break;
    default:
      tokens.insert(tokens.begin() + to, tokens[from]);
    }
  }
  std::string text;
  for (llvm::StringRef token : tokens)
    text += token;
  size_t length = std::min(text.size(), maxSize);
  std::memcpy(data, text.data(), length);
  return length;
}

#endif // LOSSGRAD_TEST_FUZZ_TOKENMUTATOR_H
