//===- Rewrites.cpp - Rewrites of whole bodies ----------------------------===//
//
// What is done to formulas before they are brought to the normal form, and
// after they were built from it.
//
//===----------------------------------------------------------------------===//

#include "passes/Derive/NormalForm.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace lossgrad;

/// A factor that a condition of the call guards, or null.
static Node findGuarded(ArrayRef<Node> factors) {
  for (Node factor : factors)
    if (factor->is("select") && isUniformNode(factor->args[0]) &&
        !isUniformNode(factor) &&
        (factor->args[1]->isConst(0) || factor->args[2]->isConst(0)))
      return factor;
  return nullptr;
}

/// The roots with every node replaced, operands first: `replace` is given a
/// node and what its operands have become, which it may change, and returns
/// another node or null, for the same one of these operands.
static SmallVector<Node>
replaceNodes(ExpressionPool &pool, ArrayRef<Node> roots,
             llvm::function_ref<Node(Node, SmallVectorImpl<Node> &)> replace) {
  DenseMap<Node, Node> replaced;
  for (Node node : inOrder(roots)) {
    SmallVector<Node> args = llvm::map_to_vector(
        node->args, [&](Node arg) { return replaced.lookup(arg); });
    Node other = replace(node, args);
    replaced[node] = other          ? other
                     : args.empty() ? node
                                    : pool.rebuild(node, args);
  }
  return llvm::map_to_vector(roots, [&](Node n) { return replaced.lookup(n); });
}

SmallVector<Node> lossgrad::hoistGuards(ExpressionPool &pool,
                                        ArrayRef<Node> roots) {
  size_t most = 0;
  llvm::DenseSet<Node> chosen; // conditions that make kernels of their own
  for (Node node : inOrder(roots)) {
    most = std::max(most, node->dims().size());
    if (node->is("select") && isUniformNode(node->args[0]) &&
        !isUniformNode(node->args[1]) && !isUniformNode(node->args[2]))
      chosen.insert(node->args[0]);
  }
  auto move = [&](Node node, ArrayRef<Node> args) -> Node {
    Node guarded = node->is("mul")   ? findGuarded(args)
                   : node->is("div") ? findGuarded(args[0])
                                     : nullptr;
    // A select of elements instead of one per row would cost more, unless the
    // body is another one for each side anyway.
    if (!guarded ||
        (node->dims().size() == most && guarded->type != node->type &&
         !chosen.contains(guarded->args[0])))
      return nullptr;
    auto side = [&](Node value) {
      if (value->isConst(0))
        return value;
      SmallVector<Node> inside(args);
      *llvm::find(inside, guarded) = value;
      return pool.rebuild(node, inside);
    };
    return pool.select(guarded->args[0], side(guarded->args[1]),
                       side(guarded->args[2]));
  };
  return replaceNodes(pool, roots, move);
}

SmallVector<Node> lossgrad::decideSelects(ExpressionPool &pool,
                                          ArrayRef<Node> roots) {
  auto decide = [&](Node node, SmallVectorImpl<Node> &args) -> Node {
    if (node->is("select") && isUniformNode(args[0])) {
      Node condition = args[0];
      for (unsigned side : {1, 2}) {
        DenseMap<Node, Node> table;
        for (Node inner : inOrder(args[side]))
          // A side with fewer dims would change what is summed up.
          if (inner->is("select") && inner->args[0] == condition &&
              inner->args[side]->type == inner->type)
            table[inner] = inner->args[side];
        args[side] = substitute(pool, args[side], table).front();
      }
    }
    return nullptr;
  };
  return replaceNodes(pool, roots, decide);
}

SmallVector<Node> lossgrad::mergeSelects(ExpressionPool &pool,
                                         ArrayRef<Node> roots) {
  auto merge = [&](Node node, SmallVectorImpl<Node> &args) -> Node {
    if (node->is("mul")) {
      // Between what is the same for a row, or the product moves into sides.
      auto isChoice = [&](Node factor) {
        return factor->is("select") &&
               llvm::all_of(ArrayRef(factor->args).drop_front(), [&](Node n) {
                 return n->dims().size() < node->dims().size();
               });
      };
      for (size_t i = 0; i < args.size(); ++i)
        for (size_t j = i + 1; isChoice(args[i]) && j < args.size();) {
          Node a = args[i], b = args[j];
          if (!isChoice(b) || a->args[0] != b->args[0]) {
            ++j;
            continue;
          }
          args[i] = pool.select(a->args[0], pool.mul({a->args[1], b->args[1]}),
                                pool.mul({a->args[2], b->args[2]}));
          args.erase(args.begin() + j);
        }
    }
    return nullptr;
  };
  return replaceNodes(pool, roots, merge);
}

SmallVector<Node> lossgrad::writeSoftmax(ExpressionPool &pool,
                                         ArrayRef<Node> roots) {
  // exp(x - logsumexp(x over d)), with what both are made of.
  DenseMap<Node, Node> table;
  for (Node node : inOrder(roots)) {
    if (!node->is("exp") || !node->args[0]->is("add") ||
        node->args[0]->args.size() != 2)
      continue;
    for (unsigned i : {0, 1}) {
      Node x = node->args[0]->args[1 - i];
      Node sum = pool.neg(node->args[0]->args[i]);
      if (!sum->isCall("logsumexp") || sum->args[0] != x)
        continue;
      Node largest = pool.reduce(ReduceKind::max, x, sum->getOver());
      Node e = pool.unary("exp", pool.sub(x, largest));
      Node total = pool.reduce(ReduceKind::sum, e, sum->getOver());
      table[node] = pool.mul({e, pool.div(pool.constant(1), total)});
      table[sum] = pool.add({largest, pool.unary("log", total)});
    }
  }
  return table.empty() ? SmallVector<Node>(roots)
                       : substitute(pool, roots, table);
}
