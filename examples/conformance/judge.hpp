// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

/// Compares two graphs in the form of the cases: walks up from their outputs and inputs and gives the first difference.
namespace lpt::conformance {

/// How far apart two numbers may be: relative and absolute.
inline constexpr double relative_tolerance = 1e-4;
inline constexpr double absolute_tolerance = 1e-6;

inline bool is_real_type(std::string_view type) {
    return type == "f64" || type == "f32" || type == "f16" || type == "bf16" || type == "f8e4m3" || type == "f8e5m2" ||
           type == "nf4";
}

/// Distance between neighbouring values near `value` in a 16-bit type; 0 for other types.
inline double step_of(std::string_view type, double value) {
    if (type != "f16" && type != "bf16") {
        return 0;
    }
    const int fraction_bits = type == "f16" ? 10 : 7;
    const int least_exponent = type == "f16" ? -14 : -126;
    if (value == 0) {
        return std::ldexp(1.0, least_exponent - fraction_bits);
    }
    int exponent = 0;
    std::frexp(value, &exponent);
    return std::ldexp(1.0, std::max(exponent - 1, least_exponent) - fraction_bits);
}

inline bool close(double left, double right, std::string_view type = "f32") {
    if (left == right || (std::isnan(left) && std::isnan(right))) {
        return true;
    }
    if (!std::isfinite(left) || !std::isfinite(right)) {
        return false;
    }
    const double size = std::max(std::abs(left), std::abs(right));
    const double allowed = std::max({absolute_tolerance, relative_tolerance * size, 1.0001 * step_of(type, size)});
    return std::abs(left - right) <= allowed;
}

inline bool same_integer(const json& left, const json& right) {
    if (left.is_number_integer() && right.is_number_integer()) {
        return left == right;
    }
    return number_of(left) == number_of(right);
}

/// Values of two Constants of one type and shape; a single value stands for all.
inline bool same_values(const json& left, const json& right, const std::string& type, const json& shape) {
    std::size_t count = 1;
    for (const json& size : shape) {
        count *= size.get<std::size_t>();
    }
    for (const json* values : {&left, &right}) {
        if ((values->size() != 1 && values->size() != count) || (count == 0 && !values->empty())) {
            return false;
        }
    }
    const bool real = is_real_type(type);
    for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
        const json& a = left[left.size() > 1 ? i : 0];
        const json& b = right[right.size() > 1 ? i : 0];
        if (real ? !close(number_of(a), number_of(b), type) : !same_integer(a, b)) {
            return false;
        }
    }
    return true;
}

inline bool is_whole(const json& value) { return value.is_boolean() || value.is_number_integer(); }
inline double plain_number(const json& value) {
    return value.is_boolean() ? (value.get<bool>() ? 1.0 : 0.0) : value.get<double>();
}

/// Values of an attribute of an operation.
inline bool same_attribute(const json& left, const json& right) {
    if (left.is_array() && right.is_array()) {
        return left.size() == right.size() &&
               std::equal(left.begin(), left.end(), right.begin(),
                          [](const json& a, const json& b) { return same_attribute(a, b); });
    }
    if (is_whole(left) && is_whole(right)) {
        return left.is_number() && right.is_number() ? left == right : plain_number(left) == plain_number(right);
    }
    if ((is_whole(left) || left.is_number()) && (is_whole(right) || right.is_number())) {
        return close(plain_number(left), plain_number(right));
    }
    return left == right;
}

/// The text of a run-time attribute, taken apart.
struct attribute_text {
    std::string body;  // without numbers (`@` in their places) and blanks
    std::vector<std::string> numbers;
    std::optional<std::string> group;  // the number of the shared value, behind `#`
};

namespace detail {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
inline bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The length of the number that begins at `at`; 0 if none does.
inline std::size_t number_length(std::string_view text, std::size_t at) {
    if (at > 0 && (is_word(text[at - 1]) || text[at - 1] == '.')) {
        return 0;
    }
    std::size_t end = at;
    const auto digits = [&] {
        const std::size_t from = end;
        while (end < text.size() && is_digit(text[end])) {
            ++end;
        }
        return end != from;
    };
    if (end < text.size() && (text[end] == '-' || text[end] == '+')) {
        ++end;
    }
    if (text.substr(end, 3) == "inf" || text.substr(end, 3) == "nan") {
        end += 3;
    } else if (digits()) {
        if (end < text.size() && text[end] == '.') {
            ++end;
            digits();
        }
        if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
            const std::size_t before = end++;
            if (end < text.size() && (text[end] == '-' || text[end] == '+')) {
                ++end;
            }
            if (!digits()) {
                end = before;
            }
        }
    } else {
        return 0;
    }
    return end < text.size() && (is_word(text[end]) || text[end] == '.') ? 0 : end - at;
}

