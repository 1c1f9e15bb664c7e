// TPipe, TQue, TQueBind, TBuf: the state machine, the addresses, and every way
// to misuse them.
#include "core_support.h"

using namespace AscendC;
using namespace lossgrad::test;

namespace {

using VecIn = TQue<TPosition::VECIN, 1>;

TEST(Queue, BlocksAreContiguousAndTakenInTurn) {
  EXPECT_OK(run([] {
    TPipe pipe;
    TQue<TPosition::VECIN, 2> queue;
    TBuf<> buffer;
    pipe.InitBuffer(queue, 3, 100); // rounded up to 128
    pipe.InitBuffer(buffer, 33);
    auto a = queue.AllocTensor<uint8_t>();
    auto b = queue.AllocTensor<uint8_t>();
    EXPECT_EQ(b.GetPhyAddr() - a.GetPhyAddr(), 128);
    EXPECT_EQ(a.GetSize(), 128u);
    EXPECT_EQ(buffer.Get<uint8_t>().GetPhyAddr() - a.GetPhyAddr(), 3 * 128);
    EXPECT_EQ(buffer.Get<float>().GetSize(), 16u);
    // The cursor goes on: the freed first block comes after the third.
    queue.FreeTensor(a);
    auto c = queue.AllocTensor<uint8_t>();
    EXPECT_EQ(c.GetPhyAddr() - b.GetPhyAddr(), 128);
    auto again = queue.AllocTensor<uint8_t>();
    EXPECT_EQ(again.GetPhyAddr(), a.GetPhyAddr());
    EXPECT_FALSE(queue.HasIdleBuffer());
    queue.FreeTensor(b);
    queue.FreeTensor(c);
    queue.FreeTensor(again);
  }));
}

// A kernel that keeps the tensor may dequeue only for the wait.
TEST(Queue, DeQueWithoutATypeGivesTheHandle) {
  EXPECT_OK(run([] {
    TPipe pipe;
    VecIn queue;
    pipe.InitBuffer(queue, 1, 32);
    for (int round = 0; round < 2; ++round) {
      auto tensor = queue.AllocTensor<float>();
      queue.EnQue(tensor);
      const TBufHandle handle = queue.DeQue();
      EXPECT_EQ(handle, tensor.GetBufferHandle());
      EXPECT_FALSE(queue.HasTensorInQue());
      queue.FreeTensor(tensor);
    }
  }));
}

// An operator class that is handed the kernel's pipe by assignment goes on
// where that pipe's pool is.
TEST(Queue, AssignedPipeSharesThePool) {
  const auto result = run([] {
    TPipe member;
    TPipe pipe;
    TBuf<> first, second;
    pipe.InitBuffer(first, 64);
    member = pipe;
    member.InitBuffer(second, 32);
    EXPECT_EQ(second.Get<uint8_t>().GetPhyAddr() -
                  first.Get<uint8_t>().GetPhyAddr(),
              64);
  });
  EXPECT_TRUE(result.ok) << result.errors;
}

TEST(Queue, IsFirstInFirstOut) {
  EXPECT_OK(run([] {
    TPipe pipe;
    TQue<TPosition::VECIN, 3> queue;
    pipe.InitBuffer(queue, 3, 32);
    for (int round = 0; round < 3; ++round) {
      for (int32_t i = 0; i < 3; ++i) {
        EXPECT_TRUE(queue.VacantInQue());
        auto tensor = queue.AllocTensor<int32_t>();
        tensor.SetValue(0, 10 * round + i);
        queue.EnQue(tensor);
      }
      EXPECT_EQ(queue.GetTensorCountInQue(), 3);
      EXPECT_FALSE(queue.VacantInQue());
      for (int32_t i = 0; i < 3; ++i) {
        auto tensor = queue.DeQue<int32_t>();
        EXPECT_EQ(tensor.GetValue(0), 10 * round + i);
        queue.FreeTensor(tensor);
      }
      EXPECT_FALSE(queue.HasTensorInQue());
    }
  }));
}

TEST(Queue, RetypesBlocksAndFreesThroughSlices) {
  EXPECT_OK(run([] {
    TPipe pipe;
    VecIn queue;
    pipe.InitBuffer(queue, 1, 64);
    for (int i = 0; i < 3; ++i) {
      auto tensor = queue.AllocTensor<half>();
      EXPECT_EQ(tensor.GetSize(), 32u);
      queue.EnQue(tensor[16]);
      auto floats = queue.DeQue<float>();
      EXPECT_EQ(floats.GetSize(), 16u);
      auto slice = floats[8];
      queue.FreeTensor(slice);
    }
  }));
}

TEST(Queue, BindsTwoPositions) {
  EXPECT_OK(run([] {
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 2, 64);
    for (int i = 0; i < 4; ++i) {
      auto tensor = queue.AllocTensor<float>();
      queue.EnQue<TPosition::GM, TPosition::VECIN, float>(tensor);
      tensor = queue.DeQue<TPosition::GM, TPosition::VECIN, float>();
      queue.EnQue<TPosition::VECOUT, TPosition::GM, float>(tensor);
      tensor = queue.DeQue<TPosition::VECOUT, TPosition::GM, float>();
      queue.FreeTensor(tensor);
    }
  }));
}

