//===- InferShapeEmitter.cpp - Shapes and dtypes of outputs ---------------===//
//
// Inference for graphs. An output has the axes of its declared dims, each taken
// from an input; where an input is declared with the same dims, its shape is
// the output's. aclnn calls do not come this way.
//
//===----------------------------------------------------------------------===//

#include "codegen/Cpp/Version.h"
#include "codegen/Host/HostEmitters.h"
#include "codegen/Host/Templates.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace lossgrad;
using namespace lossgrad::host;

namespace {

/// How one output gets its shape.
struct Recipe {
  ParamAttr output;
  /// The input of the same shape, or null.
  ParamAttr same;
  /// Otherwise: dims with their ranges, in order.
  std::vector<std::pair<DimAttr, std::vector<AxisRange>>> parts;
};

class Inference {
public:
  Inference(HostModel &model, raw_ostream &os) : model(model), os(os) {}
  LogicalResult print();

private:
  FailureOr<Recipe> plan(ParamAttr output);
  ParamAttr findSame(ParamAttr output);
  void printInputs(ArrayRef<Recipe> recipes);
  void printShape(const Recipe &recipe);
  void printDataTypes();
  size_t indexOf(ParamAttr input) {
    return llvm::find(model.inputs, input) - model.inputs.begin();
  }

  HostModel &model;
  raw_ostream &os;
};

} // namespace

ParamAttr Inference::findSame(ParamAttr output) {
  ArrayRef<StringAttr> dims = output.getShape().getDims();
  // A part of a broadcast pack is what its parameter has there.
  if (dims.size() == 1)
    if (DimAttr dim = model.op.findDim(dims[0]); dim.getKind() == DimKind::Part)
      if (ParamAttr like = model.op.findParam(dim.getRefs()[1]);
          like.getRole() == Role::In && like.getShape().getDims().size() == 1)
        return like;
  if (llvm::any_of(dims, [&](StringAttr name) {
        DimKind kind = model.op.findDim(name).getKind();
        return kind == DimKind::Broadcast || kind == DimKind::Part;
      }))
    return nullptr;
  for (ParamAttr input : model.inputs)
    if (input.getRole() == Role::In && input.getShape() == output.getShape() &&
        !input.getShape().getFlat())
      return input;
  return nullptr;
}

FailureOr<Recipe> Inference::plan(ParamAttr output) {
  Recipe recipe{output, findSame(output), {}};
  if (recipe.same)
    return recipe;
  if (output.getShape().getConditionName() || output.getShape().getFlat())
    return model.op.emitError("the shape of output ")
           << output.getName()
           << " is flat or conditional and no required input is declared "
              "alike, "
              "so that it cannot be inferred";
  for (StringAttr name : output.getShape().getDims()) {
    auto ranges = model.findDim(model.op, name);
    if (failed(ranges))
      return failure();
    recipe.parts.push_back({model.op.findDim(name), *ranges});
  }
  return recipe;
}

void Inference::printInputs(ArrayRef<Recipe> recipes) {
  llvm::SmallSetVector<ParamAttr, 4> used;
  for (const Recipe &recipe : recipes) {
    if (recipe.same)
      used.insert(recipe.same);
    for (auto &[dim, ranges] : recipe.parts)
      for (const AxisRange &range : ranges)
        used.insert(range.param);
  }
  std::vector<std::string> missing;
  for (ParamAttr input : model.inputs) {
    if (!used.contains(input))
      continue;
    os << llvm::formatv(
        "    const gert::Shape *{0} = context->Get{1}InputShape("
        "{2});\n",
        input.getName().getValue(),
        input.getRole() == Role::Optional ? "Optional" : "Required",
        indexOf(input));
    if (input.getRole() != Role::Optional)
      missing.push_back(input.getName().str() + " == nullptr");
  }
  for (auto [i, output] : llvm::enumerate(model.outputs)) {
    os << llvm::formatv(
        "    gert::Shape *{0} = context->GetOutputShape({1});\n",
        output.getName().getValue(), i);
    missing.push_back(output.getName().str() + " == nullptr");
  }
  os << fitLine("    if (", missing, " ||", ") {", "        ")
     << "\n        return GRAPH_FAILED;\n    }\n";
}

