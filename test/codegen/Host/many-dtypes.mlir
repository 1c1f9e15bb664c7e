// RUN: lossgrad-translate --mlir-to-opdef %s | FileCheck %s --check-prefix=DEF
// RUN: lossgrad-translate --mlir-to-aclnn %s | FileCheck %s --check-prefix=API
// RUN: lossgrad-translate --mlir-to-proto %s | FileCheck %s --check-prefix=PROTO
// Nine tensors of three dtypes each would be 19683 rows. A definition does not list them: it has one row per dtype for graphs, and one of bytes
// for the public function, which says in an attribute what the bytes are.

// DEF: const lossgrad::definition::AlignedRows rows({
// DEF-COUNT-9: {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16}, // {{(x[0-7]|out)$}}
// DEF-NEXT: });
// DEF: this->Attr("strides").AttrType(OPTIONAL).ListInt({});
// DEF: this->Attr("shapes").AttrType(OPTIONAL).ListInt({});

// API: aclIntArray *strides = StrideList().Add(x0Tensor)
// API: aclIntArray *shapes = ShapeList().Add(x0Tensor)
// API: InnerTensors tensors(false);
// API: tensors.BytesOf(x0Tensor, x0)
// API: strides, shapes, tensors.BytesOf(outTensor, out), workspaceSize, executor);
// API-NEXT: (void)aclDestroyIntArray(strides);
// API-NEXT: (void)aclDestroyIntArray(shapes);

// PROTO: * shapes: dtype, rank and extents of each tensor, where tensors are bytes
// PROTO: .ATTR(strides, ListInt, {})
// PROTO-NEXT: .ATTR(shapes, ListInt, {})
lossgrad.operator @Rows
    summary "Dtypes that multiply."
    products [A2]
    dims [n]
    params [
      in x0 : [n] real "const aclTensor *" dtypes {[float32, float16, bfloat16]} doc "values",
      in x1 : [n] real "const aclTensor *" dtypes {[float32, float16, bfloat16]} doc "values",
      in x2 : [n] real "const aclTensor *" dtypes {[float32, float16, bfloat16]} doc "values",
      in x3 : [n] real "const aclTensor *" dtypes {[float32, float16, bfloat16]} doc "values",
      in x4 : [n] real "const aclTensor *" dtypes {[float32, float16, bfloat16]} doc "values",
      in x5 : [n] real "const aclTensor *" dtypes {[float32, float16, bfloat16]} doc "values",
      in x6 : [n] real "const aclTensor *" dtypes {[float32, float16, bfloat16]} doc "values",
      in x7 : [n] real "const aclTensor *" dtypes {[float32, float16, bfloat16]} doc "values",
      out out : [n] real "aclTensor *" dtypes {[float32, float16, bfloat16]} doc "result"
    ]
    contract {
    }
    body(%x0: [n] real, %x1: [n] real, %x2: [n] real, %x3: [n] real, %x4: [n] real, %x5: [n] real, %x6: [n] real, %x7: [n] real) {
      yield out = %x0 : [n] real
    }