/// Takes ` #7` off the end of a text.
inline std::optional<std::string> take_group(std::string& text) {
    std::size_t end = text.size();
    while (end > 0 && is_blank(text[end - 1])) {
        --end;
    }
    std::size_t first = end;
    while (first > 0 && is_digit(text[first - 1])) {
        --first;
    }
    if (first == end || first == 0 || text[first - 1] != '#') {
        return std::nullopt;
    }
    std::string group = text.substr(first, end - first);
    --first;
    while (first > 0 && is_blank(text[first - 1])) {
        --first;
    }
    text.resize(first);
    return group;
}

/// Puts the types behind `preferablePrecisions:` in alphabetical order: they are a set.
inline void sort_preferable(std::string& text) {
    static constexpr std::string_view key = "preferablePrecisions:";
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + key.size())) {
        std::size_t open = at + key.size();
        while (open < text.size() && is_blank(text[open])) {
            ++open;
        }
        const std::size_t shut = text.find('}', open);
        if (open >= text.size() || text[open] != '{' || shut == std::string::npos) {
            continue;
        }
        std::multiset<std::string> types;
        std::string word;
        for (std::size_t i = open + 1; i <= shut; ++i) {
            if (i == shut || text[i] == ',' || is_blank(text[i])) {
                if (!word.empty()) {
                    types.insert(word);
                }
                word.clear();
            } else {
                word += text[i];
            }
        }
        std::string list;
        for (const std::string& type : types) {
            list += (list.empty() ? "" : ", ") + type;
        }
        text.replace(open + 1, shut - open - 1, list);
    }
}

}  // namespace detail

inline attribute_text read_attribute_text(std::string text) {
    attribute_text result;
    result.group = detail::take_group(text);
    detail::sort_preferable(text);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = detail::number_length(text, at);
        if (length != 0) {
            result.numbers.push_back(text.substr(at, length));
            result.body += '@';
            at += length;
        } else {
            if (!detail::is_blank(text[at])) {
                result.body += text[at];
            }
            ++at;
        }
    }
    return result;
}

/// Raised where two graphs differ; the text says where.
struct difference {
    std::string text;
};

/// One comparison: what is paired with what so far.
class judge {
    using group_key = std::pair<std::string, std::string>;
    struct step {
        std::size_t left;
        std::size_t right;
        std::string path;
    };

    const json& left_;
    const json& right_;
    std::set<std::string> flags_;
    std::map<std::size_t, std::size_t> pair_;
    std::map<std::size_t, std::size_t> back_;
    std::set<std::pair<std::size_t, std::size_t>> done_;
    std::map<group_key, std::string> groups_;
    std::map<group_key, std::string> groups_back_;

    bool flag(const char* name) const { return flags_.count(name) != 0; }

    template <class... Parts>
    [[noreturn]] static void differ(const Parts&... parts) {
        std::string text;
        (text.append(parts), ...);
        throw difference{std::move(text)};
    }

    static std::string start_of(const json& values) {
        json head = json::array();
        for (std::size_t i = 0; i < std::min<std::size_t>(values.size(), 4); ++i) {
            head.push_back(values[i]);
        }
        return head.dump() + (values.size() > 4 ? "…" : "");
    }