void Inference::printShape(const Recipe &recipe) {
  StringRef output = recipe.output.getName();
  if (recipe.same) {
    os << "    *" << output << " = *" << recipe.same.getName().getValue()
       << ";\n";
    return;
  }
  llvm::SmallSetVector<ParamAttr, 4> sources;
  for (auto &[dim, ranges] : recipe.parts)
    for (const AxisRange &range : ranges)
      sources.insert(range.param);
  auto given = [](ParamAttr param) {
    return param.getRole() == Role::Optional
               ? (param.getName().getValue() + " != nullptr && ").str()
               : std::string();
  };
  auto unknown = llvm::map_range(sources, [&](ParamAttr param) {
    std::string test = llvm::formatv("{0}UnknownRank(*{1})", given(param),
                                     param.getName().getValue());
    return given(param).empty() ? test : "(" + test + ")";
  });
  os << llvm::formatv("    if ({0}) {{\n        *{1} = gert::Shape({{-2});\n"
                      "    } else {{\n        {1}->SetDimNum(0);\n",
                      llvm::join(unknown, " || "), output);
  for (auto &[dim, ranges] : recipe.parts) {
    StringRef name = dim.getName();
    bool broadcast = dim.getKind() == DimKind::Broadcast;
    std::string variable = (name + "Axes").str();
    std::vector<std::string> failures;
    if (broadcast)
      os << llvm::formatv("        gert::Shape {0};\n"
                          "        {0}.SetDimNum(0);\n",
                          variable);
    for (const AxisRange &range : ranges) {
      std::string test =
          llvm::formatv("{0}!{1}(*{2}, {3}, {4}, {5})", given(range.param),
                        broadcast ? "BroadcastAxes" : "AppendAxes",
                        range.param.getName().getValue(), range.begin,
                        range.end, broadcast ? variable : ("*" + output).str());
      failures.push_back(given(range.param).empty() ? test : "(" + test + ")");
    }
    if (broadcast)
      failures.push_back(
          llvm::formatv("!AppendAxes({0}, 0, 0, *{1})", variable, output));
    os << fitLine("        if (", failures, " ||", ") {", "            ")
       << "\n            return GRAPH_FAILED;\n        }\n";
  }
  os << "    }\n";
}

void Inference::printDataTypes() {
  os << llvm::formatv("\ngraphStatus InferDataType{0}("
                      "gert::InferDataTypeContext *context)\n{{\n",
                      model.type);
  for (auto [i, output] : llvm::enumerate(model.outputs)) {
    std::string dtype;
    for (ParamAttr source : model.dtypeSources(output)) {
      std::string each = llvm::formatv("context->GetRequiredInputDataType({0})",
                                       indexOf(source));
      dtype = dtype.empty() ? each
                            : llvm::formatv("PromoteFloats({0},\n        {1})",
                                            dtype, each)
                                  .str();
    }
    os << llvm::formatv(
        "    if (context->SetOutputDataType({0}, {1}) != GRAPH_SUCCESS) {{\n"
        "        return GRAPH_FAILED;\n    }\n",
        i, dtype);
  }
  os << "    return GRAPH_SUCCESS;\n}\n";
}

LogicalResult Inference::print() {
  std::vector<Recipe> recipes;
  for (ParamAttr output : model.outputs) {
    FailureOr<Recipe> recipe = plan(output);
    if (failed(recipe))
      return failure();
    if (model.dtypeSources(output).empty())
      return model.op.emitError("output ")
             << output.getName()
             << " has no required input of its kind, so that its dtype cannot "
                "be inferred";
    recipes.push_back(*recipe);
  }
  os << fillVersion(llvm::formatv(templates::inferOpening, model.type).str());
  os << "using namespace lossgrad::definition;\n\n"
     << llvm::formatv(
            "graphStatus InferShape{0}(gert::InferShapeContext *context)\n{{\n",
            model.type);
  printInputs(recipes);
  for (const Recipe &recipe : recipes)
    printShape(recipe);
  os << "    return GRAPH_SUCCESS;\n}\n";
  printDataTypes();
  os << "} // namespace ge\n";
  return success();
}

LogicalResult host::emitInferShape(HostModel &model, raw_ostream &os) {
  return Inference(model, os).print();
}
