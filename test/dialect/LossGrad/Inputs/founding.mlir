// Bodies of the other founding operators, written by hand. Contracts are left
// out: these files are about values.

lossgrad.operator @LogSoftmaxBackward
    summary "Gradient of log-softmax along one axis."
    products [A2]
    dims [a1..., r at dim, a0...]
    params [
      in gradOutput : [a1, r, a0] real "const aclTensor *" dtypes {[float32]} doc "gradient of the result",
      in output : [a1, r, a0] real "const aclTensor *" dtypes {[float32]} doc "result of the forward",
      attr dim : int "int64_t" doc "softmax axis",
      out out : [a1, r, a0] real "aclTensor *" dtypes {[float32]} doc "gradient of the input"
    ]
    contract {}
    body(%gradOutput: [a1, r, a0] real, %output: [a1, r, a0] real) {
      %rowSum = reduce sum %gradOutput over [r] : [a1, r, a0] real
      %p = exp %output : [a1, r, a0] real
      %q = mul %rowSum, %p : [a1, a0] real, [a1, r, a0] real -> [a1, r, a0] real
      %d = sub %gradOutput, %q : [a1, r, a0] real
      yield out = %d : [a1, r, a0] real
    }

lossgrad.operator @KlDivBackward
    summary "Gradient of the KL divergence with respect to self."
    products [A2]
    dims [b... = broadcast(self, target), v... = b of self]
    params [
      in gradOutput : [b] real "const aclTensor *" dtypes {[float32]} doc "upstream gradient; may not enlarge b",
      in self : [b] real "const aclTensor *" dtypes {[float32]} doc "log-probabilities; only the shape matters",
      in target : [b] real "const aclTensor *" dtypes {[float32]} doc "distribution, or its logarithm",
      attr reduction : int "int64_t" choices ["none", "mean", "sum", "batchmean"] doc "reduction of the forward loss",
      attr logTarget : bool "bool" doc "target is in log space",
      out out : [v] real "aclTensor *" dtypes {[float32]} doc "gradient for self"
    ]
    contract {}
    body(%gradOutput: [b] real, %self: [b] real, %target: [b] real) {
      %one = constant 1.0
      %reduction = attribute reduction : int
      %meanCode = constant 1
      %batchCode = constant 3
      %isMean = compare eq %reduction, %meanCode : [] int
      %isBatchMean = compare eq %reduction, %batchCode : [] int
      %count = numel b
      %batch = extent b at 0
      %countReal = cast %count : [] int to real
      %batchReal = cast %batch : [] int to real
      %perElement = div %one, %countReal : [] real
      %perBatch = div %one, %batchReal : [] real
      %kBatch = select %isBatchMean, %perBatch, %one : [] bool, [] real, [] real
      %k = select %isMean, %perElement, %kBatch : [] bool, [] real, [] real
      %logTarget = attribute logTarget : bool
      %expTarget = exp %target : [b] real
      %q = select %logTarget, %expTarget, %target : [] bool, [b] real, [b] real
      %qg = mul %q, %gradOutput : [b] real
      %minus = neg %qg : [b] real
      %gB = mul %minus, %k : [b] real, [] real
      %sum = reduce_onto sum %gB from b to v : [b] real
      yield out = %sum : [v] real
    }

