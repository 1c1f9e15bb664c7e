// Every operator of the project: it imports without a warning, its text reads
// back, and importing twice gives the same bytes. A record takes at most 35 lines.
// RUN: %python %S/Inputs/check_records.py %source_root/ops_td | FileCheck %s

// CHECK:      BinaryCrossEntropyBackward ok
// CHECK-NEXT: BinaryCrossEntropyWithLogitsBackward ok
// CHECK-NEXT: CosineEmbeddingLossBackward ok
// CHECK-NEXT: CrossEntropyLossGrad ok
// CHECK-NEXT: DiceLossBackward ok
// CHECK-NEXT: DpoLossBackward ok
// CHECK-NEXT: GaussianNLLLossBackward ok
// CHECK-NEXT: HingeEmbeddingLossBackward ok
// CHECK-NEXT: HingeLossGrad ok
// CHECK-NEXT: HuberLossBackward ok
// CHECK-NEXT: IpoLossBackward ok
// CHECK-NEXT: KlDivBackward ok
// CHECK-NEXT: KlDivTargetBackward ok
// CHECK-NEXT: L1LossBackward ok
// CHECK-NEXT: LogSigmoidBackward ok
// CHECK-NEXT: LogSoftmaxBackward ok
// CHECK-NEXT: LogitGrad ok
// CHECK-NEXT: MarginRankingLossBackward ok
// CHECK-NEXT: MseLossBackward ok
// CHECK-NEXT: MultiMarginLossBackward ok
// CHECK-NEXT: NLLLoss2dBackward ok
// CHECK-NEXT: NLLLossBackward ok
// CHECK-NEXT: PoissonNLLLossBackward ok
// CHECK-NEXT: PolyLossBackward ok
// CHECK-NEXT: SigmoidFocalLossBackward ok
// CHECK-NEXT: SmoothL1LossBackward ok
// CHECK-NEXT: SoftMarginLossBackward ok
// CHECK-NEXT: SoftmaxBackward ok
// CHECK-NEXT: SoftmaxFocalLossBackward ok
// CHECK-NEXT: VocabParallelCrossEntropyBackward ok
// CHECK-NOT:  {{.}}
