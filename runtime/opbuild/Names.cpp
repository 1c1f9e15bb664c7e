//===- Names.cpp - spelling of operators, parameters and types ------------===//
//
// The naming rules of generation, and nothing else.
//
//===----------------------------------------------------------------------===//
#include "OpModel.h"

#include "graph/types.h"

#include <cctype>

namespace lossgrad::opbuild {

std::string snakeCase(const std::string &name) {
  std::string snake;
  for (size_t i = 0; i < name.size(); ++i) {
    const unsigned char c = name[i];
    if (std::isupper(c) && i > 0) {
      const unsigned char before = name[i - 1];
      const bool afterWord = std::islower(before) || std::isdigit(before);
      const bool endsRun =
          std::isupper(before) && i + 1 < name.size() &&
          std::islower(static_cast<unsigned char>(name[i + 1]));
      if (afterWord || endsRun)
        snake += '_';
    }
    snake += char(std::tolower(c));
  }
  return snake;
}

std::string camelCase(const std::string &name) {
  std::string camel;
  bool raise = false;
  for (const char c : name) {
    if (c == '_') {
      raise = !camel.empty();
      continue;
    }
    camel += raise ? char(std::toupper(c)) : c;
    raise = false;
  }
  if (!camel.empty())
    camel[0] = char(std::tolower(camel[0]));
  return camel;
}

namespace {
struct TypeName {
  int dtype;
  const char *macro, *spelling;
};
constexpr TypeName typeNames[] = {{ge::DT_FLOAT, "DT_FLOAT", "float"},
                                  {ge::DT_FLOAT16, "DT_FLOAT16", "half"},
                                  {ge::DT_BF16, "DT_BF16", "bfloat16_t"},
                                  {ge::DT_DOUBLE, "DT_DOUBLE", "double"},
                                  {ge::DT_BOOL, "DT_BOOL", "bool"},
                                  {ge::DT_INT4, "DT_INT4", "int4b_t"},
                                  {ge::DT_INT8, "DT_INT8", "int8_t"},
                                  {ge::DT_INT16, "DT_INT16", "int16_t"},
                                  {ge::DT_INT32, "DT_INT32", "int32_t"},
                                  {ge::DT_INT64, "DT_INT64", "int64_t"},
                                  {ge::DT_UINT1, "DT_UINT1", "uint8_t"},
                                  {ge::DT_UINT8, "DT_UINT8", "uint8_t"},
                                  {ge::DT_UINT16, "DT_UINT16", "uint16_t"},
                                  {ge::DT_UINT32, "DT_UINT32", "uint32_t"},
                                  {ge::DT_UINT64, "DT_UINT64", "uint64_t"}};

struct FormatName {
  int format;
  const char *macro;
};
constexpr FormatName formatNames[] = {
    {ge::FORMAT_NCHW, "FORMAT_NCHW"},
    {ge::FORMAT_NHWC, "FORMAT_NHWC"},
    {ge::FORMAT_ND, "FORMAT_ND"},
    {ge::FORMAT_NC1HWC0, "FORMAT_NC1HWC0"},
    {ge::FORMAT_FRACTAL_Z, "FORMAT_FRACTAL_Z"},
    {ge::FORMAT_HWCN, "FORMAT_HWCN"},
    {ge::FORMAT_NDHWC, "FORMAT_NDHWC"},
    {ge::FORMAT_FRACTAL_NZ, "FORMAT_FRACTAL_NZ"},
    {ge::FORMAT_NCDHW, "FORMAT_NCDHW"},
    {ge::FORMAT_DHWCN, "FORMAT_DHWCN"},
    {ge::FORMAT_NC, "FORMAT_NC"},
    {ge::FORMAT_NCL, "FORMAT_NCL"}};
} // namespace

const char *dtypeMacro(int dtype) {
  for (const TypeName &entry : typeNames)
    if (entry.dtype == dtype)
      return entry.macro;
  return nullptr;
}

const char *dtypeSpelling(int dtype) {
  for (const TypeName &entry : typeNames)
    if (entry.dtype == dtype)
      return entry.spelling;
  return nullptr;
}

const char *formatMacro(int format) {
  for (const FormatName &entry : formatNames)
    if (entry.format == format)
      return entry.macro;
  return nullptr;
}

} // namespace lossgrad::opbuild
