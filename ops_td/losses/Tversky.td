// Tversky index of a segmentation: like Dice, with weights for false positives and false negatives.
include "Base.td"

def Tversky : Loss<"Tversky"> {
  let dims = [Axis<"n">, Pack<"s">];
  let params = [In<"self", Floats, ["n", "s"], "logits">, In<"target", Floats, ["n", "s"], "labels from 0 to 1">,
                Attr<"alpha", "float", "weight of false positives", "0.3">, Attr<"beta", "float", "weight of false negatives", "0.7">,
                Attr<"smooth", "float", "keeps the quotient finite, > 0", "1.0">, Out<"loss", Floats, ["n"], "1 - index">];
  dag p = (sigmoid $self);
  dag hits = (sum (mul $p, $target), $s);
  dag misses = (add (mul $alpha, (sum (mul $p, (sub 1, $target)), $s)), (mul $beta, (sum (mul (sub 1, $p), $target), $s)));
  let results = (outs (sub 1, (div (add $hits, $smooth), (add $hits, $misses, $smooth))):$loss);
}
