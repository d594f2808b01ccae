// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/error.hpp>

#include <cstdint>
#include <flatbuffers/flatbuffers.h>
#include <optional>
#include <vector>

/// Tables of a FlatBuffer, each part of which is verified when it is read.
namespace lpt::inline LPT_ABI::tflite {

/// The bytes of a file with a verifier for them.
class flat_file {
    // Parts may be shared, so a small file can describe a large thing. Nobody writes such files but to do harm.
    static constexpr std::size_t most_readings_of_a_byte = 8;
    static constexpr std::size_t free_bytes = std::size_t{1} << 16;
    static constexpr std::size_t last_byte = std::size_t{FLATBUFFERS_MAX_BUFFER_SIZE} - 1;  // positions have 31 bits

    text_view name_;
    const std::uint8_t* first_;
    std::size_t size_;
    flatbuffers::Verifier verifier_;
    std::size_t left_to_read_;

    static flatbuffers::Verifier::Options verifier_options() {
        flatbuffers::Verifier::Options result;
        result.max_tables = static_cast<flatbuffers::uoffset_t>(-1);  // bounded by what may be read
        return result;
    }

public:
    /// `name` is for messages. Behind the first 2 GiB of a file lie only buffers.
    flat_file(text_view name, const std::byte* first, std::size_t size)
        : name_(name),
          first_(reinterpret_cast<const std::uint8_t*>(first)),
          size_(size),
          verifier_(first_, size < last_byte ? size : last_byte, verifier_options()),
          left_to_read_(size * most_readings_of_a_byte + free_bytes) {}
    flat_file(const flat_file&) = delete;
    flat_file& operator=(const flat_file&) = delete;

    text_view name() const { return name_; }
    std::size_t size() const { return size_; }
    flatbuffers::Verifier& verifier() { return verifier_; }
    const std::uint8_t* first() const { return first_; }
    std::size_t position(const void* part) const {
        return static_cast<std::size_t>(static_cast<const std::uint8_t*>(part) - first_);
    }
    /// Counts bytes as read. Raises an error where the parts of the file are shared so often that reading them all is no use.
    void count(std::size_t bytes) {
        if (bytes > left_to_read_) {
            fail({name_, ": its parts are shared by so many others that together they have more than ",
                  most_readings_of_a_byte, " times the ", size_, " bytes of the file"});
        }
        left_to_read_ -= bytes;
    }
    [[noreturn]] void broken(const void* part, text_view table, text_view what) const {
        fail({name_, ": broken FlatBuffer at byte ", position(part), ": ", table, ": ", what});
    }
};

/// A table, or none: then all its fields are absent.
class flat_table {
    flat_file* file_ = nullptr;
    const flatbuffers::Table* table_ = nullptr;
    text_view name_;

    static flatbuffers::voffset_t slot(unsigned short field) {
        return static_cast<flatbuffers::voffset_t>(4 + 2 * field);
    }
    [[noreturn]] void broken(unsigned short field, text_view what) const {
        fail({file_->name(), ": broken FlatBuffer at byte ", file_->position(table_), ": field ", field, " of ", name_,
              " ", what});
    }
    const std::uint8_t* pointer(unsigned short field) const {
        if (table_ == nullptr) {
            return nullptr;
        }
        if (!table_->VerifyOffset(file_->verifier(), slot(field))) {
            broken(field, "leads out of the file");
        }
        return table_->GetPointer<const std::uint8_t*>(slot(field));
    }
    template <class Value>
    const flatbuffers::Vector<Value>* vector(unsigned short field) const {
        const auto* const result = reinterpret_cast<const flatbuffers::Vector<Value>*>(pointer(field));
        if (!file_vector_is_whole(result)) {
            broken(field, "is a list that does not end in the file");
        }
        if (result != nullptr) {
            if (result->size() != 0 && file_->position(result->data()) % sizeof(Value) != 0) {
                broken(field, "is a list of numbers that are not aligned");
            }
            file_->count(result->size() * sizeof(Value));
        }
        return result;
    }
    template <class Value>
    bool file_vector_is_whole(const flatbuffers::Vector<Value>* list) const {
        return list == nullptr || file_->verifier().VerifyVector(list);
    }

public:
    flat_table() = default;
    /// Verifies that a table begins there.
    flat_table(flat_file& file, const std::uint8_t* at, text_view name)
        : file_(&file), table_(reinterpret_cast<const flatbuffers::Table*>(at)), name_(name) {
        file.count(2 * sizeof(flatbuffers::uoffset_t));
        if (!file.verifier().VerifyTableStart(at)) {
            file.broken(at, name, "no table begins there");
        }
        file.verifier().EndTable();
    }
    /// The table that the file begins with.
    static flat_table root(flat_file& file, text_view name) {
        const flatbuffers::uoffset_t offset = file.verifier().VerifyOffset(0);
        if (offset == 0) {
            file.broken(file.first(), name, "its place lies outside of the file");
        }
        return {file, file.first() + offset, name};
    }

