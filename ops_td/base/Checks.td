//===- Checks.td - the validation steps of a contract ---------------------===//
//
// What phase 1 of a call tests, in order, with the status code of each failure.
// A kind of check is a record class over formula operators: to add one, write a
// class that lists its steps. Nothing here is known to C++.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CHECKS_TD
#define LOSSGRAD_CHECKS_TD

include "Formula.td"

/// Status codes of the aclnn interface that a contract may return.
defvar ParamNullptr = 161001;
defvar ParamInvalid = 161002;
defvar InnerTilingError = 561002;
defvar InnerFindKernelError = 561003;

/// One test. It runs if `when` holds; if it then finds `require` false,
/// phase 1 ends with `status` and logs the message, with the values in the
/// places {0}, {1}, ... A `done` step ends phase 1 with success if `require` is
/// true.
class Step<dag require_, int status_, string message_, list<dag> values_ = []> {
  dag require = require_;
  int status = status_;
  string message = message_;
  list<dag> values = values_;
  list<dag> when = []; // at most one
  bit done = 0;
}

/// An element of `checks`: a group of steps.
class Check<list<Step> steps_> {
  list<Step> steps = steps_;
}

/// Any condition, where no class below says it better.
class Require<dag condition, string message, list<dag> values = [], int status = ParamInvalid>
    : Check<[Step<condition, status, message, values>]>;

/// Success without a launch, e.g. for empty tensors.
class Done<dag condition> : Step<condition, 0, ""> {
  let done = 1;
}
class DoneIf<dag condition> : Check<[Done<condition>]>;

//===- Wrappers -----------------------------------------------------------===//

