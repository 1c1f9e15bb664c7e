// What only the dialect refuses: a message that shows a value it does not have.
include "Tiny.td"

def Unverified : Tiny<"Unverified"> {
  let results = (outs (neg $x):$y);
  // The importer does not read messages.
  let checks = [
    ArgPointers, Require<(eq (rank $x), 2), "rank is {1}", [(rank $x)]>];
}
