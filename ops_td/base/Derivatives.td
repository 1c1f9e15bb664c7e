//===- Derivatives.td - rules of differentiation --------------------------===//
//
// What the adjoint of a result makes of the adjoints of operands, one rule per
// operator. A function with a rule is differentiated by it, one without by its
// body. Ops over dims, choices and conversions are differentiated in C++; what
// is done there stands at the end in words. docs/derivation.md has the table
// that lossgrad-tblgen --list-derivatives prints of this.
// At a kink, where there is no derivative, each operator has one convention,
// PyTorch's for the operator of the same name.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DERIVATIVES_TD
#define LOSSGRAD_DERIVATIVES_TD

include "Formula.td"

def none; // (none): no gradient flows to the operand

/// `$g` is the adjoint of the result and `$r` the result; one dag per operand.
class Derivative<FormulaOperator op_, list<string> operands_, list<dag> adjoints_, string atKink_ = ""> {
  FormulaOperator op = op_;
  list<string> operands = operands_;
  list<dag> adjoints = adjoints_;
  string atKink = atKink_; // the convention, for the page of rules
  // Not the derivative of the function: its value is the first operand's, and the gradient flows as it is to the operands
  // that have an adjoint. Differences of a forward hold on to such values.
  bit redirects = 0;
}
class Redirect<FormulaOperator op, list<string> operands, list<dag> adjoints> : Derivative<op, operands, adjoints> {
  let redirects = 1;
}

/// What lossgrad-differentiate does with an operator over dims or of conditions, for the table of rules; such rules are not
/// formulas of the operands alone.
class BuiltInRule<FormulaOperator op_, string adjoints_, string atKink_ = ""> {
  FormulaOperator op = op_;
  string adjoints = adjoints_;
  string atKink = atKink_;
}

//===- Ops ----------------------------------------------------------------===//

def : Derivative<add, ["x", "y"], [(value $g), (value $g)]>;
def : Derivative<sub, ["x", "y"], [(value $g), (neg $g)]>;
def : Derivative<mul, ["x", "y"], [(mul $g, $y), (mul $g, $x)]>;
def : Derivative<div, ["x", "y"], [(div $g, $y), (neg (div (mul $g, $r), $y))]>;
def : Derivative<neg, ["x"], [(neg $g)]>;
def : Derivative<exp, ["x"], [(mul $g, $r)]>;
def : Derivative<log, ["x"], [(div $g, $x)]>;
def : Derivative<sqrt, ["x"], [(div $g, (mul 2, $r))], "infinite at 0">;
def : Derivative<pow, ["x", "y"], [(select (eq $y, 0), 0, (mul $g, $y, (pow $x, (sub $y, 1)))),
                                   (select (and (eq $x, 0), (ge $y, 0)), 0, (mul $g, $r, (log $x)))], "0 for exponent 0">;
def : Derivative<abs, ["x"], [(mul $g, (sign $x))], "0 at 0">;
def : Derivative<sign, ["x"], [(none)], "0">;
def : Derivative<min, ["x", "y"], [(select (lt $x, $y), $g, (select (eq $x, $y), (mul "0.5", $g), 0)),
                                   (select (gt $x, $y), $g, (select (eq $x, $y), (mul "0.5", $g), 0))], "half each where both are equal">;
def : Derivative<max, ["x", "y"], [(select (gt $x, $y), $g, (select (eq $x, $y), (mul "0.5", $g), 0)),
                                   (select (lt $x, $y), $g, (select (eq $x, $y), (mul "0.5", $g), 0))], "half each where both are equal">;
def : Derivative<clamp, ["x", "low", "high"], [(select (and (ge $x, $low), (le $x, $high)), $g, 0), (none), (none)], "passes at both bounds; 0 for NaN; none for the bounds">;

//===- Functions ----------------------------------------------------------===//

def : Derivative<relu, ["x"], [(select (gt $x, 0), $g, 0)], "0 at 0">;
def : Derivative<clamp_min, ["x", "low"], [(select (ge $x, $low), $g, 0), (select (lt $x, $low), $g, 0)], "passes at the bound">;
def : Derivative<clamp_max, ["x", "high"], [(select (le $x, $high), $g, 0), (select (gt $x, $high), $g, 0)], "passes at the bound">;
def : Redirect<stop, ["x"], [(none)]>;
def : Redirect<pass, ["x", "to"], [(none), (value $g)]>;
// r (1 - r) would cancel for large x.
def : Derivative<sigmoid, ["x"], [(mul $g, $r, (sigmoid (neg $x)))]>;
def : Derivative<softplus, ["x"], [(mul $g, (sigmoid $x))]>;
def : Derivative<log_sigmoid, ["x"], [(mul $g, (sigmoid (neg $x)))]>;
def : Derivative<log1p, ["x"], [(div $g, (add 1, $x))]>;
def : Derivative<expm1, ["x"], [(mul $g, (exp $x))]>;
// 1 - r * r would cancel for large x.
def : Derivative<tanh, ["x"], [(mul 4, $g, (sigmoid (mul 2, $x)), (sigmoid (mul -2, $x)))]>;
def : Derivative<erf, ["x"], [(mul "1.1283791670955126", $g, (exp (neg (mul $x, $x))))]>;
def : Derivative<logsumexp, ["x", "d"], [(mul $g, (exp (sub $x, $r))), (none)]>;

//===- In C++ -------------------------------------------------------------===//

def : BuiltInRule<select, "g where its side is taken, else 0; none for the condition">;
def : BuiltInRule<sum, "g along the dims">;
def : BuiltInRule<reduce_max, "g divided by how many are the largest, where they are", "shared by all that are largest">;
def : BuiltInRule<reduce_min, "g divided by how many are the smallest, where they are", "shared by all that are smallest">;
def : BuiltInRule<gather, "g at the index, else 0; none for the index, nor for the other value">;
def : BuiltInRule<finish, "of `reduced`: g, for mean divided by the count; none for the count">;
def : BuiltInRule<to_real, "none: conditions and ints have no gradient">;
#endif