class Group<list<Check> checks> : Check<!foldl([]<Step>, checks, all, c, all # c.steps)>;

class Guarded<Step s, dag condition> : Step<s.require, s.status, s.message, s.values> {
  let when = [!if(!empty(s.when), condition, (and condition, !head(s.when)))];
  let done = s.done;
}
class Recoded<Step s, int newStatus> : Step<s.require, newStatus, s.message, s.values> {
  let when = s.when;
}

/// The checks, only where the condition holds.
class When<dag condition, list<Check> checks> : Check<!foreach(s, Group<checks>.steps, Guarded<s, condition>)>;

/// The checks, only on the named families.
class On<list<Family> families, list<Check> checks> : When<!dag(on_family, families, ?), checks>;

/// The checks of an optional tensor, only where it is given.
class IfPresent<string tensor, list<Check> checks> : When<(present tensor), checks>;

/// The checks with another status code.
class Status<int status, list<Check> checks> : Check<!foreach(s, Group<checks>.steps, Recoded<s, status>)>;

//===- Pointers and products ----------------------------------------------===//

class NullCheck<list<string> names>
    : Check<!foreach(n, names, Step<(present n), ParamNullptr, n # " must not be null">)>;

/// The two pointers that every phase-1 function takes.
def ArgPointers : NullCheck<["workspaceSize", "executor"]>;

/// The product is one of the operator's.
def ProductCheck : Require<(on_supported_family), "the operator does not support this product", [], InnerFindKernelError>;

//===- Element types ------------------------------------------------------===//

/// The dtype is in the tensor's own set for the product.
class DtypeCheck<list<string> names>
    : Check<!foreach(n, names, Step<(dtype_in (dtype n), n), ParamInvalid,
                                    "dtype of " # n # " is {0}, which it does not take on this product", [(dtype n)]>)>;

class SameDtype<string reference, list<string> names>
    : Check<!foreach(n, names, Step<(eq (dtype n), (dtype reference)), ParamInvalid,
                                    "dtype of " # n # " is {0}, must be {1} as for " # reference, [(dtype n), (dtype reference)]>)>;

class CastableTo<string from, string to>
    : Check<[Step<(castable (dtype from), (dtype to)), ParamInvalid,
                  "dtype of " # from # ", {0}, cannot be cast to that of " # to # ", {1}", [(dtype from), (dtype to)]>]>;

/// The inputs promote to one dtype, which is supported and castable to `out`'s.
class PromotionCheck<list<string> inputs, string out> : Check<[]> {
  defvar names = !interleave(inputs, ", ");
  defvar promoted = !foldl((dtype !head(inputs)), !tail(inputs), all, n, (promote all, (dtype n)));
  let steps = [
    Step<(defined promoted), ParamInvalid, "dtypes of " # names # " do not promote to one dtype">,
    Step<(dtype_in promoted, !head(inputs)), ParamInvalid, "promoted dtype of " # names # " is {0}, not supported on this product", [promoted]>,
    Step<(castable promoted, (dtype out)), ParamInvalid,
         "promoted dtype of " # names # ", {0}, cannot be cast to that of " # out # ", {1}", [promoted, (dtype out)]>];
}

class SameFormat<string reference, list<string> names>
    : Check<!foreach(n, names, Step<(eq (format n), (format reference)), ParamInvalid,
                                    "format of " # n # " is {0}, must be {1} as for " # reference, [(format n), (format reference)]>)>;

//===- Shapes -------------------------------------------------------------===//

class RankAtMost<int limit, list<string> names>
    : Check<!foreach(n, names, Step<(le (rank n), limit), ParamInvalid, "rank of " # n # " is {0}, must be at most " # limit, [(rank n)]>)>;

class RankIs<int r, list<string> names>
    : Check<!foreach(n, names, Step<(eq (rank n), r), ParamInvalid, "rank of " # n # " is {0}, must be " # r, [(rank n)]>)>;

class NumelIs<int count, list<string> names>
    : Check<!foreach(n, names, Step<(eq (numel n), count), ParamInvalid, n # " has {0} elements, must have " # count, [(numel n)]>)>;

class SameShape<string reference, list<string> names>
    : Check<!foreach(n, names, Step<(eq (shape n), (shape reference)), ParamInvalid,
                                    "shape of " # n # " is {0}, must be {1} as for " # reference, [(shape n), (shape reference)]>)>;

/// The shape is the one that the declaration of the tensor gives.
class DeclaredShape<list<string> names>
    : Check<!foreach(n, names, Step<(eq (shape n), (declared_shape n)), ParamInvalid,
                                    "shape of " # n # " is {0}, must be {1}", [(shape n), (declared_shape n)]>)>;

/// One element in a tensor of rank 0 or 1.
class OneElement<string n> : Group<[RankAtMost<1, [n]>, NumelIs<1, [n]>]>;

/// Axis axes[i] of `n` is as long as axis of[i] of `reference`; negative axes
/// count from the end.
class AxesEqual<string n, list<int> axes, string reference, list<int> of>
    : Check<!foreach(i, !range(axes), Step<(eq (extent n, axes[i]), (extent reference, of[i])), ParamInvalid,
                                           "axis " # axes[i] # " of " # n # " has {0} elements, must have {1} as axis " # of[i] # " of " # reference,
                                           [(extent n, axes[i]), (extent reference, of[i])]>)>;

/// One element per row of `reference` where the attribute says "none", else one
/// element.
class PerRowOrOne<string n, string reference, string attribute = "reductionOptional">
    : Group<[When<(is attribute, "none"), [RankIs<1, [n]>, AxesEqual<n, [0], reference, [0]>]>,
             When<(not (is attribute, "none")), [OneElement<n>]>]>;

/// The common shape, from left to right.
class BroadcastShape<list<string> names> {
  dag value = !foldl((shape !head(names)), !tail(names), all, n, (broadcast all, (shape n)));
}

/// The shapes broadcast.
class BroadcastCheck<list<string> names>
    : Check<[Step<(defined BroadcastShape<names>.value), ParamInvalid,
                  "shapes of " # !interleave(names, ", ") # " do not broadcast: " # !interleave(!foreach(i, !range(names), "{" # i # "}"), ", "),
                  !foreach(n, names, (shape n))>]>;

/// `n` has the broadcast shape of the inputs.
class BroadcastShapeIs<list<string> inputs, string n> : Check<[]> {
  defvar expected = BroadcastShape<inputs>.value;
  let steps = [Step<(eq (shape n), expected), ParamInvalid,
                    "shape of " # n # " is {0}, must be {1}, the broadcast of " # !interleave(inputs, ", "), [(shape n), expected]>];
}

/// `n` broadcasts to the broadcast shape of the others without enlarging it.
class BroadcastsInto<string n, list<string> others> : Check<[]> {
  defvar expected = BroadcastShape<others>.value;
  let steps = [Step<(eq (broadcast expected, (shape n)), expected), ParamInvalid,
                    "shape of " # n # ", {0}, does not broadcast to {1}, that of " # !interleave(others, " and "), [(shape n), expected]>];
}

class DenseCheck<list<string> names> : Check<!foreach(n, names, Step<(dense n), ParamInvalid, n # " must be contiguous">)>;

/// The output is the same memory as the input, element by element, or they share none.
class InPlaceCheck<string output, string input>
    : Check<[Step<(same_or_apart output, input), ParamInvalid,
                  output # " overlaps " # input # ", but is not the same memory with the same dtype, shape and strides">]>;

//===- Attributes ---------------------------------------------------------===//

/// The attribute has one of its choices.
class ChoiceTest<string n, list<string> names, string expected>
    : Check<[Step<!foldl((is n, !head(names)), !tail(names), all, c, (or all, (is n, c))), ParamInvalid,
                  n # " is {0}, must be one of " # expected, [(attr n)]>]>;
class ChoiceCheck<string n, list<string> names>
    : ChoiceTest<n, names, !interleave(!foreach(i, !range(names), i # " (" # names[i] # ")"), ", ")>;
class StringChoiceCheck<string n, list<string> names> : ChoiceTest<n, names, !interleave(names, ", ")>;

/// Bounds are decimal strings; NaN fails.
class AttrAtLeast<string n, string low>
    : Check<[Step<(ge (attr n), low), ParamInvalid, n # " is {0}, must be at least " # low, [(attr n)]>]>;
class AttrRange<string n, string low, string high>
    : Check<[Step<(and (ge (attr n), low), (le (attr n), high)), ParamInvalid,
                  n # " is {0}, must be in [" # low # ", " # high # "]", [(attr n)]>]>;

/// Finite as a float, which is what a kernel gets.
class AttrFinite<string n>
    : Check<[Step<(le (abs (attr n)), "3.4028234663852886e38"), ParamInvalid, n # " is {0}, must be finite", [(attr n)]>]>;

/// In [-rank, rank) of the tensor, where rank 0 counts as 1.
class AttrIsAxis<string n, string tensor>
    : Check<[Step<(and (ge (attr n), (neg (max (rank tensor), 1))), (lt (attr n), (max (rank tensor), 1))), ParamInvalid,
                  n # " is {0}, must be an axis of " # tensor # " of rank {1}, from -rank to rank - 1", [(attr n), (rank tensor)]>]>;
#endif
