// y = x1 + alpha * x2 with broadcasting, row by row: rows are dealt out to the
// cores, each row is cut into tiles that fit UB.
#include "kernel_operator.h"
#include "add_custom_tiling.h"

using namespace AscendC;

template <typename T> class KernelAdd {
public:
    __aicore__ inline KernelAdd() {}

    __aicore__ inline void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, const AddCustomTilingData &data, TPipe *pipe)
    {
        tiling = data;
        x1Gm.SetGlobalBuffer((__gm__ T *)x1);
        x2Gm.SetGlobalBuffer((__gm__ T *)x2);
        yGm.SetGlobalBuffer((__gm__ T *)y);
        const uint32_t bytes = static_cast<uint32_t>(tiling.tileLength * sizeof(T));
        pipe->InitBuffer(x1Queue, 2, bytes);
        pipe->InitBuffer(x2Queue, 2, bytes);
        pipe->InitBuffer(yQueue, 2, bytes);
    }

    __aicore__ inline void Process()
    {
        for (uint64_t row = GetBlockIdx(); row < tiling.rows; row += GetBlockNum()) {
            const uint64_t x1Row = RowOffset(row, tiling.x1Strides);
            const uint64_t x2Row = RowOffset(row, tiling.x2Strides);
            for (uint64_t column = 0; column < tiling.columns; column += tiling.tileLength) {
                const uint64_t rest = tiling.columns - column;
                const uint32_t count = static_cast<uint32_t>(rest < tiling.tileLength ? rest : tiling.tileLength);
                CopyIn(x1Gm, x1Queue, x1Row, column, tiling.x1Inner, count);
                CopyIn(x2Gm, x2Queue, x2Row, column, tiling.x2Inner, count);
                Compute(count);
                CopyOut(row * tiling.columns + column, count);
            }
        }
    }

private:
    __aicore__ inline uint64_t RowOffset(uint64_t row, const uint64_t *strides)
    {
        uint64_t offset = 0;
        for (uint64_t i = tiling.outerCount; i > 0; --i) {
            offset += row % tiling.outerDims[i - 1] * strides[i - 1];
            row /= tiling.outerDims[i - 1];
        }
        return offset;
    }

    __aicore__ inline void CopyIn(GlobalTensor<T> &gm, TQue<QuePosition::VECIN, 2> &queue, uint64_t row,
                                  uint64_t column, uint32_t inner, uint32_t count)
    {
        LocalTensor<T> local = queue.template AllocTensor<T>();
        if (inner == 0) {
            const T value = gm.GetValue(row);
            Duplicate(local, value, static_cast<int32_t>(count));
            PipeBarrier<PIPE_V>();  // the queue waits for copies, not for this
        } else {
            DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
            DataCopyPadExtParams<T> pad{false, 0, 0, static_cast<T>(0)};
            DataCopyPad(local, gm[row + column], copy, pad);
        }
        queue.EnQue(local);
    }

    __aicore__ inline void Compute(uint32_t count)
    {
        LocalTensor<T> x1 = x1Queue.template DeQue<T>();
        LocalTensor<T> x2 = x2Queue.template DeQue<T>();
        LocalTensor<T> y = yQueue.template AllocTensor<T>();
        Muls(y, x2, static_cast<T>(tiling.alpha), static_cast<int32_t>(count));
        PipeBarrier<PIPE_V>();
        Add(y, x1, y, static_cast<int32_t>(count));
        yQueue.EnQue(y);
        x1Queue.FreeTensor(x1);
        x2Queue.FreeTensor(x2);
    }

    __aicore__ inline void CopyOut(uint64_t offset, uint32_t count)
    {
        LocalTensor<T> y = yQueue.template DeQue<T>();
        DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        DataCopyPad(yGm[offset], y, copy);
        yQueue.FreeTensor(y);
    }

    TQue<QuePosition::VECIN, 2> x1Queue, x2Queue;
    TQue<QuePosition::VECOUT, 2> yQueue;
    GlobalTensor<T> x1Gm, x2Gm, yGm;
    AddCustomTilingData tiling;
};

extern "C" __global__ __aicore__ void add_custom(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace,
                                                 GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(AddCustomTilingData);
    GET_TILING_DATA(tilingData, tiling);
    if (TILING_KEY_IS(1)) {
        TPipe pipe;
        KernelAdd<DTYPE_X1> op;
        op.Init(x1, x2, y, tilingData, &pipe);
        op.Process();
    }
}
