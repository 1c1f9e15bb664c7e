//===- Params.td - the parameters of an operator, in C order --------------===//
//
// Inputs, attributes and outputs as the caller of the aclnn function sees them.
// The trailing `uint64_t *workspaceSize, aclOpExecutor **executor` belong to
// every operator and are not declared.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_PARAMS_TD
#define LOSSGRAD_PARAMS_TD

include "Dtypes.td"

class Parameter<string n, string text, string type> {
  string name = n;
  string doc = text;
  string cType = type;
}

def always; // the condition that needs no test

//===- Tensors ------------------------------------------------------------===//

/// `dims` is the shape, from the outermost dim in; an empty list means one
/// element at any rank. With `full` given, `(is $attribute, "choice")` or its
/// `not`, the shape holds only there and the tensor has one element otherwise.
class Tensor<string n, DtypeSet types, list<string> dims, string text, string type> : Parameter<n, text, type> {
  DtypeSet dtypes = types;
  list<string> shape = dims;
  dag full = (always);
  bit flat = !empty(dims); // only the element count matters, at any rank
  bit output = 0;
  bit optional = 0;
  bit unread = 0;
  string inPlaceOf = "";
}

class In<string n, DtypeSet types, list<string> dims, string text, dag fullIf = (always)>
    : Tensor<n, types, dims, text, "const aclTensor *"> {
  let full = fullIf;
}

/// May be null. Formulas read it only under `(select (present $n), ...)`.
class OptionalIn<string n, DtypeSet types, list<string> dims, string text, dag fullIf = (always)>
    : In<n, types, dims, text, fullIf> {
  let optional = 1;
}

/// An input of any rank with as many elements as the dims say.
class FlatIn<string n, DtypeSet types, list<string> dims, string text> : In<n, types, dims, text> {
  let flat = 1;
}

/// An input whose elements no formula reads: only its shape matters, or only
/// the vendor's signature has it.
class UnreadIn<string n, DtypeSet types, list<string> dims, string text> : In<n, types, dims, text> {
  let unread = 1;
}

class Out<string n, DtypeSet types, list<string> dims, string text, dag fullIf = (always)> : Tensor<n, types, dims, text, "aclTensor *"> {
  let output = 1;
  let full = fullIf;
}

/// An output that may be handed over as the same memory as an input of the same dims: kernels have read an element before
/// they store to it. `checks` must have an `InPlaceCheck`.
class InPlaceOut<string n, DtypeSet types, list<string> dims, string text, string input> : Out<n, types, dims, text> {
  let inPlaceOf = input;
}

// Signatures are the vendor's, and the vendor is not consistent about const.
class MutableIn<string n, DtypeSet types, list<string> dims, string text> : In<n, types, dims, text> {
  let cType = "aclTensor *";
}
class ConstOut<string n, DtypeSet types, list<string> dims, string text> : Out<n, types, dims, text> {
  let cType = "const aclTensor *";
}

//===- Attributes ---------------------------------------------------------===//

/// A plain attribute: int64_t, float, double or bool. `defaultValue` is for
/// documents and graph-level definitions; the C caller always passes a value.
class Attr<string n, string type, string text, string defaultValue_ = ""> : Parameter<n, text, type> {
  string defaultValue = defaultValue_;
  list<string> choices = [];
}

/// An attribute with named values. In formulas it is an int: the position in the
/// list, whatever the C type; `(is $n, "mean")` tests for one of the names.
class ChoiceAttr<string n, list<string> names, string text, string type, string defaultValue_ = "">
    : Attr<n, type, text, defaultValue_> {
  let choices = names;
}

/// The reduction of the forward loss as an int64_t: 0, 1, 2, ...
class ReductionAttr<list<string> names, string n = "reduction">
    : ChoiceAttr<n, names, "reduction of the forward loss: " # !interleave(!foreach(i, !range(names), i # " " # names[i]), ", "), "int64_t", "mean">;

/// The reduction as a string; a null pointer means mean.
class StringReductionAttr<list<string> names, string n = "reductionOptional">
    : ChoiceAttr<n, names, "reduction of the forward loss: " # !interleave(names, ", ") # "; null means mean", "char *", "mean">;
#endif