    bool same_text(const std::string& left, const std::string& right, const std::string& kind) {
        const attribute_text a = read_attribute_text(left);
        const attribute_text b = read_attribute_text(right);
        if (a.body != b.body || a.numbers.size() != b.numbers.size() || a.group.has_value() != b.group.has_value()) {
            return false;
        }
        std::size_t place = 0;
        for (std::size_t i = 0; i < a.numbers.size(); ++i) {
            const std::size_t next = a.body.find('@', place);
            std::string before = a.body.substr(place, next - place);
            std::transform(before.begin(), before.end(), before.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
            place = next + 1;
            const double x = std::strtod(a.numbers[i].c_str(), nullptr);
            const double y = std::strtod(b.numbers[i].c_str(), nullptr);
            const bool whole = before.size() >= 7 && before.compare(before.size() - 7, 7, "levels:") == 0;
            if (whole ? x != y : !close(x, y)) {
                return false;
            }
        }
        return !a.group || (groups_.try_emplace({kind, *a.group}, *b.group).first->second == *b.group &&
                            groups_back_.try_emplace({kind, *b.group}, *a.group).first->second == *a.group);
    }

    /// The run-time attributes of one place that are compared at this kind of node.
    static json relevant(const json* attributes, bool copies) {
        static const std::set<std::string> everywhere = {"DisableCleanup", "DISABLED_CONSTANT_FOLDING",
                                                         "DequantizationNode", "KeepConstPrecision"};
        static const std::set<std::string> quantization = {"Precisions",
                                                           "PrecisionPreserved",
                                                           "IntervalsAlignment",
                                                           "QuantizationAlignment",
                                                           "QuantizationGranularity",
                                                           "AvgPoolPrecisionPreserved",
                                                           "Bias"};
        json result = json::object();
        if (attributes != nullptr) {
            for (const auto& [key, text] : attributes->items()) {
                if (everywhere.count(key) != 0 || (!copies && quantization.count(key) != 0)) {
                    result[key] = text;
                }
            }
        }
        return result;
    }
    static std::string keys_of(const json& attributes) {
        json keys = json::array();
        for (const auto& [key, text] : attributes.items()) {
            keys.push_back(key);
        }
        return keys.dump();
    }

    void compare_place(const json* left, const json* right, bool copies, const std::string& where,
                       const std::string& here) {
        const json a = relevant(left, copies);
        const json b = relevant(right, copies);
        if (keys_of(a) != keys_of(b)) {
            differ("attributes ", keys_of(a), " vs ", keys_of(b), " on ", where, " of ", here);
        }
        if (!flag("attribute_values")) {
            return;
        }
        for (const auto& [key, text] : a.items()) {
            const std::string& x = text.get_ref<const std::string&>();
            const std::string& y = b[key].get_ref<const std::string&>();
            if (!same_text(x, y, key)) {
                differ("attribute ", key, ": ", x, " vs ", y, " on ", where, " of ", here);
            }
        }
    }

    void compare_attributes(const json& a, const json& b, const std::string& here) {
        static const std::set<std::string> copied = {"Constant", "Convert", "Subtract", "Multiply", "Result"};
        const bool copies = copied.count(a.at("op").get<std::string>()) != 0;
        compare_place(find(a, "attributes"), find(b, "attributes"), copies, "node", here);
        for (std::size_t i = 0; i < a.at("out").size(); ++i) {
            compare_place(find(a["out"][i], "attributes"), find(b["out"][i], "attributes"), copies,
                          "output " + std::to_string(i), here);
        }
        const std::size_t inputs = a.contains("in") ? a["in"].size() : 0;
        const json* x = find(a, "in_attributes");
        const json* y = find(b, "in_attributes");
        for (std::size_t i = 0; i < inputs; ++i) {
            compare_place(x != nullptr ? &x->at(i) : nullptr, y != nullptr ? &y->at(i) : nullptr, copies,
                          "input " + std::to_string(i), here);
        }
    }

    void compare_outputs(const json& a, const json& b, const std::string& path, const std::string& here) {
        const json& x = a.at("out");
        const json& y = b.at("out");
        if (x.size() != y.size()) {
            differ("outputs ", std::to_string(x.size()), " vs ", std::to_string(y.size()), " at ", path);
        }
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (flag("precisions") && x[i].at("type") != y[i].at("type")) {
                differ("type ", x[i]["type"].get<std::string>(), " vs ", y[i]["type"].get<std::string>(), " at ", here);
            }
            if (x[i].at("shape") != y[i].at("shape")) {
                differ("shape ", x[i]["shape"].dump(), " vs ", y[i]["shape"].dump(), " at ", here);
            }
        }
    }

    static const json& list_of(const json& node, const char* key) {
        static const json nothing = json::array();
        const json* list = find(node, key);
        return list != nullptr ? *list : nothing;
    }

