//===- Targets.td - every product -----------------------------------------===//
include "Atlas2201.td"
include "Atlas2002.td"
include "Atlas1001.td"
include "Ascend3510.td"
include "CostOther.td"
