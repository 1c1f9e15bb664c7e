//===- Dims.td - the named dimensions of an operator ----------------------===//
//
// The dims of an operator, declared in order from the outermost to the
// innermost. Shapes of parameters are lists of dim names. How dims are laid out
// in memory, split or merged is no business of a record.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_DIMS_TD
#define LOSSGRAD_DIMS_TD

/// Common base. `kind` is what the importer dispatches on.
class Dim<string n, string kind_> {
  string name = n;
  string kind = kind_;
  list<string> refs = []; // parameters and dims that the kind speaks of
}

/// Exactly one axis.
class Axis<string n> : Dim<n, "axis">;

/// Zero or more adjacent axes; how many is known only at run time.
class Pack<string n> : Dim<n, "pack">;

/// The broadcast shape of the named parameters. Inside it an operand may lack
/// leading axes or have extent 1.
class BroadcastPack<string n, list<string> of> : Dim<n, "broadcast"> {
  let refs = of;
}

/// The one axis that the int64_t attribute `attribute` points at (negative
/// values count from the end; a tensor of rank 0 counts as rank 1). The packs
/// declared before and after it take the remaining axes.
class SplitAt<string n, string attribute> : Dim<n, "split"> {
  let refs = [attribute];
}

/// Broadcast pack `pack` as the parameter `tensor` has it: extent 1 where the
/// tensor was broadcast. What `sum_onto` leaves.
class PartOf<string n, string pack, string tensor> : Dim<n, "part"> {
  let refs = [pack, tensor];
}
#endif
