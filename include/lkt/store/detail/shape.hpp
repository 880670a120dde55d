// SPDX-License-Identifier: BSL-1.0
// The types, names and order of a type's parts as a number.
#pragma once

#include <lkt/store/detail/checksum.hpp>
#include <lkt/store/detail/encodable.hpp>
#include <lkt/store/detail/members.hpp>

namespace lkt::detail {

template <class T>
void mix_shape(digest& d, open_type const* open);

/// `open`: the structs that T is a part of.
template <class T>
void mix_plain(digest& d, open_type const* open) {
    if constexpr (std::is_arithmetic_v<T>) {
        d.add(std::is_floating_point_v<T> ? "float" : std::is_signed_v<T> ? "signed" : "unsigned");
        d.add(std::uint64_t{sizeof(T)});
    } else if constexpr (std::is_enum_v<T>) {
        d.add("enum").add(label_of<T>);
        mix_shape<std::underlying_type_t<T>>(d, open);
        if constexpr (scoped_enum<T> && !std::is_same_v<T, std::byte>)
            for (std::size_t i = 0; i < enumerators<T>::values.size(); ++i)
                d.add(enumerators<T>::names[i])
                    .add(static_cast<std::uint64_t>(enumerators<T>::values[i]));
    } else if constexpr (std::is_same_v<T, std::string>) {
        d.add("text");
    } else if constexpr (is_duration<T>) {
        d.add("duration").add(static_cast<std::uint64_t>(T::period::num));
        d.add(static_cast<std::uint64_t>(T::period::den));
        mix_shape<typename T::rep>(d, open);
    } else if constexpr (is_std_array<T>) {
        d.add("array").add(std::uint64_t{std::tuple_size_v<T>});
        mix_shape<typename T::value_type>(d, open);
    } else if constexpr (optional_like<T>) {
        d.add("optional");
        mix_shape<typename T::value_type>(d, open);
    } else if constexpr (is_variant<T>) {
        d.add("variant");
        [&]<class... Ts>(std::type_identity<std::variant<Ts...>>) {
            (mix_shape<Ts>(d, open), ...);
        }(std::type_identity<T>{});
        d.add("end");
    } else if constexpr (container<T>) {
        d.add("container");
        mix_shape<element_of<T>>(d, open);
    } else if constexpr (tuple_like<T>) {
        d.add("tuple");
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (mix_shape<std::tuple_element_t<I, T>>(d, open), ...);
        }(std::make_index_sequence<std::tuple_size_v<T>>{});
        d.add("end");
    } else if constexpr (described<T>) {
        open_type const here{type_mark<T>, open};
        d.add("fields").add(label_of<T>);
        [&]<auto... Members>(fields<Members...>) {
            ((d.add(field<Members>::name),
              mix_shape<std::remove_cvref_t<decltype(std::declval<T&>().*Members)>>(d, &here)),
             ...);
        }(typename T::state_fields{});
        d.add("end");
    } else {
        open_type const here{type_mark<T>, open};
        d.add("struct").add(label_of<T>);
        [&]<class... Ts>(type_list<Ts...>) { (mix_shape<Ts>(d, &here), ...); }(member_types<T>{});
        d.add("end");
    }
}

template <class T>
void mix_shape(digest& d, open_type const* open) {
    if (is_open(type_mark<T>, open))
        d.add("again").add(label_of<T>);
    else if constexpr (has_codec<T>)
        d.add("codec").add(std::uint64_t{value_codec<T>::shape()});
    else
        mix_plain<T>(d, open);
}

} // namespace lkt::detail