TEST(Queue, DepthZeroWorksInPlace) {
  EXPECT_OK(run([] {
    TPipe pipe;
    TQue<TPosition::VECIN, 0> queue;
    pipe.InitBuffer(queue, 1, 64);
    LocalTensor<float> tensor;
    queue.AllocTensor<float>(tensor);
    queue.EnQue(tensor);
    queue.DeQue<float>(tensor);
    queue.FreeTensor(tensor);
  }));
}

TEST(Queue, ResetStartsThePoolAgain) {
  EXPECT_OK(run([] {
    TPipe pipe;
    VecIn queue;
    pipe.InitBuffer(queue, 2, 64 * 1024);
    auto tensor = queue.AllocTensor<float>();
    float *first = tensor.GetPhyAddr();
    queue.FreeTensor(tensor);
    pipe.Reset();
    VecIn other;
    pipe.InitBuffer(other, 2, 96 * 1024); // all of UB
    EXPECT_EQ(other.AllocTensor<float>().GetPhyAddr(), first);
  }));
}

//===- Misuse -------------------------------------------------------------===//

TEST(QueueErrors, AllocWithoutFreeBlock) {
  EXPECT_EQ(
      errorOf(run([] {
        TPipe pipe;
        VecIn queue;
        pipe.InitBuffer(queue, 2, 32);
        for (int i = 0; i < 3; ++i)
          queue.AllocTensor<float>();
      })),
      "AllocTensor at core_queue.cpp:N: no free block: all 2 of the queue "
      "(VECIN buffers 0 to 1) are in use, a FreeTensor is missing (the device "
      "would wait for ever)");
}

TEST(QueueErrors, SecondEnQueOnDepthOne) {
  EXPECT_EQ(
      errorOf(run([] {
        TPipe pipe;
        VecIn queue;
        pipe.InitBuffer(queue, 2, 32);
        queue.EnQue(queue.AllocTensor<float>());
        queue.EnQue(queue.AllocTensor<float>());
      })),
      "EnQue at core_queue.cpp:N: 1 tensor(s) wait in the queue (VECIN "
      "buffers 0 to 1), its depth is 1 (the device would lose the first)");
}

TEST(QueueErrors, DeQueOnEmptyQueue) {
  EXPECT_EQ(errorOf(run([] {
              TPipe pipe;
              VecIn queue;
              pipe.InitBuffer(queue, 2, 32);
              queue.DeQue<float>();
            })),
            "DeQue at core_queue.cpp:N: the queue (VECIN buffers 0 to 1) is "
            "empty");
}

TEST(QueueErrors, EnQueTwiceTheSameBlock) {
  EXPECT_EQ(errorOf(run([] {
              TPipe pipe;
              TQue<TPosition::VECIN, 2> queue;
              pipe.InitBuffer(queue, 2, 32);
              auto tensor = queue.AllocTensor<float>();
              queue.EnQue(tensor);
              queue.EnQue(tensor);
            })),
            "EnQue at core_queue.cpp:N: the block (VECIN buffer 0) is "
            "enqueued, it must be allocated or dequeued");
}

TEST(QueueErrors, FreeTwice) {
  EXPECT_EQ(errorOf(run([] {
              TPipe pipe;
              VecIn queue;
              pipe.InitBuffer(queue, 1, 32);
              auto tensor = queue.AllocTensor<float>();
              queue.FreeTensor(tensor);
              queue.FreeTensor(tensor);
            })),
            "FreeTensor at core_queue.cpp:N: the block (VECIN buffer 0) is "
            "already free");
}

TEST(QueueErrors, TensorOfAnotherQueue) {
  EXPECT_EQ(
      errorOf(run([] {
        TPipe pipe;
        VecIn queue, other;
        pipe.InitBuffer(queue, 1, 32);
        pipe.InitBuffer(other, 1, 32);
        queue.EnQue(other.AllocTensor<float>());
      })),
      "EnQue at core_queue.cpp:N: the tensor is not a block of this queue "
      "(VECIN buffer 0)");
}

TEST(QueueErrors, DeQueBeforeInitBuffer) {
  EXPECT_EQ(errorOf(run([] {
              TPipe pipe;
              VecIn queue;
              queue.DeQue<float>();
            })),
            "DeQue at core_queue.cpp:N: the queue has no blocks: InitBuffer "
            "was not called for it");
}

