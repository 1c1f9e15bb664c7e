// Cycles of single instructions against the measurements behind the tables, UB
// bank conflicts from addresses, bytes of copies, and the sources of the
// numbers.
#include "Traces.h"
#include "sim/profile/Profile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <sstream>

using namespace lossgrad;
using namespace lossgrad::sim::profile;

namespace {

const targets::CostModel &model() { return targets::costModel(*chip().family); }

OperandBlocks dense(uint32_t address, uint32_t repeats) {
  OperandBlocks operand;
  for (uint32_t i = 0; i < repeats * 8; ++i)
    operand.addresses.push_back(address + i * 32);
  return operand;
}

OperandBlocks strided(uint32_t address, uint32_t blockStride) {
  OperandBlocks operand;
  for (uint32_t i = 0; i < 8; ++i)
    operand.addresses.push_back(address + i * blockStride * 32);
  return operand;
}

BankCost banks(const std::vector<OperandBlocks> &reads,
               const std::vector<OperandBlocks> &writes) {
  return bankCost(*chip().family, model(), reads, writes);
}

// An isolated call takes head, occupation and latency together.
double isolated(const VectorCall &call, const BankCost &cost) {
  const VectorTime time = vectorTime(model(), call, cost);
  return model().vectorHead + time.occupation + time.latency;
}

TEST(Cost, MeasuredAddsAreReproduced) {
  VectorCall call;
  call.call = "Add";
  call.tensorSources = 2;
  // 4096 half, sources in the same bank groups: 86.0 cycles measured.
  call.elementBytes = 2;
  call.elements = 4096;
  call.repeats = 32;
  const BankCost conflict =
      banks({dense(0, 32), dense(8192, 32)}, {dense(65536, 32)});
  EXPECT_NEAR(isolated(call, conflict), 86.0, 1);
  // 16384 half: 278.5.
  call.elements = 16384;
  call.repeats = 128;
  EXPECT_NEAR(isolated(call, conflict), 278.5, 1);
  // 16256 half without conflict: 149.6.
  call.elements = 16256;
  call.repeats = 127;
  const BankCost apart =
      banks({dense(0, 127), dense(32768 + 256, 127)}, {dense(65536, 127)});
  EXPECT_NEAR(isolated(call, apart), 149.6, 1);
  // 4096 float: 88.4 measured for a call in a loop.
  call.elementBytes = 4;
  call.elements = 4096;
  call.repeats = 64;
  EXPECT_NEAR(isolated(call, apart), 88.4, 3);
}

TEST(Cost, BankConflictsFollowFromAddresses) {
  // Two sources a multiple of 512 bytes apart share their groups.
  EXPECT_DOUBLE_EQ(banks({dense(0, 4), dense(1024, 4)}, {}).read, 2);
  EXPECT_DOUBLE_EQ(banks({dense(0, 4), dense(1024 + 256, 4)}, {}).read, 1);
  // The same tensor twice is read once.
  EXPECT_DOUBLE_EQ(banks({dense(0, 4), dense(0, 4)}, {}).read, 1);
  // A stride of 16 blocks puts all in one group, of 8 in two.
  EXPECT_DOUBLE_EQ(banks({strided(0, 16)}, {}).read, 8);
  EXPECT_DOUBLE_EQ(banks({strided(0, 8)}, {}).read, 4);
  EXPECT_DOUBLE_EQ(banks({}, {strided(0, 16)}).write, 8);
  // A block that is reused (stride 0) counts once.
  EXPECT_DOUBLE_EQ(banks({strided(0, 0)}, {}).read, 1);
  // Source and destination in one 64 KiB bank, groups overlapping in part.
  EXPECT_GT(banks({dense(0, 4)}, {dense(4096 + 64, 4)}).mixed, 0);
  EXPECT_EQ(banks({dense(0, 4)}, {dense(4096, 4)}).mixed, 0);
  EXPECT_EQ(banks({dense(0, 4)}, {dense(65536 + 64, 4)}).mixed, 0);
  EXPECT_EQ(banks({dense(0, 4)}, {dense(0, 4)}).mixed, 0); // in place
}

TEST(Cost, SlowInstructionsAndCasts) {
  VectorCall call;
  call.elements = 6400;
  call.repeats = 100;
  call.call = "Exp";
  EXPECT_DOUBLE_EQ(vectorTime(model(), call, {}).occupation, 200);
  call.elementBytes = 2;
  EXPECT_DOUBLE_EQ(vectorTime(model(), call, {}).occupation, 400);
  call.elementBytes = 4;
  call.call = "Cast";
  const targets::Dtype f32 = targets::Dtype::Float32,
                       f16 = targets::Dtype::Float16;
  call.from = &f32;
  call.to = &f16;
  EXPECT_DOUBLE_EQ(vectorTime(model(), call, {}).occupation, 50);
  call.from = &f16;
  call.to = &f32;
  EXPECT_DOUBLE_EQ(vectorTime(model(), call, {}).occupation, 100);
  call.from = call.to = nullptr;
  call.call = "CompareScalar";
  call.repeats = 1;
  EXPECT_DOUBLE_EQ(vectorTime(model(), call, {}).occupation, 7);
  call.call = "NoSuchCall";
  EXPECT_FALSE(vectorTime(model(), call, {}).known);
}

TEST(Cost, BytesOfCopies) {
  EXPECT_EQ(loadTime(model(), {1 << 20, 8192, 1, 0}).bytes, 8192u);
  // Short blocks count as 128 bytes; dense rows are one block.
  EXPECT_EQ(loadTime(model(), {1 << 20, 32, 4, 512}).bytes, 4 * 128u);
  EXPECT_EQ(loadTime(model(), {1 << 20, 32, 16, 32}).bytes, 512u);
  // A start off 512 costs 10 %, off 32 a further block and 28 %.
  EXPECT_EQ(loadTime(model(), {(1 << 20) + 64, 8192, 1, 0}).bytes, 9011u);
  EXPECT_EQ(loadTime(model(), {(1 << 20) + 2, 8192, 1, 0}).bytes, 10526u);
  // Unaligned small stores are read-modify-write.
  EXPECT_GT(storeTime(model(), {1 << 20, 20, 1, 0}, 1).cycles, 50);
  EXPECT_NEAR(storeTime(model(), {1 << 20, 100, 1, 0}, 48).cycles, 51.3, 1e-6);
  EXPECT_EQ(storeTime(model(), {1 << 20, 8192, 1, 0}, 48).cycles, 0);
}

// The published fits of unaligned stores, worked out by hand.
TEST(Cost, UnalignedStoresFollowTheFits) {
  auto cycles = [](uint64_t bytes, uint32_t cores) {
    return storeTime(model(), {1 << 20, bytes, 1, 0}, cores).cycles;
  };
  EXPECT_NEAR(cycles(20, 1), (-0.101 - 2.2) * 20 + 8.89 + 96.24, 1e-9);
  EXPECT_NEAR(cycles(4, 48), (-0.101 * 48 - 2.2) * 4 + 8.89 * 48 + 96.24, 1e-9);
  EXPECT_NEAR(cycles(33, 48), 33 / 2.0 + 1.3, 1e-9);
  EXPECT_NEAR(cycles(511, 1), 511 / 2.0 + 1.3, 1e-9);
  EXPECT_NEAR(cycles(1001, 48), 256 - (12.09 + 512 / (9.96 + 3.79 / 48)), 1e-9);
}

TEST(Cost, EveryNumberHasASource) {
  for (const targets::Soc *soc = targets::socsBegin();
       soc != targets::socsEnd(); ++soc) {
    const targets::CostModel &each = targets::costModel(*soc->family);
    for (size_t i = 0; i < each.parameterCount; ++i) {
      EXPECT_GT(std::strlen(each.parameters[i].source), 2u)
          << each.parameters[i].name;
      EXPECT_NE(std::strchr("HML", each.parameters[i].confidence), nullptr);
    }
    for (size_t i = 0; i < each.vectorCount; ++i)
      EXPECT_GT(std::strlen(each.vector[i].source), 2u) << each.vector[i].call;
    const Machine machine = Machine::of(*soc);
    EXPECT_GT(machine.memoryRate, 0) << soc->name;
    EXPECT_GT(machine.l2Rate, 0) << soc->name;
    EXPECT_GT(machine.cores, 0u) << soc->name;
  }
}

// The lower bounds that the reference gives for 910B1, 16 Mi elements of float:
// one input and one output, 37 / 75 / 51 us.
TEST(Bounds, MatchTheReference) {
  AddKernel kernel{uint64_t(1) << 26, 32768, 2, 48, false, false, 4};
  ProfileRequest request;
  request.kernel = "add";
  request.soc = &chip();
  request.maxSpans = 0;
  const LaunchProfile p = profileOf(request, addTraces(kernel));
  // Two inputs: 3s, 75 / 112 / 99.
  EXPECT_NEAR(p.bounds.floor, 75, 1);
  EXPECT_NEAR(p.bounds.nominal, 112, 1);
  EXPECT_NEAR(p.bounds.expected, 99, 1);
  EXPECT_GT(p.us, p.bounds.floor); // else the model is wrong
  EXPECT_EQ(p.loadBytes, 2u << 26);
  EXPECT_EQ(p.storeBytes, 1u << 26);
  EXPECT_EQ(p.distinctReadBytes, 2u << 26);
  EXPECT_EQ(p.critical, Pipe::MTE2);
}

TEST(Compare, SmallDifferencesAreNone) {
  auto json = [](uint64_t tile) {
    AddKernel kernel{uint64_t(1) << 24, tile, 2, 48, false, false, 2};
    ProfileRequest request;
    request.kernel = "add";
    request.soc = &chip();
    return toJson({profileOf(request, addTraces(kernel))});
  };
  std::string error;
  std::ostringstream same, slower;
  ASSERT_TRUE(compare(json(32768), json(16384), same, error)) << error;
  EXPECT_NE(same.str().find("no difference (under 10 %)"), std::string::npos)
      << same.str();
  ASSERT_TRUE(compare(json(32768), json(512), slower, error)) << error;
  EXPECT_NE(slower.str().find("second is slower"), std::string::npos)
      << slower.str();
  std::ostringstream none;
  EXPECT_FALSE(compare("{", json(512), none, error));
  EXPECT_EQ(error, "first file: not JSON");
  EXPECT_FALSE(compare(json(512), "{\"format\": \"x\"}", none, error));
  EXPECT_EQ(error, "second file: not a lossgrad profile");
}

TEST(Output, TheTableSaysThatItIsModelled) {
  AddKernel kernel{1 << 20, 8192, 2, 8, false, true, 2};
  ProfileRequest request;
  request.kernel = "add";
  request.soc = &chip();
  const LaunchProfile p = profileOf(request, addTraces(kernel));
  std::ostringstream os;
  writeTable(p, os);
  for (const char *part :
       {"kernel 'add' on Ascend910B1", "modelled time", "floor", "critical",
        "bank conflicts 50.0 %", "Modelled, not measured"})
    EXPECT_NE(os.str().find(part), std::string::npos) << os.str();
  EXPECT_NE(toTraceJson({p}).find("\"ph\":\"X\""), std::string::npos);
  EXPECT_EQ(toHtml({p}).find("@DATA@"), std::string::npos);
}

} // namespace
