lossgrad.operator @SmoothL1LossBackward
    summary "Gradient of the smooth L1 loss with respect to self."
    products [A950, A3, A2, A310P, A910]
    dims [b... = broadcast(gradOut, self, target)]
    params [
      in gradOut : [b] real "const aclTensor *" dtypes {[float32, float16, bfloat16] on [A950, A3, A2], [float32, float16] on [A310P, A910]} doc "upstream gradient",
      in self : [b] real "const aclTensor *" dtypes {[float32, float16, bfloat16] on [A950, A3, A2], [float32, float16] on [A310P, A910]} doc "prediction",
      in target : [b] real "const aclTensor *" dtypes {[float32, float16, bfloat16] on [A950, A3, A2], [float32, float16] on [A310P, A910]} doc "label",
      attr reduction : int "int64_t" choices ["none", "mean", "sum"] doc "reduction of the forward loss",
      attr beta : real "float" default 1.0 doc "switch point, at least 0",
      out gradInput : [b] real "aclTensor *" dtypes {[float32, float16, bfloat16] on [A950, A3, A2], [float32, float16] on [A310P, A910]} doc "gradient for self"
    ]
    contract {
      // 1. Pointers that every first-phase call ends with.
      %hasSize = present workspaceSize
      check %hasSize else 161001 "workspaceSize must not be null"
      %hasExecutor = present executor
      check %hasExecutor else 161001 "executor must not be null"

      // 3. Tensors.
      %hasGradOut = present gradOut
      check %hasGradOut else 161001 "gradOut must not be null"
      %hasSelf = present self
      check %hasSelf else 161001 "self must not be null"
      %hasTarget = present target
      check %hasTarget else 161001 "target must not be null"
      %hasGradInput = present gradInput
      check %hasGradInput else 161001 "gradInput must not be null"

      // 4. Dtypes of the product at hand.
      %gradOutDtype = dtype gradOut
      %gradOutKnown = dtype_declared %gradOutDtype for gradOut
      check %gradOutKnown else 161002 "gradOut has dtype {0}, which this product does not support"(%gradOutDtype : [] dtype)
      %selfDtype = dtype self
      %selfKnown = dtype_declared %selfDtype for self
      check %selfKnown else 161002 "self has dtype {0}, which this product does not support"(%selfDtype : [] dtype)
      %targetDtype = dtype target
      %targetKnown = dtype_declared %targetDtype for target
      check %targetKnown else 161002 "target has dtype {0}, which this product does not support"(%targetDtype : [] dtype)
      %gradInputDtype = dtype gradInput
      %gradInputKnown = dtype_declared %gradInputDtype for gradInput
      check %gradInputKnown else 161002 "gradInput has dtype {0}, which this product does not support"(%gradInputDtype : [] dtype)

      // 5. Ranks.
      %maxRank = constant 8
      %gradOutRank = rank gradOut
      %gradOutFits = compare le %gradOutRank, %maxRank : [] int
      check %gradOutFits else 161002 "gradOut has rank {0}, at most 8 is supported"(%gradOutRank : [] int)
      %selfRank = rank self
      %selfFits = compare le %selfRank, %maxRank : [] int
      check %selfFits else 161002 "self has rank {0}, at most 8 is supported"(%selfRank : [] int)
      %targetRank = rank target
      %targetFits = compare le %targetRank, %maxRank : [] int
      check %targetFits else 161002 "target has rank {0}, at most 8 is supported"(%targetRank : [] int)

      // 6., 7. Attributes. A NaN beta fails every comparison.
      %reduction = attribute reduction : int
      %none = constant 0
      %sum = constant 2
      %atLeastNone = compare ge %reduction, %none : [] int
      %atMostSum = compare le %reduction, %sum : [] int
      %reductionOk = and %atLeastNone, %atMostSum : [] bool
      check %reductionOk else 161002 "reduction is {0}, expected 0, 1 or 2"(%reduction : [] int)
      %beta = attribute beta : real
      %zero = constant 0.0
      %betaOk = compare ge %beta, %zero : [] real
      check %betaOk else 161002 "beta is {0}, expected at least 0"(%beta : [] real)

      // 8. Promotion.
      %p1 = dtype_promote %gradOutDtype, %selfDtype
      %p1Ok = defined %p1 : [] dtype
      check %p1Ok else 161002 "gradOut ({0}) and self ({1}) have no common dtype"(%gradOutDtype : [] dtype, %selfDtype : [] dtype)
      %p2 = dtype_promote %p1, %targetDtype
      %p2Ok = defined %p2 : [] dtype
      check %p2Ok else 161002 "{0} and target ({1}) have no common dtype"(%p1 : [] dtype, %targetDtype : [] dtype)
      %p2Known = dtype_declared %p2 for self
      check %p2Known else 161002 "the common dtype {0} is not supported"(%p2 : [] dtype)
      %castOk = dtype_castable %p2, %gradInputDtype
      check %castOk else 161002 "{0} cannot be cast to gradInput ({1})"(%p2 : [] dtype, %gradInputDtype : [] dtype)

      // 9. Shapes.
      %gradOutShape = shape gradOut
      %selfShape = shape self
      %targetShape = shape target
      %gradInputShape = shape gradInput
      %s1 = shape_broadcast %gradOutShape, %selfShape
      %s1Ok = defined %s1 : [] shape
      check %s1Ok else 161002 "gradOut {0} and self {1} do not broadcast"(%gradOutShape : [] shape, %selfShape : [] shape)
      %s2 = shape_broadcast %s1, %targetShape
      %s2Ok = defined %s2 : [] shape
      check %s2Ok else 161002 "{0} and target {1} do not broadcast"(%s1 : [] shape, %targetShape : [] shape)
      %outOk = compare eq %s2, %gradInputShape : [] shape
      check %outOk else 161002 "gradInput has shape {0}, expected {1}"(%gradInputShape : [] shape, %s2 : [] shape)

      // 10. Nothing to do.
      %count = numel b
      %empty = compare eq %count, %none : [] int
      done_if %empty
    }
    body(%gradOut: [b] real, %self: [b] real, %target: [b] real) {
      %zero = constant 0.0
      %one = constant 1.0
      %minusOne = constant -1.0
      %x = sub %self, %target : [b] real

      // Mean divides by the elements of self before broadcasting.
      %reduction = attribute reduction : int
      %mean = constant 1
      %isMean = compare eq %reduction, %mean : [] int
      %count = numel self
      %elements = cast %count : [] int to real
      %share = div %one, %elements : [] real
      %k = select %isMean, %share, %one : [] bool, [] real, [] real

      %beta = attribute beta : real
      %smooth = compare gt %beta, %zero : [] real
      %scaled = div %x, %beta : [b] real, [] real
      %inside = clamp %scaled, %minusOne, %one : [b] real, [] real, [] real
      %outside = sign %x : [b] real
      %d = select %smooth, %inside, %outside : [] bool, [b] real, [b] real

      %dg = mul %d, %gradOut : [b] real
      %grad = mul %dg, %k : [b] real, [] real
      yield gradInput = %grad : [b] real
    }
