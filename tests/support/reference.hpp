// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/reference/evaluate.hpp>

/// The scalar reference is compiled once, in reference.cpp, for all test programs: each file that evaluates a network would
/// otherwise compile all operations anew.
namespace lpt::reference {

extern template seq<tensor> evaluate_node<float>(const graph&, node_id, view<tensor>);
extern template seq<tensor> evaluate_node<float>(const graph&, node_id, view<tensor>, state&, const limits&);
extern template seq<tensor> evaluate_node<double>(const graph&, node_id, view<tensor>);
extern template seq<tensor> evaluate_node<double>(const graph&, node_id, view<tensor>, state&, const limits&);
extern template std::vector<tensor> evaluate<float>(const graph&, view<tensor>, state&, const limits&);
extern template std::vector<tensor> evaluate<double>(const graph&, view<tensor>, state&, const limits&);
extern template std::vector<tensor> evaluate<float>(const graph&, view<tensor>);
extern template std::vector<tensor> evaluate<double>(const graph&, view<tensor>);

}  // namespace lpt::reference
