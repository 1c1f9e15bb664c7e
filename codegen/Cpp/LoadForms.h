//===- LoadForms.h - The forms of tiles, as emitted text --------*- C++ -*-===//
//
// The one text of the enum that the emitted host and device headers both define:
// the host writes the numbers, kernels read them. They are those of
// passes/Schedules.h. A macro, since it stands between string literals.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_CODEGEN_CPP_LOADFORMS_H
#define LOSSGRAD_CODEGEN_CPP_LOADFORMS_H

// clang-format off
#define LOSSGRAD_LOAD_FORMS \
  "/* How a tensor lies in a tile of rows and lanes. */\n" \
  "enum LoadForm : int32_t {\n" \
  "    DENSE = 0,        // rows of adjacent elements, one copy\n" \
  "    ROW_BY_ROW = 1,   // the same, one copy per row\n" \
  "    REPEAT_ROWS = 2,  // one row for all\n" \
  "    REPEAT_LANES = 3, // one element per row, adjacent\n" \
  "    SINGLE = 4,       // one element for the tile\n" \
  "    STRIDED = 5,      // elements with a gap\n" \
  "    STRIDED_ROWS = 6, // one element per row, with a gap\n" \
  "    ABSENT = 7,       // an input that the call leaves out: zeros\n" \
  "    PACKED = 8        // one run, in which rows follow each other or lie in turn\n" \
  "};\n"
// clang-format on

#endif // LOSSGRAD_CODEGEN_CPP_LOADFORMS_H
