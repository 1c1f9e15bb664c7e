//===- tiling_parse_context.h - preparing tiling once per product -*- C++ -*-=//
//
// A parse function fills the compile info that later tilings read.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_EXE_GRAPH_TILING_PARSE_CONTEXT_H
#define LOSSGRAD_EXE_GRAPH_TILING_PARSE_CONTEXT_H

#include "extended_kernel_context.h"

namespace gert {

class TilingParseContext : public ExtendedKernelContext {
public:
  using ExtendedKernelContext::ExtendedKernelContext;

  const ge::char_t *GetCompiledJson() const { return node_->compiledJson; }
  template <typename T> T *GetCompiledInfo() {
    return static_cast<T *>(node_->compileInfo);
  }
  fe::PlatFormInfos *GetPlatformInfo() const { return node_->platform; }
};

} // namespace gert

#endif // LOSSGRAD_EXE_GRAPH_TILING_PARSE_CONTEXT_H