TEST(QueueErrors, DifferentTags) {
  EXPECT_EQ(errorOf(run([] {
              TPipe pipe;
              TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
              pipe.InitBuffer(queue, 1, 32);
              auto tensor = queue.AllocTensor<float>();
              queue.EnQue<TPosition::GM, TPosition::VECIN, float>(tensor);
              queue.DeQue<TPosition::VECOUT, TPosition::GM, float>();
            })),
            "DeQue at core_queue.cpp:N: the positions differ from those of "
            "EnQue: waits for V_MTE3, EnQue has set MTE2_V");
}

TEST(QueueErrors, NoInitBuffer) {
  EXPECT_EQ(errorOf(run([] {
              TPipe pipe;
              VecIn queue;
              queue.AllocTensor<float>();
            })),
            "AllocTensor at core_queue.cpp:N: the queue has no blocks: "
            "InitBuffer was not called for it");
  EXPECT_EQ(errorOf(run([] {
              TPipe pipe;
              TBuf<> buffer;
              buffer.Get<float>();
            })),
            "TBuf::Get at core_queue.cpp:N: the TBuf has no buffer: InitBuffer "
            "was not called for it");
}

TEST(QueueErrors, BeyondUB) {
  EXPECT_EQ(
      errorOf(run([] {
        TPipe pipe;
        VecIn queue;
        TBuf<> buffer;
        pipe.InitBuffer(buffer, 1000);
        pipe.InitBuffer(queue, 2, 98304);
      })),
      "InitBuffer at core_queue.cpp:N: 2 x 98304 bytes do not fit: 1024 of "
      "the 196608 bytes of UB are taken");
}

TEST(QueueErrors, TooManyBuffers) {
  EXPECT_EQ(
      errorOf(run([] {
        TPipe pipe;
        TBuf<> buffers[65];
        for (auto &buffer : buffers)
          pipe.InitBuffer(buffer, 32);
      })),
      "InitBuffer at core_queue.cpp:N: 1 more buffers are too many: 64 of "
      "64 are taken");
}

TEST(QueueErrors, TBufRange) {
  EXPECT_EQ(errorOf(run([] {
              TPipe pipe;
              TBuf<> buffer;
              pipe.InitBuffer(buffer, 64);
              buffer.Get<float>(24);
            })),
            "TBuf::Get at core_queue.cpp:N: bytes [0, 96) were asked for, the "
            "buffer has 64");
  EXPECT_EQ(errorOf(run([] {
              TPipe pipe;
              TBuf<> buffer;
              pipe.InitBuffer(buffer, 64);
              buffer.GetWithOffset<float>(1, 4);
            })),
            "TBuf::Get at core_queue.cpp:N: offset 4 is not a multiple of 32 "
            "bytes");
}

// A freed block keeps its event id until it is allocated again.
void useBlocks(int queues) {
  TPipe pipe;
  std::vector<VecIn> all(queues);
  for (VecIn &queue : all) {
    pipe.InitBuffer(queue, 2, 32);
    for (int i = 0; i < 2; ++i) {
      auto tensor = queue.AllocTensor<float>();
      queue.EnQue(tensor);
      tensor = queue.DeQue<float>();
      queue.FreeTensor(tensor);
    }
  }
}

TEST(QueueErrors, BlocksInFlight) {
  EXPECT_OK(run([] { useBlocks(4); }));
  EXPECT_EQ(errorOf(run([] { useBlocks(5); })),
            "FreeTensor at core_queue.cpp:N: all 8 event ids of V_MTE2 are in "
            "use: too many blocks are in flight at one position, or an id was "
            "not released");
  Options first;
  first.soc = "Ascend910A";
  EXPECT_OK(run(first, [] { useBlocks(2); }));
  EXPECT_EQ(errorOf(run(first, [] { useBlocks(3); })),
            "FreeTensor at core_queue.cpp:N: all 4 event ids of V_MTE2 are in "
            "use: too many blocks are in flight at one position, or an id was "
            "not released");
}

TEST(QueueErrors, NamesTheKernelsOwnLine) {
  uint32_t line = 0;
  const auto result = run([&] {
    TPipe pipe;
    VecIn queue;
    pipe.InitBuffer(queue, 2, 32);
    line = __LINE__ + 1;
    queue.DeQue<float>();
  });
  EXPECT_EQ(result.errors,
            "error: kernel 'k', block 0: DeQue at core_queue.cpp:" +
                std::to_string(line) + ": the queue (VECIN buffers 0 to 1) is empty\n");
}

TEST(QueueErrors, SecondPipeIsReported) {
  const auto result = run([] {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 32);
    TPipe other;
  });
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(withoutLines(result.warnings),
            "warning: kernel 'k', block 0: TPipe at core_queue.cpp:N: another "
            "TPipe is alive; its buffers and the new one's overlap\n");
}

} // namespace
