//===- Options.h - The command line of lossgrad-run -------------*- C++ -*-===//
//
// Every option with its help, and the overview that --help begins with. Only
// the program includes this; what options mean is decided there.
//
//===----------------------------------------------------------------------===//

#ifndef LOSSGRAD_TOOLS_RUN_OPTIONS_H
#define LOSSGRAD_TOOLS_RUN_OPTIONS_H

#include "CaseFile.h"
#include "llvm/Support/CommandLine.h"

namespace cl = llvm::cl;

static cl::OptionCategory category("What to run");
static cl::list<std::string>
    files(cl::Positional, cl::desc("<operator.td> ... <cases.jsonl> ..."),
          cl::cat(category));
static cl::list<std::string>
    caseFiles("cases", cl::value_desc("file.jsonl ..."),
              cl::desc("Cases to run, one JSON object per line"),
              cl::PositionalEatsArgs, cl::cat(category));
static cl::list<std::string> caseTexts("case", cl::value_desc("json"),
                                       cl::desc("One case as JSON"),
                                       cl::cat(category));
static cl::opt<std::string> filter("filter", cl::value_desc("regex"),
                                   cl::desc("Only cases whose id matches"),
                                   cl::cat(category));
static cl::opt<unsigned>
    randomCount("random", cl::value_desc("n"), cl::init(0),
                cl::desc("Make n random cases per operator, from its record"),
                cl::cat(category));
static cl::opt<lossgrad::run::KernelCases> kernelCases(
    "kernel-cases", cl::init(lossgrad::run::KernelCases::Documented),
    cl::cat(category), cl::desc("Cases that were written for a bare kernel:"),
    cl::values(
        clEnumValN(lossgrad::run::KernelCases::Documented, "documented",
                   "run them unless a note speaks against it (default)"),
        clEnumValN(lossgrad::run::KernelCases::Accepted, "accepted",
                   "also beyond the documents, if the contract accepts them"),
        clEnumValN(lossgrad::run::KernelCases::None, "none", "skip them")));
static cl::opt<int64_t>
    maxElements("max-elements", cl::value_desc("n"), cl::init(int64_t(1) << 26),
                cl::cat(category),
                cl::desc("Skip numeric cases with a larger tensor (default "
                         "64 Mi)"));
static cl::opt<bool> listOnly("list", cl::desc("List the cases, run nothing"),
                              cl::cat(category));

static cl::OptionCategory oneCase("One case on the command line");
static cl::list<std::string>
    opNames("op", cl::value_desc("aclnnX"),
            cl::desc("The function; with a record as argument, its operator. "
                     "Several may be given; with --cases, the one that cases "
                     "without \"op\" call"),
            cl::cat(oneCase));
#define WORDS(variable, option, value, text)                                   \
  static cl::list<std::string> variable(option, cl::value_desc(value),         \
                                        cl::desc(text), cl::cat(oneCase))
WORDS(shapes, "shape", "[self=]4,2",
      "Shape of a tensor, or of all not named that have the most dims");
WORDS(dtypes, "dtype", "[self=]float16",
      "Dtype of a tensor, or of all not named");
WORDS(attributes, "attr", "reduction=mean", "Attribute, by value or choice");
WORDS(ranges, "range", "self=-1,1", "Range to draw from (default -2,2)");
WORDS(values, "values", "self=1,2,3", "Every element, in row-major order");
WORDS(strides, "strides", "self=8,1", "A view: strides in elements");
WORDS(offsets, "offset", "self=3", "A view: where it begins");
WORDS(storages, "storage", "self=4,8", "A view: shape of the storage");
WORDS(overs, "over", "gradSelf=self", "An output in the storage of an input");
WORDS(nullNames, "null", "weight", "Pass a null pointer");
#undef WORDS
static cl::opt<bool> printCases("print-cases",
                                cl::desc("Print the cases as JSON, one per "
                                         "line, and run nothing"),
                                cl::cat(oneCase));

static cl::OptionCategory where("Where to run it");
static cl::opt<std::string>
    library("library", cl::value_desc("file.so"),
            cl::desc("Operator library (default: the SDK's libopapi.so beside "
                     "this program)"),
            cl::cat(where));
static cl::list<std::string>
    recordPaths("records", cl::value_desc("file|folder"),
                cl::desc("Records of the operators (default: the SDK's)"),
                cl::cat(where));
