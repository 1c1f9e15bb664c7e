// Every operator of the project: it imports without a warning, its text reads
// back, and importing twice gives the same bytes. A record takes 20 to 35 lines.
// RUN: %python %S/Inputs/check_records.py %source_root/ops_td | FileCheck %s

// CHECK:      BinaryCrossEntropyWithLogitsBackward ok
// CHECK-NEXT: CosineEmbeddingLossBackward ok
// CHECK-NEXT: CrossEntropyLossGrad ok
// CHECK-NEXT: DiceLossBackward ok
// CHECK-NEXT: GaussianNLLLossBackward ok
// CHECK-NEXT: KlDivBackward ok
// CHECK-NEXT: LogSoftmaxBackward ok
// CHECK-NEXT: MseLossBackward ok
// CHECK-NEXT: MultiMarginLossBackward ok
// CHECK-NEXT: NLLLoss2dBackward ok
// CHECK-NEXT: NLLLossBackward ok
// CHECK-NEXT: PolyLossBackward ok
// CHECK-NEXT: SmoothL1LossBackward ok
// CHECK-NEXT: VocabParallelCrossEntropyBackward ok
// CHECK-NOT:  {{.}}
