//===- Dtypes.td - which element types a parameter takes, per family ------===//
//
// A dtype set is a table from product families to element types, because the
// same parameter takes bfloat16 on one product and not on another. A family
// that an operator supports and a set of one of its parameters leaves out is an
// error of the record. Element types and families themselves are target data
// (targets/Target.td), not repeated here.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DTYPES_TD
#define LOSSGRAD_DTYPES_TD

include "targets/Targets.td"

/// Element types on the named families.
class DtypesOn<list<Family> on, list<Dtype> types> {
  list<Family> families = on;
  list<Dtype> dtypes = types;
}

/// The whole table of one parameter.
class DtypeSet<list<DtypesOn> rows_> {
  list<DtypesOn> rows = rows_;
}

defvar AllFamilies = [A950, A3, A2, A310P, A910];
defvar Bf16Families = [A950, A3, A2];

/// The same types on every family.
class Everywhere<list<Dtype> types> : DtypeSet<[DtypesOn<AllFamilies, types>]>;

/// Floating-point data: bfloat16 only where the family has it.
def Floats : DtypeSet<[DtypesOn<Bf16Families, [Float32, Float16, Bfloat16]>,
                       DtypesOn<[A310P, A910], [Float32, Float16]>]>;
def OnlyFloat32 : Everywhere<[Float32]>;
def ClassIndices : Everywhere<[Int64, Int32, UInt8]>;
#endif
