//===- Loss.td - forwards, and gradients derived from them ----------------===//
//
// A forward says what a loss is; an operator that is the backward of one says
// which gradients it gives and what it is handed, and its formulas are derived
// (docs/derivation.md). Nothing here differentiates: the rules are data in
// Derivatives.td, the passes do the rest.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_LOSS_TD
#define LOSSGRAD_LOSS_TD

include "Derivatives.td"

/// What a gradient flows through instead of the formula of a result: `adjoints` as in a Derivative, from `$g`, `$r` and
/// the named operands.
class Override<string result_, list<string> operands_, list<dag> adjoints_> {
  string result = result_;
  list<string> operands = operands_;
  list<dag> adjoints = adjoints_;
}

/// The forward of a loss. Fields are those of an operator; only dims, params, results and intermediate results matter to
/// a derivation.
class Loss<string functionName> : LossBackward<functionName> {
  let summary = "Forward of " # functionName # ".";
  let products = [A950, A3, A2];
  list<Override> overrides = [];
}

/// A forward of inputs that broadcast against each other: `perElement` is the loss of an element, which the attribute
/// `reduction` leaves as it is, sums up, or divides by the count.
class ElementwiseLoss<string functionName, list<string> inputs, list<Attr> attributes = []> : Loss<functionName> {
  let dims = [BroadcastPack<"b", inputs>];
  let params = !foreach(i, inputs, !cast<Parameter>(In<i, Floats, ["b"], i>)) # !foreach(a, attributes, !cast<Parameter>(a)) # [
    ReductionAttr<["none", "mean", "sum"]>, Out<"loss", Floats, ["b"], "loss", (is $reduction, "none")>];
  dag perElement;
  let results = (outs (reduced $perElement, (numel $b)):$loss);
}

/// The upstream gradient of an output of the forward, as a formula over parameters of the operator.
class Upstream<string output_, dag gradient_> {
  string output = output_;
  dag gradient = gradient_;
}

/// `gradSelf` for `self`.
class Grad<string n> {
  string name = "grad" # !toupper(!substr(n, 0, 1)) # !substr(n, 1);
}
class Upstreams<Tensor output, list<Tensor> all> {
  string name = !if(!eq(!size(all), 1), "gradOutput", Grad<output.name>.name);
}

/// The gradient for an input of the forward. An output over a part of a broadcast pack gets the sum onto it, an output
/// over the pack the gradient in the broadcast shape.
class Gradient<string input_, string output_> {
  string input = input_;
  string output = output_;
}

/// An intermediate result of the forward that the caller hands over. As it is `trusted`, what follows from its
/// definition is used; otherwise it is taken as given.
class Saved<string result_, string param_, bit trusted_ = 0> {
  string result = result_;
  string param = param_;
  bit trusted = trusted_;
}

/// The operator that computes gradients of a forward. Dims, params and checks are its own, under the names that the
/// forward uses. `results` is derived unless it is written by hand.
class BackwardOf<Loss forward_, string functionName> : LossBackward<functionName> {
  Loss forward = forward_;
  list<Upstream> upstream;
  list<Gradient> gradients;
  list<Saved> saved = [];
}

/// The gradient for an input, of its dims.
class GradientOut<Tensor of, bit overwrites> : Out<Grad<of.name>.name, of.dtypes, of.shape, "gradient for " # of.name> {
  let inPlaceOf = !if(overwrites, of.name, "");
}

/// Whether the dims of a tensor hold under a condition only.
class IsConditional<Tensor t> {
  bit value = !ne(!cast<string>(!getdagop(t.full)), "always");
}
/// What its declaration says of the dtype and rank of a tensor.
class TensorChecks<Tensor t> : Check<[]> {
  defvar both = [DtypeCheck<[t.name]>, RankAtMost<8, [t.name]>];
  let steps = Group<!if(t.optional, [!cast<Check>(IfPresent<t.name, both>)], !foreach(c, both, !cast<Check>(c)))>.steps;
}
/// And of its shape; tensors that a broadcast is made of are left to that.
class ShapeChecks<Tensor t, list<string> broadcast> : Check<[]> {
  defvar own = !if(!empty(t.shape), !cast<Check>(NumelIs<1, [t.name]>), !cast<Check>(DeclaredShape<[t.name]>));
  defvar byCase = !if(IsConditional<t>.value,
                      Group<[When<t.full, [own]>, When<!dag(not, [t.full], [?]<string>), [NumelIs<1, [t.name]>]>]>.steps, own.steps);
  let steps = !if(!empty(!filter(b, broadcast, !eq(b, t.name))), !if(t.optional, When<(present t.name), [!cast<Check>(Check<byCase>)]>.steps, byCase), []);
}

/// The inputs of a broadcast pack broadcast against each other, those that may be absent where they are there. What goes
/// together in pairs goes together as a whole.
class PackCheck<list<string> refs, list<string> optionals> : Check<[]> {
  defvar required = !filter(r, refs, !empty(!filter(o, optionals, !eq(o, r))));
  defvar others = !filter(r, refs, !not(!empty(!filter(o, optionals, !eq(o, r)))));
  defvar firsts = !range(others);
  defvar pairs = !foldl([]<Check>, firsts, before, i, before # !foreach(j, !range(!add(i, 1), !size(others)),
      !cast<Check>(IfPresent<others[i], [IfPresent<others[j], [BroadcastCheck<[others[i], others[j]]>]>]>)));
  let steps = Group<[!cast<Check>(BroadcastCheck<required>)] # !foreach(o, others, !cast<Check>(IfPresent<o, [BroadcastCheck<required # [o]>]>)) # pairs>.steps;
}

