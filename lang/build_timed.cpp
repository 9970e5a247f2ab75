// Parse tree to AST: what is timed. Interface: build_parts.h; covered by the goldens (*.ast).
#include "lang/build_parts.h"

namespace gpx {

using grammar::Node;
using grammar::Tree;

ast::Access TimedBuilder::access(const Tree& tree) {
  ast::Access access;
  std::size_t i = 0;
  access.kind = ident(tree.children[i++]);
  if (tree.children[i].node == Node::space) access.space = ident(tree.children[i++].children[0]);
  access.pattern = ident(tree.children[i++]);
  for (; i < tree.children.size(); ++i) {
    const Tree& part = tree.children[i];
    if (part.node == Node::arguments) {
      access.has_args = true;
      for (const Tree& arg : part.children) access.args.push_back(operand(arg));
    } else if (part.node == Node::width) {
      set_once(access.width, operand(part.children[0]), part, "width for one access");
    } else if (part.node == Node::cache) {
      set_once(access.cache, ident(part.children[0]), part, "cache operator for one access");
    } else if (part.node == Node::from) {
      set_once(access.from, operand(part.children[0]), part, "'from' for one access");
    } else if (part.node == Node::on_rank) {
      set_once(access.rank, operand(part.children[0]), part, "'on rank' for one access");
    } else if (part.node == Node::each) {
      set_once(access.each, ident(part), part, "'each' for one access");
    } else if (part.node == Node::chain) {
      set_once(access.chain, ident(part), part, "'chain' for one access");
    } else {
      set_once(access.count, operand(part.children[1]), part, "count for one access");
    }
  }
  return access;
}

ast::Operate TimedBuilder::operate(const Tree& tree) {
  ast::Operate operate;
  operate.operation = ident(tree.children[0]);
  operate.is_ptx = tree.children[0].node == Node::string;
  for (std::size_t i = 1; i < tree.children.size(); ++i) {
    const Tree& part = tree.children[i];
    if (part.node == Node::count) {
      set_once(operate.count, operand(part.children[1]), part, "count for one operation");
    } else if (part.node == Node::ident) {
      operate.source = ident(part);
    } else if (part.node == Node::data) {
      set_once(operate.data, ident(part.children[0]), part, "'data' for one operation");
    } else if (operate.chain || operate.streams) {
      problems_.add(part.span, "a second 'chain' or 'streams' for one operation",
                    "'chain' is one stream: each waits for the one before it");
    } else if (part.node == Node::chain) {
      operate.chain = ident(part);
    } else {
      operate.streams = operand(part.children[0]);
    }
  }
  return operate;
}

ast::When TimedBuilder::when(const Tree& tree) {
  ast::When when;
  when.condition = operand(tree.children[0]);
  when.then = body(tree.children[1]);
  if (tree.children.size() < 3) return when;
  const Tree& otherwise = tree.children[2];
  when.else_when = otherwise.node == Node::when;
  if (!when.else_when) {
    when.otherwise = body(otherwise);
    return when;
  }
  when.otherwise.emplace();
  when.otherwise->statements.push_back(timed(otherwise));
  return when;
}

ast::Diverge TimedBuilder::diverge(const Tree& tree) {
  ast::Diverge diverge;
  diverge.selector = operand(tree.children[0]);
  const Tree& values = tree.children[1];
  diverge.values_span = values.span;
  diverge.is_list = values.node == Node::values;
  if (diverge.is_list) {
    for (const Tree& child : values.children) diverge.list.push_back(operand(child));
  } else {
    diverge.from = operand(values.children[0]);
    diverge.to = operand(values.children[1]);
  }
  diverge.body = body(tree.children[2]);
  return diverge;
}

ast::Body TimedBuilder::body(const Tree& tree) {
  ast::Body body;
  body.open = {tree.span.begin, tree.span.begin + 1};
  body.close = {tree.span.end - 1, tree.span.end};
  for (const Tree& child : tree.children)
    if (child.node != Node::open) body.statements.push_back(timed(child));
  return body;
}

ast::Timed TimedBuilder::timed(const Tree& tree) {
  const auto& children = tree.children;
  switch (tree.node) {
    case Node::access: return {access(tree), tree.span};
    case Node::async: {
      ast::Access made = access(children[0]);
      made.async = true;
      return {std::move(made), tree.span};
    }
    case Node::wait: return {ast::Wait{}, {tree.span.begin, tree.span.begin + 4}};
    case Node::code: return {ast::Code{operand(children[0])}, tree.span};
    case Node::sync: return {ast::Sync{!children.empty()}, tree.span};
    case Node::stamp:
      if (children.empty()) return {ast::Stamp{}, tree.span};
      return {ast::Stamp{ident(children[0])}, tree.span};
    case Node::keep: return {ast::Keep{ident(children[0]), operand(children[1])}, tree.span};
    case Node::run: return {ast::Run{ident(children[0])}, tree.span};
    case Node::assign: return {ast::Assign{ident(children[0]), operand(children[1])}, tree.span};
    case Node::when: return {when(tree), tree.span};
    case Node::while_: return {ast::While{operand(children[0]), body(children[1])}, tree.span};
    case Node::diverge: return {diverge(tree), tree.span};
    default: return {operate(tree), tree.span};
  }
}

}  // namespace gpx
