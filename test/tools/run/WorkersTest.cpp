// Cases that crash, hang or leave cost themselves and nobody else.
#include "Workers.h"
#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace lossgrad::run;

namespace {

std::vector<Case> makeCases(std::initializer_list<const char *> names) {
  std::vector<Case> cases;
  for (const char *name : names) {
    cases.emplace_back();
    cases.back().id = name;
  }
  return cases;
}

/// What a faulty library may do: bytes into files that are not its own.
void writeEverywhere(size_t bytes) {
  const unsigned char junk[8] = {255, 255, 255, 255, 255, 255, 255, 255};
  for (int file = 3; file < 64; ++file)
    (void)!write(file, junk, bytes);
}

/// Does what the case's name says.
CaseResult act(const Case &test) {
  if (test.id == "crash")
    raise(SIGKILL);
  if (test.id == "leave")
    _exit(7);
  if (test.id == "hang")
    for (;;)
      pause();
  if (test.id == "interrupt") {
    kill(getppid(), SIGINT);
    for (;;)
      pause();
  }
  if (test.id == "shout" || test.id == "half")
    writeEverywhere(test.id == "shout" ? 8 : 4);
  if (test.id == "half")
    for (;;)
      pause();
  CaseResult result;
  result.id = test.id == "other name" ? "a" : test.id;
  if (test.id == "fail") {
    result.fail("wrong");
    (void)!write(STDERR_FILENO, "said\n", 5);
  }
  return result;
}

std::vector<CaseResult> run(const std::vector<Case> &cases,
                            WorkerOptions options) {
  std::vector<size_t> numbers;
  for (size_t i = 0; i < cases.size(); ++i)
    numbers.push_back(i);
  size_t seen = 0;
  auto results = runCases(cases, numbers, options, act,
                          [&](const CaseResult &) { ++seen; });
  EXPECT_EQ(seen, cases.size());
  return results;
}

class Workers : public testing::TestWithParam<unsigned> {};

TEST_P(Workers, ResultsComeInOrderAndDeathsAreFailures) {
  auto cases = makeCases({"a", "crash", "b", "leave", "fail", "c"});
  auto results = run(cases, {GetParam(), 0});
  for (size_t i = 0; i < cases.size(); ++i)
    EXPECT_EQ(results[i].id, cases[i].id);
  EXPECT_EQ(results[0].outcome, Outcome::Passed);
  EXPECT_EQ(results[1].reasons[0].substr(0, 30),
            "the process ended by signal 9:");
  EXPECT_EQ(results[2].outcome, Outcome::Passed);
  EXPECT_EQ(results[3].reasons[0],
            "the process ended by itself, with exit status 7");
  EXPECT_EQ(results[4].log, "said\n");
  EXPECT_EQ(results[5].outcome, Outcome::Passed);
}

TEST_P(Workers, WhatTakesTooLongEnds) {
  auto results = run(makeCases({"hang", "a"}), {GetParam(), 1});
  EXPECT_EQ(results[0].reasons[0], "no result after 1 seconds (--timeout)");
  EXPECT_EQ(results[1].outcome, Outcome::Passed);
}

TEST_P(Workers, AnswersAreNotBelieved) {
  auto results =
      run(makeCases({"shout", "a", "other name", "b"}), {GetParam(), 60});
  for (size_t i : {0, 2}) {
    EXPECT_EQ(results[i].outcome, Outcome::Failed);
    EXPECT_EQ(results[i].reasons[0], "its process sent an answer that is none");
  }
  EXPECT_EQ(results[0].id, "shout");
  EXPECT_EQ(results[2].id, "other name");
  EXPECT_EQ(results[1].outcome, Outcome::Passed);
  EXPECT_EQ(results[3].outcome, Outcome::Passed);
}

TEST_P(Workers, HalfAnAnswerDoesNotStopTheClock) {
  auto results = run(makeCases({"half", "a"}), {GetParam(), 1});
  EXPECT_EQ(results[0].reasons[0], "no result after 1 seconds (--timeout)");
  EXPECT_EQ(results[1].outcome, Outcome::Passed);
}

INSTANTIATE_TEST_SUITE_P(Jobs, Workers, testing::Values(1u, 3u));

// As Ctrl-C does: what has run keeps its result, the rest was not judged. In a
// process of its own, because the signal stays noted.
TEST(WorkersDeathTest, AnInterruptionEndsTheRun) {
  auto body = [] {
    auto cases = makeCases({"a", "interrupt", "b"});
    unsigned seen = 0;
    auto results = runCases(cases, {0, 1, 2}, {1, 0}, act,
                            [&](const CaseResult &) { ++seen; });
    bool right = getInterruption() == SIGINT && seen == 1 &&
                 results[0].outcome == Outcome::Passed;
    for (size_t i : {1, 2})
      right &= results[i].outcome == Outcome::Skipped &&
               results[i].id == cases[i].id &&
               results[i].reasons[0] == "the run was interrupted";
    _exit(right ? 42 : 1);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(42), "");
}

TEST(WorkersInProcess, RunsThemItself) {
  auto results = run(makeCases({"a", "b"}), {0, 0});
  EXPECT_EQ(results.size(), 2u);
}

} // namespace
