// Tiling data of ScaleCustom as a macro class with a nested struct.
#ifndef SCALE_CUSTOM_TILING_H
#define SCALE_CUSTOM_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ScaleShift)
TILING_DATA_FIELD_DEF(uint8_t, used);
TILING_DATA_FIELD_DEF(int64_t, amount);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ScaleShiftOp, ScaleShift)

BEGIN_TILING_DATA_DEF(ScaleCustomTilingData)
TILING_DATA_FIELD_DEF(uint32_t, tileLength);
TILING_DATA_FIELD_DEF(uint64_t, total);
TILING_DATA_FIELD_DEF(uint32_t, isInteger);
TILING_DATA_FIELD_DEF_STRUCT(ScaleShift, shift);
TILING_DATA_FIELD_DEF_ARR(float, 3, factors);
TILING_DATA_FIELD_DEF(uint8_t, hasBias);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ScaleCustom, ScaleCustomTilingData)
} // namespace optiling

#endif // SCALE_CUSTOM_TILING_H
