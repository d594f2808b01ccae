// SPDX-License-Identifier: Apache-2.0
#include "reference.hpp"

namespace lpt::reference {

template seq<tensor> evaluate_node<float>(const graph&, node_id, view<tensor>);
template seq<tensor> evaluate_node<float>(const graph&, node_id, view<tensor>, state&, const limits&);
template seq<tensor> evaluate_node<double>(const graph&, node_id, view<tensor>);
template seq<tensor> evaluate_node<double>(const graph&, node_id, view<tensor>, state&, const limits&);
template std::vector<tensor> evaluate<float>(const graph&, view<tensor>, state&, const limits&);
template std::vector<tensor> evaluate<double>(const graph&, view<tensor>, state&, const limits&);
template std::vector<tensor> evaluate<float>(const graph&, view<tensor>);
template std::vector<tensor> evaluate<double>(const graph&, view<tensor>);

}  // namespace lpt::reference
