// SPDX-License-Identifier: BSL-1.0
// The types, names and order of a type's parts as a number.
#pragma once

#include <lkt/store/detail/checksum.hpp>
#include <lkt/store/detail/encodable.hpp>

namespace lkt::detail {

template <class T, class... Open>
void mix_shape(digest& d);

template <class T, class... Open>
void mix_plain(digest& d) {
    if constexpr (std::is_arithmetic_v<T>) {
        d.add(std::is_floating_point_v<T> ? "float" : std::is_signed_v<T> ? "signed" : "unsigned");
        d.add(std::uint64_t{sizeof(T)});
    } else if constexpr (std::is_enum_v<T>) {
        d.add("enum").add(label_of<T>);
        mix_shape<std::underlying_type_t<T>>(d);
        if constexpr (scoped_enum<T> && !std::is_same_v<T, std::byte>)
            for (std::size_t i = 0; i < enumerators<T>::values.size(); ++i)
                d.add(enumerators<T>::names[i])
                    .add(static_cast<std::uint64_t>(enumerators<T>::values[i]));
    } else if constexpr (std::is_same_v<T, std::string>) {
        d.add("text");
    } else if constexpr (is_duration<T>) {
        d.add("duration").add(static_cast<std::uint64_t>(T::period::num));
        d.add(static_cast<std::uint64_t>(T::period::den));
        mix_shape<typename T::rep>(d);
    } else if constexpr (is_std_array<T>) {
        d.add("array").add(std::uint64_t{std::tuple_size_v<T>});
        mix_shape<typename T::value_type, Open...>(d);
    } else if constexpr (optional_like<T>) {
        d.add("optional");
        mix_shape<typename T::value_type, Open...>(d);
    } else if constexpr (is_variant<T>) {
        d.add("variant");
        [&]<class... Ts>(std::type_identity<std::variant<Ts...>>) {
            (mix_shape<Ts, Open...>(d), ...);
        }(std::type_identity<T>{});
        d.add("end");
    } else if constexpr (container<T>) {
        d.add("container");
        mix_shape<element_of<T>, Open...>(d);
    } else if constexpr (tuple_like<T>) {
        d.add("tuple");
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (mix_shape<std::tuple_element_t<I, T>, Open...>(d), ...);
        }(std::make_index_sequence<std::tuple_size_v<T>>{});
        d.add("end");
    } else if constexpr (described<T>) {
        d.add("fields").add(label_of<T>);
        [&]<auto... Members>(fields<Members...>) {
            ((d.add(field<Members>::name),
              mix_shape<std::remove_cvref_t<decltype(std::declval<T&>().*Members)>, T, Open...>(d)),
             ...);
        }(typename T::state_fields{});
        d.add("end");
    } else {
        d.add("struct").add(label_of<T>);
        [&]<class... Ts>(std::type_identity<std::tuple<Ts...>>) {
            (mix_shape<std::remove_cvref_t<Ts>, T, Open...>(d), ...);
        }(std::type_identity<pfr_types<T>>{});
        d.add("end");
    }
}

template <class T, class... Open>
void mix_shape(digest& d) {
    if constexpr ((std::is_same_v<T, Open> || ...))
        d.add("again").add(label_of<T>);
    else if constexpr (has_codec<T>)
        d.add("codec").add(std::uint64_t{value_codec<T>::shape()});
    else
        mix_plain<T, Open...>(d);
}

} // namespace lkt::detail