    explicit operator bool() const { return table_ != nullptr; }
    flat_file& file() const { return *file_; }
    /// Where in the file the table lies.
    std::size_t byte() const { return file_->position(table_); }

    template <class Value>
    Value number(unsigned short field, Value when_absent = {}) const {
        if (table_ == nullptr) {
            return when_absent;
        }
        if (!table_->VerifyField<Value>(file_->verifier(), slot(field), sizeof(Value))) {
            broken(field, "lies outside of the file, or is not aligned");
        }
        return table_->GetField<Value>(slot(field), when_absent);
    }
    bool has(unsigned short field) const { return table_ != nullptr && table_->CheckField(slot(field)); }

    text words(unsigned short field) const {
        const auto* const result = reinterpret_cast<const flatbuffers::String*>(pointer(field));
        if (result == nullptr) {
            return {};
        }
        if (!file_->verifier().VerifyString(result)) {
            broken(field, "is a text that does not end in the file");
        }
        file_->count(result->size());
        return text(text_view(result->c_str(), result->size()));
    }

    /// The numbers of a list; none where it is absent.
    template <class Value, class Result = Value>
    std::vector<Result> numbers(unsigned short field) const {
        const flatbuffers::Vector<Value>* const list = table_ == nullptr ? nullptr : vector<Value>(field);
        std::vector<Result> result;
        if (list != nullptr) {
            result.reserve(list->size());
            for (flatbuffers::uoffset_t i = 0; i < list->size(); ++i) {
                result.push_back(static_cast<Result>(list->Get(i)));
            }
        }
        return result;
    }
    /// Where the bytes of a list lie, and how many they are; `{0, 0}` where it is absent.
    std::pair<std::size_t, std::size_t> bytes_of(unsigned short field) const {
        const flatbuffers::Vector<std::uint8_t>* const list = table_ == nullptr ? nullptr : vector<std::uint8_t>(field);
        return list == nullptr ? std::pair<std::size_t, std::size_t>{}
                               : std::pair{file_->position(list->data()), std::size_t{list->size()}};
    }

    /// The table that a field leads to, or none.
    flat_table table(unsigned short field, text_view name) const {
        const std::uint8_t* const at = pointer(field);
        return at == nullptr ? flat_table() : flat_table(*file_, at, name);
    }
    /// The tables of a list; none where it is absent.
    std::vector<flat_table> tables(unsigned short field, text_view name) const {
        const flatbuffers::Vector<flatbuffers::uoffset_t>* const list =
            table_ == nullptr ? nullptr : vector<flatbuffers::uoffset_t>(field);
        std::vector<flat_table> result;
        for (flatbuffers::uoffset_t i = 0; list != nullptr && i < list->size(); ++i) {
            const std::uint8_t* const from = list->Data() + i * sizeof(flatbuffers::uoffset_t);
            const flatbuffers::uoffset_t offset = file_->verifier().VerifyOffset(file_->position(from));
            if (offset == 0) {
                broken(field, "has an entry that leads out of the file");
            }
            result.emplace_back(*file_, from + offset, name);
        }
        return result;
    }
};

}  // namespace lpt::inline LPT_ABI::tflite
