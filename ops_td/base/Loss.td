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

/// The backward of a forward, with nothing else said: gradients for the named inputs of the forward (default: the first),
/// called `grad` and their name, from `gradOutput` or, of several outputs, `grad` and theirs; the forward's parameters
/// and its checks follow. Tensors over a broadcast pack broadcast, others have the shapes of their dims. Fields may be
/// changed with `let`.
class GradientOf<Loss forward, list<string> inputs = []> : BackwardOf<forward, forward.function # "Backward"> {
  let summary = "Gradient of " # forward.function # ".";
  let products = forward.products;
  let dims = forward.dims;
  defvar tensors = !foldl([]<Tensor>, forward.params, all, p, !if(!isa<Tensor>(p), all # [!cast<Tensor>(p)], all));
  defvar attributes = !foldl([]<Attr>, forward.params, all, p, !if(!isa<Attr>(p), all # [!cast<Attr>(p)], all));
  defvar ins = !filter(t, tensors, !not(t.output));
  defvar outs = !filter(t, tensors, t.output);
  defvar wanted = !if(!empty(inputs), [!head(ins).name], inputs);
  defvar wantedIns = !filter(t, ins, !ne(!size(!filter(w, wanted, !eq(w, t.name))), 0));
  let params = !foldl([]<Parameter>, outs, all, o, all # [!cast<Parameter>(In<Upstreams<o, outs>.name, o.dtypes, o.shape, "upstream gradient", o.full>)])
      # !foreach(t, ins, !cast<Parameter>(t)) # !foreach(a, attributes, !cast<Parameter>(a))
      # !foldl([]<Parameter>, wantedIns, all, t, all # [!cast<Parameter>(Out<Grad<t.name>.name, t.dtypes, t.shape, "gradient for " # t.name>)]);
  defvar upstreamNames = !foreach(o, outs, Upstreams<o, outs>.name);
  defvar required = upstreamNames # !foreach(t, !filter(t, ins, !not(t.optional)), t.name);
  defvar packs = !foreach(d, !filter(d, forward.dims, !eq(d.kind, "broadcast")), d.name);
  defvar fixed = !foreach(t, !filter(t, ins, !and(!not(t.optional), !empty(!filter(s, t.shape, !not(!empty(!filter(p, packs, !eq(p, s)))))))), t.name);
  defvar results_ = !foreach(t, wantedIns, Grad<t.name>.name);
  let checks = [ArgPointers, NullCheck<required # results_>, ProductCheck, DtypeCheck<required # results_>, RankAtMost<8, required>]
      # !foreach(a, !filter(a, attributes, !not(!empty(a.choices))), ChoiceCheck<a.name, a.choices>)
      # [DeclaredShape<fixed # results_>] # forward.checks # [DoneIf<(empty !head(results_))>];
  let upstream = !foreach(o, outs, Upstream<o.name, !dag(value, [?]<int>, [Upstreams<o, outs>.name])>);
  let gradients = !foreach(t, wantedIns, Gradient<t.name, Grad<t.name>.name>);
}
#endif