static cl::list<std::string> includeDirs("I", cl::Prefix, cl::value_desc("dir"),
                                         cl::desc("Include path for records"),
                                         cl::cat(where));
static cl::opt<std::string>
    socName("soc", cl::init("Ascend910B1"), cl::value_desc("name"),
            cl::desc("Product to stand in for: chip (default Ascend910B1), "
                     "family (A3) or compute unit"),
            cl::cat(where));
static cl::opt<std::string>
    mode("mode", cl::init("fast"), cl::value_desc("fast|check|profile"),
         cl::desc("How kernels run; in check mode findings are failures"),
         cl::cat(where));
static cl::opt<std::string>
    checkLevel("check-level", cl::init("strict"),
               cl::value_desc("strict|auto-sync"),
               cl::desc("What counts as synchronised in check mode (default "
                        "strict, as generated kernels promise)"),
               cl::cat(where));
static cl::opt<std::string>
    projectDir("project", cl::value_desc("dir"),
               cl::desc("Where the project of a record goes (default "
                        "./<Operator>_project)"),
               cl::cat(where));
static cl::opt<std::string> seed("seed", cl::value_desc("text"),
                                 cl::desc("Other data, and other random cases"),
                                 cl::cat(where));
static cl::opt<unsigned>
    jobs("jobs", cl::value_desc("n"), cl::init(1), cl::cat(where),
         cl::desc("Worker processes (default 1; 0: in this process)"));
static cl::opt<unsigned>
    timeout("timeout", cl::value_desc("seconds"), cl::init(600),
            cl::desc("What a case may take (default 600; 0: any)"),
            cl::cat(where));

static cl::OptionCategory output("What to show");
static cl::opt<bool> show("show",
                          cl::desc("Print the computed tensors, up to 64 "
                                   "elements of each"),
                          cl::cat(output));
static cl::opt<std::string>
    jsonFile("json", cl::value_desc("file"),
             cl::desc("Write all results as JSON, with computed "
                      "tensors of up to 4096 elements"),
             cl::cat(output));
static cl::opt<std::string>
    deviationFile("deviations", cl::value_desc("file.json"),
                  cl::desc("Cases for which another status is right (default: "
                           "deviations.json beside the cases)"),
                  cl::cat(output));
static cl::opt<std::string>
    rulesFile("rules", cl::value_desc("file.json"),
              cl::desc("Allowances per operator (default: the SDK's)"),
              cl::cat(output));
static cl::opt<unsigned>
    atLeast("at-least", cl::value_desc("n"), cl::init(1),
            cl::desc("Fail unless so many cases passed (default 1)"),
            cl::cat(output));
static cl::opt<unsigned> maxFailures("max-failures", cl::value_desc("n"),
                                     cl::init(20),
                                     cl::desc("Failures to show (default 20)"),
                                     cl::cat(output));
static cl::opt<bool> progress("progress",
                              cl::desc("Progress line also without a terminal"),
                              cl::cat(output));
static cl::list<std::string> compareFileNames(
    "compare", cl::multi_val(2), cl::value_desc("a.json b.json"),
    cl::desc("Compare two results or two profiles, run nothing"),
    cl::cat(output));

static const char overview[] =
    R"(lossgrad-run: run operators through their aclnn functions and judge the results

Cases from files (the format is in docs/run.md):
  lossgrad-run --cases test/cases/smooth_l1_loss_backward.jsonl
  lossgrad-run --cases test/cases/*.jsonl --filter 'st-atk/00[0-4]' --json results.json

A record of your own: generates its project, builds it, runs random cases (or yours):
  lossgrad-run HuberLossBackward.td
  lossgrad-run HuberLossBackward.td --cases calls.jsonl

One case; what is not said follows from the record:
  lossgrad-run --op aclnnSmoothL1LossBackward --shape 4,2 --dtype float16 --attr reduction=mean
  lossgrad-run --op aclnnSmoothL1LossBackward --shape 64 --shape self=3,64 --mode check

Every result is compared with the float64 interpreter of the operator's record.
The last line is 'N passed, N failed, N skipped'. Exit status: 0, 1 if a case failed or
too few ran, 2 if the command or its input is at fault, 130 if interrupted.
)";

#endif // LOSSGRAD_TOOLS_RUN_OPTIONS_H
