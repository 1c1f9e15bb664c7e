//===- op_def_factory.h - the operators of a library ------------*- C++ -*-===//
//
// OP_ADD without further macros enters a creator here; lossgrad-opbuild loads
// the library and asks for all of them.
//
//===----------------------------------------------------------------------===//
#ifndef LOSSGRAD_REGISTER_OP_DEF_FACTORY_H
#define LOSSGRAD_REGISTER_OP_DEF_FACTORY_H

#include "register/op_def.h"

namespace ops {

using OpDefCreator = std::function<OpDef(const char *)>;

class METADEF_FUNC_VISIBILITY OpDefFactory {
public:
  static int OpDefRegister(const char *name, OpDefCreator creator);

private:
  friend class lossgrad::OpDefReader;
  static std::vector<std::pair<ge::AscendString, OpDefCreator>> &all();
};

} // namespace ops

#endif // LOSSGRAD_REGISTER_OP_DEF_FACTORY_H