/// All that declarations of tensors say, and that the pointers are there.
class DeclaredChecks<list<Tensor> tensors, list<string> broadcast = []> {
  defvar required = !foreach(t, !filter(t, tensors, !not(t.optional)), t.name);
  list<Check> all = [ArgPointers, NullCheck<required>, ProductCheck] # !foreach(t, tensors, TensorChecks<t>)
      # !foreach(t, tensors, ShapeChecks<t, broadcast>);
}

/// The backward of a forward, with nothing else said: gradients for the named inputs of the forward (default: the first),
/// called `grad` and their name, from `gradOutput` or, of several outputs, `grad` and theirs; the forward's parameters
/// and its checks follow. Tensors over a broadcast pack broadcast, others have the shapes of their dims. Outputs of the
/// forward that are results which it `saves` come without upstream gradient, and are handed over. Gradients for inputs
/// that are `overwritten` may be the same memory as these. Fields may be changed with `let`.
class GradientOf<Loss forward, list<string> inputs = [], list<Saved> saves = [], list<string> overwritten = []> : BackwardOf<forward, forward.function # "Backward"> {
  let summary = "Gradient of " # forward.function # ".";
  let products = forward.products;
  let dims = forward.dims;
  defvar tensors = !foldl([]<Tensor>, forward.params, all, p, !if(!isa<Tensor>(p), all # [!cast<Tensor>(p)], all));
  defvar attributes = !foldl([]<Attr>, forward.params, all, p, !if(!isa<Attr>(p), all # [!cast<Attr>(p)], all));
  defvar ins = !filter(t, tensors, !not(t.output));
  defvar givenOuts = !filter(t, tensors, t.output);
  defvar outs = !filter(t, givenOuts, !empty(!filter(s, saves, !eq(s.param, t.name))));
  defvar handed = !filter(t, givenOuts, !not(!empty(!filter(s, saves, !eq(s.param, t.name)))));
  let saved = saves;
  defvar wanted = !if(!empty(inputs), [!head(ins).name], inputs);
  defvar wantedIns = !filter(t, ins, !ne(!size(!filter(w, wanted, !eq(w, t.name))), 0));
  defvar upstreamIns = !foreach(o, outs, In<Upstreams<o, outs>.name, o.dtypes, o.shape, "upstream gradient", o.full>);
  defvar handedIns = !foreach(o, handed, In<o.name, o.dtypes, o.shape, o.doc, o.full>);
  defvar gradientOuts = !foreach(t, wantedIns, GradientOut<t, !not(!empty(!filter(o, overwritten, !eq(o, t.name))))>);
  defvar all = !foreach(t, upstreamIns, !cast<Tensor>(t)) # ins # !foreach(t, handedIns, !cast<Tensor>(t)) # !foreach(t, gradientOuts, !cast<Tensor>(t));
  let params = !foldl([]<Parameter>, all, before, t, !if(t.output, before, before # [!cast<Parameter>(t)]))
      # !foreach(a, attributes, !cast<Parameter>(a)) # !foreach(t, gradientOuts, !cast<Parameter>(t));
  defvar required = !foreach(t, !filter(t, all, !not(t.optional)), t.name);
  defvar packs = !filter(d, forward.dims, !eq(d.kind, "broadcast"));
  defvar splits = !filter(d, forward.dims, !eq(d.kind, "split"));
  defvar broadcastIns = !foldl([]<string>, packs, names, d, names # d.refs);
  let checks = [ArgPointers, NullCheck<required>, ProductCheck]
      # !foreach(t, all, TensorChecks<t>)
      # !foreach(d, packs, PackCheck<d.refs, !foreach(t, !filter(t, ins, t.optional), t.name)>)
      # !foreach(a, !filter(a, attributes, !not(!empty(a.choices))), ChoiceCheck<a.name, a.choices>)
      # !foreach(d, splits, AttrIsAxis<!head(d.refs), !head(!filter(t, ins, !not(!empty(!filter(s, t.shape, !eq(s, d.name)))))).name>)
      # !foreach(t, all, ShapeChecks<t, broadcastIns>) # !foreach(t, !filter(t, gradientOuts, !not(!empty(t.inPlaceOf))), InPlaceCheck<t.name, t.inPlaceOf>)
      # forward.checks # !if(!empty(gradientOuts), [], [!cast<Check>(DoneIf<(empty !head(gradientOuts).name)>)]);
  let upstream = !foreach(o, outs, Upstream<o.name, !dag(value, [?]<int>, [Upstreams<o, outs>.name])>);
  let gradients = !foreach(w, wanted, Gradient<w, Grad<w>.name>);
}

//===- Composition --------------------------------------------------------===//

def args; // (args (formula):$parameter, ...)

/// What a dim of a part is here; a pack may be several dims that lie side by side.
class As<string dim_, list<string> here_> {
  string dim = dim_;
  list<string> here = here_;
}

/// An operator as a function: its outputs are results called `results`, in C order. `arguments` says what its inputs and
/// attributes are, formulas over parameters here and results of parts before it; what is not listed is the parameter of
/// the same name. `dims` says so of dims.
class Part<LossBackward operator_, list<string> results_, dag arguments_ = (args), list<As> dims_ = []> {
  LossBackward operator = operator_;
  list<string> results = results_;
  dag arguments = arguments_;
  list<As> dims = dims_;
}

/// An operator that is made of others, in one body: dims, params and checks are its own, formulas may read the results of
/// its parts.
class Composed<string functionName> : LossBackward<functionName> {
  list<Part> parts;
}
#endif
