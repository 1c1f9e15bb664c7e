// Names that C++ or the emitted code has already, and texts that would not stay texts.
// RUN: not lossgrad-tblgen -I %S/Inputs %s 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
// RUN: printf 'include "Tiny.td"\ndef Bytes : Tiny<"Bytes"> {\n  let summary = "a \377 b";\n  let results = (outs (neg $x):$y);\n}\n' > %t.td
// RUN: not lossgrad-tblgen -I %S/Inputs %t.td 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: :3:7: error: the summary is not valid UTF-8

include "Tiny.td"

class Named<string name, string input, string attribute> : Tiny<name> {
  let params = [In<input, Floats, ["n", "c"], "data">, Attr<attribute, "double", "a number">, Out<"y", Floats, ["n", "c"], "result">];
  let results = (outs (exp input):$y);
}
// CHECK-DAG: :10:{{17|56}}: error: 'class' cannot name a parameter: it is a keyword of C++
def Keyword : Named<"Keyword", "class", "a">;
// CHECK-DAG: :10:{{17|56}}: error: 'and' cannot name a parameter: it is a keyword of C++
def Alternative : Named<"Alternative", "x", "and">;
// CHECK-DAG: :10:{{17|56}}: error: 'NULL' cannot name a parameter: names begin with a small letter; capitals are for types and macros of the emitted code
def Macro : Named<"Macro", "NULL", "a">;
// CHECK-DAG: :10:{{17|56}}: error: 'int32_t' cannot name a parameter: the emitted code uses this name itself
def Type : Named<"Type", "x", "int32_t">;
// CHECK-DAG: :10:{{17|56}}: error: 'status' cannot name a parameter: the emitted code uses this name itself
def Emitted : Named<"Emitted", "x", "status">;
// CHECK-DAG: :10:{{17|56}}: error: '__x' cannot name a parameter: C++ keeps such names for itself
def Reserved : Named<"Reserved", "__x", "a">;
// CHECK-DAG: :10:{{17|56}}: error: 'grad_x' cannot name a parameter beside 'gradX': both are 'grad_x' in the definition of the operator, which has small letters only
def Case : Named<"Case", "gradX", "grad_x">;
// CHECK-DAG: :10:{{17|56}}: error: 'xTensor' cannot name a parameter beside 'x': the emitted code makes the longer name of the shorter
def Longer : Named<"Longer", "x", "xTensor">;
// CHECK-DAG: :10:{{17|56}}: error: 'xOptional' cannot name a parameter beside 'x': both are 'x' in the definition of the operator, which has small letters only
def Suffix : Named<"Suffix", "x", "xOptional">;
// CHECK-DAG: :10:{{17|56}}: error: 'workspace_size' cannot name a parameter beside 'workspaceSize': both are 'workspace_size' in the definition of the operator, which has small letters only
def Workspace : Named<"Workspace", "x", "workspace_size">;
// CHECK-DAG: :10:{{17|56}}: error: 'out' cannot name a parameter beside the output 'y': the toolkit calls a single output so
def Out : Named<"Out", "x", "out">;

def Result : Tiny<"Result"> {
  // CHECK-DAG: [[@LINE+1]]:7: error: 'nullptr' cannot name a result: it is a keyword of C++
  dag nullptr = (neg $x);
  let results = (outs (neg $nullptr):$y);
}

def Comment : Tiny<"Comment"> {
  // CHECK-DAG: [[@LINE+1]]:7: error: the summary contains '*/', which would begin or end a comment of the emitted code
  let summary = "ends here */ int x;";
  let results = (outs (neg $x):$y);
}
def Description : Tiny<"Description"> {
  // CHECK-DAG: [[@LINE+1]]:7: error: the description ends with a backslash, which would join two lines of the emitted code
  let description = "joined \\";
  let results = (outs (neg $x):$y);
}
def Doc : Tiny<"Doc"> {
  // CHECK-DAG: [[@LINE+1]]:17: error: the text of 'x' contains '/*', which would begin or end a comment of the emitted code
  let params = [In<"x", Floats, ["n", "c"], "data /*">, Out<"y", Floats, ["n", "c"], "result">];
  let results = (outs (neg $x):$y);
}
def Choices : Tiny<"Choices"> {
  let params = [In<"x", Floats, ["n", "c"], "data">,
    // CHECK-DAG: [[@LINE+1]]:5: error: a choice of 'how' is 'a"b'; expected printable ASCII without quotes and backslashes
    ChoiceAttr<"how", ["a\"b", "c"], "a word", "char *">, Out<"y", Floats, ["n", "c"], "result">];
  let results = (outs (neg $x):$y);
}
def Header : Tiny<"Header"> {
  // CHECK-DAG: [[@LINE+1]]:7: error: the header is '../../x.h'; expected letters, digits and underscores, without folder and ending
  let header = "../../x.h";
  let results = (outs (neg $x):$y);
}
def Message : Tiny<"Message"> {
  // CHECK-DAG: [[@LINE+1]]:17: error: the message contains '*/', which would begin or end a comment of the emitted code
  let checks = [Require<(eq (rank $x), 2), "rank */">];
  let results = (outs (neg $x):$y);
}