    /// Compares two nodes that must be the same; appends the nodes above them.
    void compare_nodes(const step& at, std::vector<step>& above) {
        const json& a = left_.at(at.left);
        const json& b = right_.at(at.right);
        const std::string& op = a.at("op").get_ref<const std::string&>();
        const std::string here = at.path + "/" + op;
        if (op != b.at("op").get_ref<const std::string&>() || a.at("version") != b.at("version")) {
            differ("op ", op, "-", a.at("version").dump(), " vs ", b["op"].get<std::string>(), "-",
                   b.at("version").dump(), " at ", at.path);
        }
        if (op != "Constant" && (pair_.try_emplace(at.left, at.right).first->second != at.right ||
                                 back_.try_emplace(at.right, at.left).first->second != at.left)) {
            differ("sharing of ", op, " at ", at.path);
        }
        if (!done_.insert({at.left, at.right}).second) {
            return;
        }
        compare_outputs(a, b, at.path, here);
        if (op == "Constant" && flag("constant_values") &&
            !same_values(a.at("value"), b.at("value"), a["out"].at(0).at("type").get<std::string>(),
                         a["out"][0].at("shape"))) {
            differ("value ", start_of(a["value"]), " vs ", start_of(b["value"]), " at ", here);
        }
        for (const auto& [key, value] : list_of(a, "attrs").items()) {
            const json* other = find(list_of(b, "attrs"), key.c_str());
            if (other != nullptr && !same_attribute(value, *other)) {
                differ("attr ", key, ": ", value.dump(), " vs ", other->dump(), " at ", here);
            }
        }
        const json& x = list_of(a, "in");
        const json& y = list_of(b, "in");
        if (x.size() != y.size()) {
            differ("inputs ", std::to_string(x.size()), " vs ", std::to_string(y.size()), " at ", here);
        }
        if (flag("attribute_keys") || flag("attribute_values")) {
            compare_attributes(a, b, here);
        }
        if (list_of(a, "control").size() != list_of(b, "control").size()) {
            differ("control ", list_of(a, "control").dump(), " vs ", list_of(b, "control").dump(), " at ", here);
        }
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (x[i].at(1) != y[i].at(1)) {
                differ("port ", x[i][1].dump(), " vs ", y[i][1].dump(), " at ", here);
            }
        }
        for (std::size_t i = x.size(); i-- > 0;) {
            above.push_back(
                {x[i].at(0).get<std::size_t>(), y[i].at(0).get<std::size_t>(), here + "[" + std::to_string(i) + "]"});
        }
    }

    static std::vector<std::size_t> nodes_of(const json& graph, const char* op) {
        std::vector<std::size_t> result;
        for (std::size_t i = 0; i < graph.size(); ++i) {
            if (graph[i].at("op") == op) {
                result.push_back(i);
            }
        }
        return result;
    }

    void compare_name(std::size_t left, std::size_t right, const std::string& path) {
        const json& a = left_.at(left_.at(left).at("in").at(0).at(0).get<std::size_t>());
        const json& b = right_.at(right_.at(right).at("in").at(0).at(0).get<std::size_t>());
        const json* x = find(a, "name");
        const json* y = find(b, "name");
        if (x != nullptr && (y == nullptr || *x != *y)) {
            differ("name ", x->dump(), " vs ", y == nullptr ? std::string("none") : y->dump(), " at ", path);
        }
    }

    void compare_from(const char* op) {
        const std::vector<std::size_t> left = nodes_of(left_, op);
        const std::vector<std::size_t> right = nodes_of(right_, op);
        if (left.size() != right.size()) {
            differ(op, "s ", std::to_string(left.size()), " vs ", std::to_string(right.size()));
        }
        std::vector<step> stack;
        for (std::size_t i = 0; i < left.size(); ++i) {
            stack.push_back({left[i], right[i], std::string(op) + " " + std::to_string(i) + ": "});
            if (flag("names") && std::string_view(op) == "Result") {
                compare_name(left[i], right[i], stack.back().path);
            }
        }
        while (!stack.empty()) {
            const step next = std::move(stack.back());
            stack.pop_back();
            compare_nodes(next, stack);
        }
    }

    void compare_control() {
        for (const auto& [left, right] : pair_) {
            std::multiset<long long> expected;
            for (const json& on : list_of(left_[left], "control")) {
                const auto at = pair_.find(on.get<std::size_t>());
                expected.insert(at == pair_.end() ? -1 : static_cast<long long>(at->second));
            }
            std::multiset<long long> found;
            for (const json& on : list_of(right_[right], "control")) {
                found.insert(on.get<long long>());
            }
            if (expected != found) {
                differ("control ", list_of(left_[left], "control").dump(), " vs ",
                       list_of(right_[right], "control").dump(), " of ", left_[left]["op"].get<std::string>());
            }
        }
    }

public:
    judge(const json& expected, const json& answer, const json& flags) : left_(expected), right_(answer) {
        for (const json& each : flags) {
            flags_.insert(each.get<std::string>());
        }
    }
    void compare() {
        for (const char* op : {"Parameter", "Result", "Assign"}) {
            compare_from(op);
        }
        compare_control();
    }
};

/// The first difference between the right graph and an answer; empty when they are equal.
inline std::string compare_graphs(const json& expected, const json& answer, const json& flags) {
    try {
        judge(expected, answer, flags).compare();
    } catch (const difference& found) {
        return found.text;
    } catch (const json::exception& broken) {
        return std::string("malformed graph: ") + broken.what();
    }
    return {};
}

}  // namespace lpt::conformance
