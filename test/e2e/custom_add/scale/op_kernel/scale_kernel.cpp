// See scale_custom_def.cpp. The tiling struct is generated from the host's
// macro class.
#include "kernel_operator.h"

using namespace AscendC;

#if !defined(DTYPE_X) || ORIG_DTYPE_X != DT_FLOAT || FORMAT_X != FORMAT_ND || FORMAT_X == FORMAT_NCHW
#error "the build gives the wrong macros for x"
#endif

class KernelScale {
public:
    __aicore__ inline KernelScale() {}

    __aicore__ inline void Process(GM_ADDR x, GM_ADDR bias, GM_ADDR y, const ScaleCustomTilingData &tiling)
    {
        xGm.SetGlobalBuffer((__gm__ float *)x);
        biasGm.SetGlobalBuffer((__gm__ float *)bias);
        yGm.SetGlobalBuffer((__gm__ float *)y);
        pipe.InitBuffer(xQueue, 1, tiling.tileLength * sizeof(float));
        pipe.InitBuffer(biasQueue, 1, tiling.tileLength * sizeof(float));
        pipe.InitBuffer(yQueue, 1, tiling.tileLength * sizeof(float));
        const uint64_t step = static_cast<uint64_t>(GetBlockNum()) * tiling.tileLength;
        for (uint64_t at = GetBlockIdx() * static_cast<uint64_t>(tiling.tileLength); at < tiling.total; at += step) {
            const uint64_t rest = tiling.total - at;
            Tile(tiling, at, static_cast<uint32_t>(rest < tiling.tileLength ? rest : tiling.tileLength));
        }
    }

private:
    __aicore__ inline void CopyIn(GlobalTensor<float> &gm, TQue<QuePosition::VECIN, 1> &queue, uint64_t at,
                                  uint32_t count)
    {
        LocalTensor<float> local = queue.AllocTensor<float>();
        DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        DataCopyPadExtParams<float> pad{false, 0, 0, 0};
        DataCopyPad(local, gm[at], copy, pad);
        queue.EnQue(local);
    }

    __aicore__ inline void Tile(const ScaleCustomTilingData &tiling, uint64_t at, uint32_t count)
    {
        const int32_t n = static_cast<int32_t>(count);
        CopyIn(xGm, xQueue, at, count);
        LocalTensor<float> x = xQueue.DeQue<float>();
        LocalTensor<float> y = yQueue.AllocTensor<float>();
        if (tiling.isInteger) {
            Cast(y, x.ReinterpretCast<int32_t>(), RoundMode::CAST_NONE, count);
            PipeBarrier<PIPE_V>();
            Muls(y, y, tiling.factors[0], n);
        } else {
            Muls(y, x, tiling.factors[0], n);
        }
        PipeBarrier<PIPE_V>();
        Adds(y, y, tiling.factors[1] + (tiling.shift.used ? static_cast<float>(tiling.shift.amount) : 0.0f), n);
        xQueue.FreeTensor(x);
        if (tiling.hasBias) {
            CopyIn(biasGm, biasQueue, at, count);
            LocalTensor<float> bias = biasQueue.DeQue<float>();
            PipeBarrier<PIPE_V>();
            Add(y, y, bias, n);
            biasQueue.FreeTensor(bias);
        }
        yQueue.EnQue(y);
        y = yQueue.DeQue<float>();
        DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        DataCopyPad(yGm[at], y, copy);
        yQueue.FreeTensor(y);
    }

    TPipe pipe;
    TQue<QuePosition::VECIN, 1> xQueue, biasQueue;
    TQue<QuePosition::VECOUT, 1> yQueue;
    GlobalTensor<float> xGm, biasGm, yGm;
};

extern "C" __global__ __aicore__ void scale_custom_entry(GM_ADDR x, GM_ADDR bias, GM_ADDR y, GM_ADDR workspace,
                                                         GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(tilingData, tiling);
    KernelScale op;
    op.Process(x, bias, y, tilingData);
}
