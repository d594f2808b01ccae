# SPDX-License-Identifier: Apache-2.0
"""Many mutants in one build: each changed expression E becomes `(is(n) ? (changed E) : (E))`, and the environment variable LPT_MUTANT
chooses n when a program runs (mutant schemata). Constant evaluation sees the original only. Mutants that have no such expression, or whose
expressions do not compile, are left to builds of their own."""
import re

HOOK = """// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

namespace lpt_mutation {

inline int chosen = [] {
    const char* words = std::getenv("LPT_MUTANT");
    return words == nullptr ? 0 : std::atoi(words);
}();

constexpr bool is(int number) {
    if (__builtin_is_constant_evaluated()) {
        return false;
    }
    return chosen == number;
}

}  // namespace lpt_mutation
"""
HOOK_PATH = "include/lpt_mutation.hpp"


def blanked(text):
    """The text with comments, literals and preprocessor lines blanked; places and line ends stay."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])
    text = re.sub(r"//[^\n]*|/\*.*?\*/", blank, text, flags=re.S)
    text = re.sub(r"^[ \t]*#[^\n]*(?:\\\n[^\n]*)*", blank, text, flags=re.M)
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', lambda m: '"' + "_" * (len(m[0]) - 2) + '"', text)
    return re.sub(r"'(?:[^'\\\n]|\\.)'", lambda m: "'" + "_" * (len(m[0]) - 2) + "'", text)


def is_assignment(plain, at):
    return plain[at] == "=" and plain[at + 1] != "=" and plain[at - 1] not in "=!<>"


def ends_block(plain, at):
    return re.match(r"\}[ \t]*\n", plain[at:]) is not None


def left_end(plain, at):
    """Where the expression around `at` begins."""
    depth, colon = 0, None
    while at > 0:
        c = plain[at - 1]
        if c in ")]}":
            if depth == 0 and c == "}" and ends_block(plain, at - 1):
                break
            depth += 1
        elif c in "([{":
            if depth == 0:
                break
            depth -= 1
        elif depth == 0:
            if c in ";," or is_assignment(plain, at - 1):
                break
            if c == ":" and ":" not in (plain[at - 2], plain[at]) and colon is None:
                colon = at
            if c == "?":
                colon = None
            if re.search(r"\b(?:return|else|do)$", plain[max(0, at - 8):at]):
                break
        at -= 1
    return colon if colon is not None else at  # after a label, if no question comes before the colon


def right_end(plain, at):
    """Where it ends."""
    depth = question = 0
    while at < len(plain):
        c = plain[at]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            if depth == 0:
                break
            depth -= 1
        elif depth == 0:
            if c in ";,":
                break
            question += c == "?"
            if c == ":" and ":" not in (plain[at - 1], plain[at + 1]):
                if question == 0:
                    break
                question -= 1
        at += 1
    return at


def changed_part(before, after):
    """(begin, end) in `before` of what differs, with parentheses in pairs."""
    begin = 0
    while begin < min(len(before), len(after)) and before[begin] == after[begin]:
        begin += 1
    end = 0
    while end < min(len(before), len(after)) - begin and before[-1 - end] == after[-1 - end]:
        end += 1
    end = len(before) - end
    while end < len(before) and before.count("(", begin, end) > before.count(")", begin, end):
        end += 1
    return begin, end


def can_be_chosen(plain, begin, end):
    """True if this is an expression in a place where one that is computed may be."""
    what = plain[begin:end]
    statement = plain[max(plain.rfind(mark, 0, begin) for mark in ";{}") + 1:begin].replace("::", "__")
    return (begin < end and not what.startswith(("{", "if ", "for ", "while ", "return ", "const ")) and ";" not in what
            and all(what.count(left) == what.count(right) for left, right in ("()", "[]", "{}"))
            and not re.search(r"\bconstexpr\b|\bcase\b[^:]*$|\b(operator|template|using|static_assert)\b", statement)
            # what has the value of a constant expression is computed while compiling
            and not (re.search(r"\bconst\b[^()]*=\s*$", statement) and not re.search(r"(?<![\w.])[A-Za-z_]\w*", what)))


def expressions(text, line, after):
    """(begin, end, changed text) of the expressions around a change of a line, the innermost first."""
    plain = blanked(text)
    start = 0
    for _ in range(line):
        start = text.index("\n", start) + 1
    before = text[start:].split("\n", 1)[0]
    first, last = changed_part(before, after)
    changed = text[:start] + after + text[start + len(before):]
    grown = len(after) - len(before)
    if before.replace("continue;", ";", 1) == after:
        at = start + before.index("continue;")
        yield at, at + len("continue;"), None
        return
    begin, end = start + first, start + last
    for _ in range(4):
        begin = left_end(plain, begin)
        end = max(end, right_end(plain, begin))
        while begin < end and plain[begin] in " \n":
            begin += 1
        while end > begin and plain[end - 1] in " \n":
            end -= 1
        if can_be_chosen(plain, begin, end):
            yield begin, end, changed[begin:end + grown]
        # One level outwards: past the parenthesis or brace, and what stands before it.
        while begin > 0 and plain[begin - 1] not in "([{":
            if plain[begin - 1] in ";}":
                return
            begin = left_end(plain, begin - 1)
        while end < len(plain) and plain[end] not in ")]};":
            end = right_end(plain, end + 1)
        if begin == 0 or end >= len(plain) or plain[end] == ";":
            return
        begin, end = begin - 1, end + 1


def one_line(text):
    """Code on one line, without comments."""
    return re.sub(r"\s*\n\s*", " ", re.sub(r"//[^\n]*", "", text))


class Weave:
    """The mutants of a run: (number from 1, header, line, changed line)."""

    def __init__(self, mutants, sources):
        self.sources = sources  # text by header
        self.choices = {}  # mutant: the expressions that are left to try, the first is used
        self.header = {number: header for number, header, _, _ in mutants}
        for number, header, line, after in mutants:
            self.choices[number] = list(expressions(sources[header], line, after))

    def woven(self):
        return [number for number, left in self.choices.items() if left]

    def text_of(self, header):
        """The header with all its mutants; those that overlap with one before are given up."""
        text = self.sources[header]
        places = []
        for number in self.woven():
            if self.header[number] == header:
                begin, end, changed = self.choices[number][0]
                if any(begin < other[1] and other[0] < end for other in places):
                    self.choices[number] = []
                else:
                    places.append((begin, end, changed, number))
        for begin, end, changed, number in sorted(places, reverse=True):
            before = text[begin:end]
            test = f"::lpt_mutation::is({number})"
            made = f"{{ if (!{test}) continue; }}" if changed is None else f"({test} ? ({one_line(changed)}) : ({one_line(before)}))"
            text = text[:begin] + made + "\n" * before.count("\n") + text[end:]
        hook = "#include <lpt_mutation.hpp>"  # on the line of the pragma's comment, so that lines keep their numbers
        return text.replace("#pragma once\n\n", f"#pragma once\n{hook}\n", 1) if places else text

    def lines_of(self, number):
        begin, end, _ = self.choices[number][0]
        text = self.sources[self.header[number]]
        return range(text.count("\n", 0, begin) + 1, text.count("\n", 0, end) + 2)

    def give_way(self, output):
        """Takes the next expression of the mutants that a compiler's messages name; says which."""
        for marked in (r"([\w./]*include/lpt/[\w/]+\.hpp):(\d+):\d+: error", r"([\w./]*include/lpt/[\w/]+\.hpp):(\d+):\d+:"):
            places = {("include/lpt/" + path.split("include/lpt/")[1], int(line))
                      for path, line in re.findall(marked, re.sub(r"\x1b\[[\d;]*[mK]", "", output))}
            found = [number for number in self.woven()
                     if any(path == str(self.header[number]) and line in self.lines_of(number) for path, line in places)]
            if found:
                return self.next_of(found)
        # What g++ 12 cannot evaluate it reports where it is used: every expression in a header that the messages pass gives way.
        headers = {"include/lpt/" + path for path in re.findall(r"include/lpt/([\w/]+\.hpp)", output)}
        return self.next_of([number for number in self.woven() if str(self.header[number]) in headers])

    def next_of(self, numbers):
        """Takes the next expression of these mutants."""
        for number in numbers:
            self.choices[number].pop(0)
        return numbers