// self is (N, C) or (C): a pack of rows that may be empty.
lossgrad.operator @NLLLossBackward
    summary "Gradient of the negative log-likelihood loss."
    products [A2]
    dims [n..., c]
    params [
      in gradOutput : [n] real if reduction is 0 "const aclTensor *" dtypes {[float32]} doc "upstream gradient",
      in self : [n, c] real "const aclTensor *" dtypes {[float32]} doc "log-probabilities; only the shape matters",
      in target : [n] int "const aclTensor *" dtypes {[int64, int32, uint8]} doc "class of each row",
      in weight : [c] real "const aclTensor *" dtypes {[float32]} doc "class weights",
      attr reduction : int "int64_t" choices ["none", "mean", "sum"] doc "reduction of the forward loss",
      attr ignoreIndex : int "int64_t" default -100 doc "target of rows without gradient",
      in totalWeight : flat [] real "const aclTensor *" dtypes {[float32]} doc "divisor of a mean",
      out out : [n, c] real "aclTensor *" dtypes {[float32]} doc "gradient for self"
    ]
    contract {}
    body(%gradOutput: [n] real, %self: [n, c] real, %target: [n] int, %weight: [c] real, %totalWeight: [] real) {
      %zero = constant 0.0
      %reduction = attribute reduction : int
      %mean = constant 1
      %isMean = compare eq %reduction, %mean : [] int
      %ignoreIndex = attribute ignoreIndex : int
      %shared = div %gradOutput, %totalWeight : [n] real, [] real
      %g = select %isMean, %shared, %gradOutput : [] bool, [n] real, [n] real
      %gw = mul %g, %weight : [n] real, [c] real
      %minus = neg %gw : [n, c] real
      %hit = onehot %target over c : [n] int
      %value = select %hit, %minus, %zero : [n, c] bool, [n, c] real, [] real
      %valid = compare ne %target, %ignoreIndex : [n] int, [] int
      %masked = select %valid, %value, %zero : [n] bool, [n, c] real, [] real -> [n, c] real
      yield out = %masked : [n, c] real
    }

lossgrad.operator @NLLLoss2dBackward
    summary "Gradient of the negative log-likelihood loss, one class per pixel."
    products [A2]
    dims [n, c, h, w]
    params [
      in gradOutput : [n, h, w] real if reduction is 0 "const aclTensor *" dtypes {[float32]},
      in self : [n, c, h, w] real "const aclTensor *" dtypes {[float32]},
      in target : [n, h, w] int "const aclTensor *" dtypes {[int64]},
      in weight : flat [c] real "const aclTensor *" dtypes {[float32]},
      attr reduction : int "int64_t",
      attr ignoreIndex : int "int64_t",
      in totalWeight : flat [] real "aclTensor *" dtypes {[float32]},
      out out : [n, c, h, w] real "aclTensor *" dtypes {[float32]}
    ]
    contract {}
    body(%gradOutput: [n, h, w] real, %self: [n, c, h, w] real, %target: [n, h, w] int, %weight: [c] real, %totalWeight: [] real) {
      %zero = constant 0.0
      %reduction = attribute reduction : int
      %mean = constant 1
      %isMean = compare eq %reduction, %mean : [] int
      %ignoreIndex = attribute ignoreIndex : int
      %shared = div %gradOutput, %totalWeight : [n, h, w] real, [] real
      %g = select %isMean, %shared, %gradOutput : [] bool, [n, h, w] real, [n, h, w] real
      %gw = mul %g, %weight : [n, h, w] real, [c] real -> [n, c, h, w] real
      %minus = neg %gw : [n, c, h, w] real
      %hit = onehot %target over c : [n, h, w] int -> [n, c, h, w] bool
      %value = select %hit, %minus, %zero : [n, c, h, w] bool, [n, c, h, w] real, [] real
      %valid = compare ne %target, %ignoreIndex : [n, h, w] int, [] int
      %masked = select %valid, %value, %zero : [n, h, w] bool, [n, c, h, w] real, [] real -> [n, c, h, w] real
      yield out = %masked : [n, c, h, w] real
    }

