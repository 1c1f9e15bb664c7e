// Tiling keys made of template parameters. A shared header of an operator
// declares the parameters and their possible values; the host encodes chosen
// values into a key, and the launcher picks the instance of the kernel
// template. Values of an unsigned parameter are encoded as their index in the
// declaration, all others as they are; the first parameter takes the lowest
// bits. The lists of selected combinations matter only to the vendor's build.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <vector>

#define ASCENDC_TPL_AIV_ONLY 0
#define ASCENDC_TPL_AIC_ONLY 1
#define ASCENDC_TPL_MIX_AIV_1_0 4
#define ASCENDC_TPL_MIX_AIC_1_0 5
#define ASCENDC_TPL_MIX_AIC_1_1 6
#define ASCENDC_TPL_MIX_AIC_1_2 7
#define ASCENDC_TPL_AICORE 8
#define ASCENDC_TPL_VECTORCORE 9
#define ASCENDC_TPL_MIX_AICORE 10
#define ASCENDC_TPL_MIX_VECTOR_CORE 11
#define ASCENDC_TPL_MAX 12

#define ASCENDC_TPL_1_BW 1
#define ASCENDC_TPL_2_BW 2
#define ASCENDC_TPL_4_BW 4
#define ASCENDC_TPL_8_BW 8

#define ASCENDC_TPL_DTYPE 0
#define ASCENDC_TPL_FORMAT 1
#define ASCENDC_TPL_UINT 2
#define ASCENDC_TPL_BOOL 3

#define ASCENDC_TPL_INPUT(x) (100000000 + (x))
#define ASCENDC_TPL_OUTPUT(x) (900000000 + (x))

#define ASCENDC_TPL_UI_RANGE 0
#define ASCENDC_TPL_UI_LIST 1
#define ASCENDC_TPL_UI_MIX 2

constexpr uint64_t INVALID_TILING_KEY = ~0ull;

namespace lossgrad::sim {

struct TemplateParameter {
  const char *name;
  uint32_t kind;
  uint32_t bits;
  std::vector<uint64_t> values;
};

// The values of an unsigned parameter: a list, or a number of ranges (first
// and last), or ranges followed by a list.
inline std::vector<uint64_t>
unsignedValues(std::initializer_list<uint64_t> raw) {
  std::vector<uint64_t> words(raw);
  if (words.empty())
    return words;
  if (words[0] == ASCENDC_TPL_UI_LIST)
    return std::vector<uint64_t>(words.begin() + 1, words.end());
  std::vector<uint64_t> values;
  const size_t ranges = words.size() > 1 ? words[1] : 0;
  size_t next = 2;
  for (size_t i = 0; i < ranges && next + 1 < words.size(); ++i, next += 2)
    for (uint64_t v = words[next]; v <= words[next + 1]; ++v)
      values.push_back(v);
  if (words[0] == ASCENDC_TPL_UI_MIX)
    values.insert(values.end(), words.begin() + next, words.end());
  return values;
}

inline uint64_t
encodeTilingKey(const std::vector<TemplateParameter> &parameters,
                std::initializer_list<uint64_t> arguments) {
  if (arguments.size() != parameters.size()) {
    std::fprintf(stderr,
                 "error: a tiling key of %zu parameters was given %zu values\n",
                 parameters.size(), arguments.size());
    return INVALID_TILING_KEY;
  }
  uint64_t key = 0;
  uint32_t shift = 0;
  auto argument = arguments.begin();
  for (const TemplateParameter &parameter : parameters) {
    uint64_t code = *argument++;
    if (parameter.kind == ASCENDC_TPL_UINT) {
      const auto found =
          std::find(parameter.values.begin(), parameter.values.end(), code);
      if (found == parameter.values.end()) {
        std::fprintf(stderr,
                     "error: %llu is not a declared value of the template "
                     "parameter %s\n",
                     static_cast<unsigned long long>(code), parameter.name);
        return INVALID_TILING_KEY;
      }
      code = static_cast<uint64_t>(found - parameter.values.begin());
    }
    key |= code << shift;
    shift += parameter.bits;
    if (shift > 64) {
      std::fprintf(stderr, "error: a tiling key needs more than 64 bits\n");
      return INVALID_TILING_KEY;
    }
  }
  return key;
}

} // namespace lossgrad::sim

#define ASCENDC_TPL_DTYPE_DECL(x, ...)                                         \
  lossgrad::sim::TemplateParameter {                                           \
    #x, ASCENDC_TPL_DTYPE, 8, { __VA_ARGS__ }                                  \
  }
#define ASCENDC_TPL_DATATYPE_DECL(x, ...) ASCENDC_TPL_DTYPE_DECL(x, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_DECL(x, ...)                                        \
  lossgrad::sim::TemplateParameter {                                           \
    #x, ASCENDC_TPL_FORMAT, 8, { __VA_ARGS__ }                                 \
  }
#define ASCENDC_TPL_UINT_DECL(x, bw, ...)                                      \
  lossgrad::sim::TemplateParameter {                                           \
    #x, ASCENDC_TPL_UINT, bw, lossgrad::sim::unsignedValues({__VA_ARGS__})     \
  }
#define ASCENDC_TPL_BOOL_DECL(x, ...)                                          \
  lossgrad::sim::TemplateParameter {                                           \
    #x, ASCENDC_TPL_BOOL, 1, { __VA_ARGS__ }                                   \
  }
#define ASCENDC_TPL_KERNEL_TYPE_DECL(x, ...)                                   \
  lossgrad::sim::TemplateParameter {                                           \
    #x, ASCENDC_TPL_DTYPE, 8, { __VA_ARGS__ }                                  \
  }
#define ASCENDC_TPL_ARGS_DECL(x, ...)                                          \
  [[maybe_unused]] static const std::vector<lossgrad::sim::TemplateParameter>  \
      g_tilingDeclareParams {                                                  \
    __VA_ARGS__                                                                \
  }

#define ASCENDC_TPL_DTYPE_SEL(...)
#define ASCENDC_TPL_DATATYPE_SEL(...)
#define ASCENDC_TPL_FORMAT_SEL(...)
#define ASCENDC_TPL_UINT_SEL(...)
#define ASCENDC_TPL_BOOL_SEL(...)
#define ASCENDC_TPL_TILING_STRUCT_SEL(...)
#define ASCENDC_TPL_KERNEL_TYPE_SEL(...)
#define ASCENDC_TPL_DETERMINISTIC_SEL(...)
#define ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL(...)
#define ASCENDC_TPL_ARGS_SEL(...)
#define ASCENDC_TPL_SEL(...)

#define GET_TPL_TILING_KEY(...)                                                \
  lossgrad::sim::encodeTilingKey(g_tilingDeclareParams, {__VA_ARGS__})
#define ASCENDC_TPL_SEL_PARAM(context, ...)                                    \
  (context)->SetTilingKey(GET_TPL_TILING_KEY(__VA_ARGS__))
