// SPDX-License-Identifier: Apache-2.0
// Names that a type can have in a header that anybody includes.
#pragma once

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

namespace lpt::embed {

/// The words of the language, which name nothing else.
inline constexpr const char* keywords[] = {
    "alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
    "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char16_t",
    "char32_t",    "char8_t",  "class",      "co_await",  "co_return", "co_yield",     "compl",
    "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
    "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
    "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
    "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
    "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
    "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
    "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
    "static_cast", "struct",   "switch",     "template",  "this",      "thread_local", "throw",
    "true",        "try",      "typedef",    "typeid",    "typename",  "union",        "unsigned",
    "using",       "virtual",  "void",       "volatile",  "wchar_t",   "while",        "xor",
    "xor_eq"};

inline bool is_identifier(const std::string& name) {
    const auto fits = [](char each) {
        return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') || (each >= '0' && each <= '9') ||
               each == '_';
    };
    return !name.empty() && !(name[0] >= '0' && name[0] <= '9') && std::all_of(name.begin(), name.end(), fits);
}

/// Names of implementations: two underscores in a row, or one in front of a capital or, in the namespace of all, at all.
inline bool is_reserved(const std::string& name) { return name[0] == '_' || name.find("__") != std::string::npos; }

/// What was expected in place of a name that the type of a generated header cannot have; empty where it can.
inline std::string expected_of_name(const std::string& name) {
    if (!is_identifier(name)) return "a C++ identifier of letters, digits and underscores";
    if (std::find(std::begin(keywords), std::end(keywords), name) != std::end(keywords)) {
        return "an identifier that is no keyword of C++";
    }
    if (is_reserved(name)) return "an identifier that C++ does not reserve";
    if (name == "std" || name == "lpt") return "an identifier that is no namespace of the header's";
    return {};
}

/// Whether a header that lpt_embed has written declares a member of the name, which the type around it cannot have.
inline bool has_member(const std::string& header, const std::string& name) {
    for (const char* const end : {" = ", "[", "("}) {
        const std::string declared = " " + name + end;
        for (std::size_t at = header.find(declared); at != std::string::npos; at = header.find(declared, at + 1)) {
            const std::size_t line = header.rfind('\n', at) + 1;
            const auto begins = [&](const char* words) { return header.compare(line, std::strlen(words), words) == 0; };
            if (begins("    static ") || begins("    using ") || begins("    alignas(")) return true;
        }
    }
    return false;
}

}  // namespace lpt::embed