lossgrad.operator @CrossEntropyLossGrad
    summary "Gradient of cross entropy with weights, label smoothing and z-loss."
    products [A2]
    dims [n, c]
    params [
      in gradLoss : [n] real if reductionOptional is "none" "const aclTensor *" dtypes {[float32, float16, bfloat16]} doc "upstream gradient",
      in logProb : [n, c] real "const aclTensor *" dtypes {[float32, float16, bfloat16]} doc "log-softmax of the input",
      in target : [n] int "const aclTensor *" dtypes {[int64]} doc "class of each row",
      optional weightOptional : [c] real "const aclTensor *" dtypes {[float32]} doc "class weights, ones if absent",
      optional gradZlossOptional : [n] real if reductionOptional is "none" "const aclTensor *" dtypes {[float32, float16, bfloat16]} doc "gradient of the z-loss output",
      optional lseForZlossOptional : [n] real "const aclTensor *" dtypes {[float32, float16, bfloat16]} doc "log-sum-exp of each row",
      attr reductionOptional : string "char *" default "mean" choices ["none", "mean", "sum"] doc "reduction of the forward loss",
      attr ignoreIndex : int "int64_t" doc "target of rows without gradient",
      attr labelSmoothing : real "double" doc "share of the uniform distribution, 0 to 1",
      attr lseSquareScaleForZloss : real "double" doc "scale of the z-loss, 0 without",
      out out : [n, c] real "const aclTensor *" dtypes {[float32, float16, bfloat16]} doc "gradient of the input"
    ]
    contract {}
    body(%gradLoss: [n] real, %logProb: [n, c] real, %target: [n] int, %weightOptional: [c] real, %gradZlossOptional: [n] real, %lseForZlossOptional: [n] real) {
      %zero = constant 0.0
      %one = constant 1.0
      %two = constant 2.0

      // Which rows count, and what their class weighs.
      %ignoreIndex = attribute ignoreIndex : int
      %named = compare ne %target, %ignoreIndex : [n] int, [] int
      %first = constant 0
      %classes = extent c
      %notBelow = compare ge %target, %first : [n] int, [] int
      %notAbove = compare lt %target, %classes : [n] int, [] int
      %inRange = and %notBelow, %notAbove : [n] bool
      %valid = and %named, %inRange : [n] bool
      %weighted = present weightOptional
      %w = select %weighted, %weightOptional, %one : [] bool, [c] real, [] real
      %wt = gather %w[%target] over c else %zero : [c] real, [n] int, [] real
      %counted = select %valid, %wt, %zero : [n] bool, [n] real, [] real
      %weightSum = reduce sum %counted over [n] : [n] real
      %m = cast %valid : [n] bool to real
      %rows = reduce sum %m over [n] : [n] real
      %W = reduce sum %w over [c] : [c] real

      // Coefficients per row.
      %reductionOptional = attribute reductionOptional : string
      %mean = constant "mean"
      %isMean = compare eq %reductionOptional, %mean : [] string
      %D = select %isMean, %weightSum, %one : [] bool, [] real, [] real
      %M = select %isMean, %rows, %one : [] bool, [] real, [] real
      %eps = attribute labelSmoothing : real
      %keep = sub %one, %eps : [] real
      %C = cast %classes : [] int to real
      %spread = div %eps, %C : [] real
      %gd = div %gradLoss, %D : [n] real, [] real
      %gk = mul %gd, %keep : [n] real, [] real
      %nll = mul %gk, %wt : [n] real
      %s = mul %gd, %spread : [n] real, [] real
      %lam = attribute lseSquareScaleForZloss : real
      %hasZ = compare ne %lam, %zero : [] real
      %hasGradZ = present gradZlossOptional
      %gz = select %hasGradZ, %gradZlossOptional, %zero : [] bool, [n] real, [] real
      %both = add %gradLoss, %gz : [n] real
      %lam2 = mul %two, %lam : [] real
      %zl = mul %lam2, %lseForZlossOptional : [] real, [n] real
      %zg = mul %zl, %both : [n] real
      %zd = div %zg, %M : [n] real, [] real
      %z = select %hasZ, %zd, %zero : [] bool, [n] real, [] real
      %sW = mul %s, %W : [n] real, [] real
      %nllS = add %nll, %sW : [n] real
      %A = add %nllS, %z : [n] real

      // One pass over the classes.
      %p = exp %logProb : [n, c] real
      %pA = mul %p, %A : [n, c] real, [n] real
      %sw = mul %s, %w : [n] real, [c] real
      %smoothed = sub %pA, %sw : [n, c] real
      %hit = onehot %target over c : [n] int
      %atTarget = select %hit, %nll, %zero : [n, c] bool, [n] real, [] real
      %d = sub %smoothed, %atTarget : [n, c] real
      %out = select %valid, %d, %zero : [n] bool, [n, c] real, [] real
      yield out = %out : [n, c] real
    }
