// SPDX-License-Identifier: Apache-2.0
// Packed weights, each kept once however many plans use them.
#pragma once

#include <lpt/plan/steps.hpp>

#include <map>
#include <utility>

namespace lpt::inline LPT_ABI::plan {

/// Packed weights by the constant that they were packed from and the form in which they are packed.
///
/// A network that runs with several shapes has a plan for each; the weights belong to all of them. Those packed from constants of the
/// network stay as long as the store; those of constants that a plan computed for its shapes go with the last plan that uses them.
class weight_store {
    struct entry {
        tensor source;  // keeps the bytes whose address is the key, not the memory behind a window on a file
        std::shared_ptr<const packed_bytes> packed;
    };
    std::map<std::pair<const std::byte*, std::string>, entry> entries_;
    std::map<const std::byte*, tensor> kept_;
    zeroed_blocks blocks_;
    std::size_t bytes_ = 0;
    std::size_t limit_ = SIZE_MAX;

public:
    weight_store() = default;
    /// `limit`: the most bytes that packed weights may take; a `memory_error` is raised before more are packed.
    explicit weight_store(std::size_t limit) : limit_(limit) {}

    /// Weights packed from this constant stay when no plan uses them.
    void keep(const tensor& constant) { kept_.insert_or_assign(constant.data(), constant); }
    /// Lets weights go that no plan uses, but for those of constants that are kept.
    void forget_unused() {
        for (auto each = entries_.begin(); each != entries_.end();) {
            const bool unused = each->second.packed.use_count() == 1 && !kept_.contains(each->first.first);
            bytes_ -= unused ? each->second.packed->size() : 0;
            each = unused ? entries_.erase(each) : std::next(each);
        }
    }
    /// The packed weights of a constant; `pack(bytes)` writes `size` bytes if there are none of this form yet.
    ///
    /// `form`: everything that the packed bytes depend on besides the constant's values, in words.
    template <class Pack>
    std::shared_ptr<const packed_bytes> find_or_pack(const tensor& source, const std::string& form, std::size_t size,
                                                     const Pack& pack) {
        const text kind = join({name(source.type()), source.dimensions()});
        const std::pair<const std::byte*, std::string> key{source.data(), kind.c_str() + (" " + form)};
        if (const auto found = entries_.find(key); found != entries_.end()) {
            return found->second.packed;
        }
        if (size > limit_ - bytes_) {
            lpt::detail::raise_beyond_limit(size > SIZE_MAX - bytes_ ? SIZE_MAX : bytes_ + size, limit_);
        }
        const auto packed = std::make_shared<packed_bytes>(blocks_.take(size));
        pack(packed->data());
        source.put_aside();
        entries_.emplace(key, entry{source, packed});
        bytes_ += size;
        return packed;
    }
    /// How many packed weights there are.
    std::size_t size() const { return entries_.size(); }
    /// Their bytes.
    std::size_t bytes() const { return bytes_; }
};

namespace detail {

/// Bytes of packed weights as a constant, which keeps them.
inline tensor tensor_of_packed(std::shared_ptr<const packed_bytes> packed) {
    const shape dimensions{static_cast<dimension>(packed->size())};
    auto* keeper = new std::shared_ptr<const packed_bytes>(std::move(packed));
    const auto release = [](void* kept) { delete static_cast<std::shared_ptr<const packed_bytes>*>(kept); };
    return tensor(u8, dimensions, bytes((*keeper)->data(), (*keeper)->size(), release, keeper));
}

}  // namespace detail

}  // namespace lpt::inline LPT_ABI::plan
