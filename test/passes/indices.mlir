// RUN: lossgrad-opt %s --lossgrad-optimize --lossgrad-specialize --lossgrad-legalize-dtypes=soc=A2 --cse --lossgrad-schedule | FileCheck %s
// RUN: lossgrad-opt %s --lossgrad-to-ascendc=soc=A2 | FileCheck %s --check-prefix=ASCENDC

// A one-hot result whose weight is looked up, divided by the weight of all rows
// that count: the sum over all rows is a sweep of its own, the weight a table
// where rows are not whole, and the int is compared as one.
lossgrad.operator @Weighted
    summary "" products [A2]
    dims [n, c]
    params [in grad : [n, c] real "const aclTensor *" dtypes {[float32]}, in target : [n] int "const aclTensor *" dtypes {[int64, int32]},
            optional weight : [c] real "const aclTensor *" dtypes {[float32]}, attr mean : bool "bool", attr ignored : int "int64_t",
            out y : [n, c] real "aclTensor *" dtypes {[float32]}]
    contract {}
    body(%grad: [n, c] real, %target: [n] int, %weight: [c] real) {
      %zero = constant 0.0
      %one = constant 1.0
      %mean = attribute mean : bool
      %ignored = attribute ignored : int
      %has = present weight
      %w = select %has, %weight, %one : [] bool, [c] real, [] real
      %at = gather %w[%target] over c else %zero : [c] real, [n] int, [] real
      %valid = compare ne %target, %ignored : [n] int, [] int
      %wt = select %valid, %at, %zero : [n] bool, [n] real, [] real
      %sum = reduce sum %wt over [n] : [n] real
      %total = select %mean, %sum, %one : [] bool, [] real, [] real
      %scale = div %wt, %total : [n] real, [] real
      %hit = onehot %target over c : [n] int
      %part = select %hit, %scale, %zero : [n, c] bool, [n] real, [] real
      %y = mul %grad, %part : [n, c] real
      yield y = %y : [n, c] real
    }

// Long rows one by one: the weight is a table, and what rows have once is there
// for a group of them. Only the place of the index differs from zeros.
// CHECK-LABEL: lossgrad.kernel @SingleRowsF32 of @Weighted
// CHECK-SAME: space <[n: core, outer, row], reduces [c: core, outer, lane]>
// CHECK: sweep if %{{.*}} reads [target stream, weight table]
// CHECK: %[[ROWS:.*]]:2 = sweep reads [target stream, weight table]
// CHECK: end keep(%target{{.*}}, %scale
// CHECK: sweep reads [grad stream]
// CHECK: %[[PART:.*]] = point {{ ?}}set %{{.*}}[%[[ROWS]]#0] by %[[ROWS]]#1 over "c"
// CHECK: mul %{{.*}}, %[[PART]]
// CHECK-NOT: onehot

// Rows that are whole: weights come with the lanes, also in the sum over all,
// and stay while the rows pass.
// CHECK-LABEL: lossgrad.kernel @RowsF32 of @Weighted
// CHECK-SAME: space <[n: core, outer, row], reduces [c: core, lane]>
// CHECK: sweep if %{{.*}} reads [target stream, weight stream]
// CHECK: widen %target <run_time int64, int32>
// CHECK: end reduce [{{.*}}sum>](%wt
// CHECK: } -> !lossgrad.value<[], real>
// CHECK: %[[LANES:.*]] = sweep reads [weight stream]
// CHECK: end keep(%weight
// CHECK: sweep reads [target stream]
// CHECK: gather %[[LANES]][%target
// CHECK: end keep(%target{{.*}}, %scale
// CHECK: sweep reads [grad stream]
// CHECK: end store ["y"]

// Any strides: elements of the weight are looked up, once per row.
// CHECK-LABEL: lossgrad.kernel @AnyRows of @Weighted
// CHECK: sweep if %{{.*}} reads [target stream, weight table]
// CHECK: } -> !lossgrad.value<[], real>
// CHECK: sweep reads [target stream, weight table]
// CHECK: end keep
// CHECK: sweep reads [grad stream]
// CHECK: onehot
// CHECK: end store ["y"]
// CHECK: func.func @WeightedTiling
// CHECK: lossgrad.tiling.runs {{.*}} optional 4

// ASCENDC-LABEL: ascendc.kernel @SingleRowsF32
// ASCENDC: ascendc.look_up
// ASCENDC: ascendc.points {{ ?}}set
// ASCENDC: ascendc.first_group
// ASCENDC: ascendc.end_group
// ASCENDC: ascendc.group_tiles
// ASCENDC: ascendc.group_rows
// ASCENDC: ascendc.dealt_tile
// ASCENDC-LABEL: ascendc.kernel @RowsF32
// ASCENDC: ascendc.to_number
// ASCENDC: ascendc.expand_ints
// ASCENDC: ascendc.take_lanes
// ASCENDC: ascendc.accumulate sum
// ASCENDC: ascendc.spread_points
// ASCENDC: ascendc.launch_share
// ASCENDC: ascendc.sync_all
// ASCENDC-LABEL: ascendc.kernel @AnyRows
// ASCENDC: ascendc.look_up
