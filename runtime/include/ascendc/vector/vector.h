// All calls of the vector unit's basic API.
#pragma once

#include "ascendc/vector/addressable.h"
#include "ascendc/vector/cast.h"
#include "ascendc/vector/compare_select.h"
#include "ascendc/vector/elementwise.h"
#include "ascendc/vector/fill.h"
#include "ascendc/vector/gather.h"
#include "ascendc/vector/layout.h"
#include "ascendc/vector/mask.h"
#include "ascendc/vector/operators.h"
#include "ascendc/vector/reduce.h"
#include "ascendc/vector/sort.h"

#include "ascendc/adv/functions.h"
#include "ascendc/adv/rows.h"
#include "ascendc/adv/softmax.h"
