// SPDX-License-Identifier: BSL-1.0
// The text that a translation of WGSL is compiled behind, part 1: numbers, vectors, matrices,
// arrays.
#pragma once

#include <string_view>

namespace lkt::host_detail {

/// Literals without a suffix are lkt_ai and lkt_af, which turn into what they meet. All else has
/// the size that WGSL gives it, and no alignment beyond a scalar's.
inline constexpr std::string_view shim_wgsl_types = R"lkt(
#define LKT_WGSL 1
static void lkt_begin_block(); /* sets workgroup variables to zero */
#define LKT_IN __attribute__((always_inline)) inline constexpr
#if defined(__clang__)
#define LKT_UNWATCHED __attribute__((noinline, disable_sanitizer_instrumentation))
#else
#define LKT_UNWATCHED __attribute__((noinline, no_sanitize_thread))
#endif
/* Whether what WGSL leaves open is chosen the other way here: 1, 2, 4 and 8 are what `open_choice` says.
   Neither this nor what is read for it is an access of the kernel's. */
LKT_UNWATCHED static bool lkt_otherwise(unsigned choice) {
    if ((__atomic_load_n(lkt_host.met, 0) & choice) == 0) __atomic_fetch_or(lkt_host.met, choice, 0);
    return (lkt_host.otherwise & choice) != 0;
}
typedef _Float16 lkt_half;
struct lkt_ai { long v; };
struct lkt_af { double v; };
template <class T> inline constexpr bool lkt_abstract = lkt_same<T, lkt_ai> || lkt_same<T, lkt_af>;
template <class T> inline constexpr bool lkt_real = lkt_same<T, float> || lkt_same<T, lkt_half> || lkt_same<T, lkt_af>;
template <class T> inline constexpr bool lkt_whole = lkt_same<T, int> || lkt_same<T, unsigned> || lkt_same<T, lkt_ai>;
template <class T> inline constexpr bool lkt_scalar = lkt_real<T> || lkt_whole<T> || lkt_same<T, bool>;
template <class T> struct lkt_plain_of { using type = T; };
template <class T> struct lkt_plain_of<T const> { using type = T; };
template <class T> struct lkt_plain_of<T&> : lkt_plain_of<T> {};
template <class T> struct lkt_plain_of<T&&> : lkt_plain_of<T> {};
template <class T> using lkt_plain = typename lkt_plain_of<T>::type;

/* What two scalars have in common: an abstract one gives way. */
template <class A, class B> struct lkt_both {};
template <class A> struct lkt_both<A, A> { using type = A; };
template <class A> requires(!lkt_same<A, lkt_ai>) struct lkt_both<A, lkt_ai> { using type = A; };
template <class A> requires(!lkt_same<A, lkt_ai>) struct lkt_both<lkt_ai, A> { using type = A; };
template <class A> requires(lkt_real<A> && !lkt_same<A, lkt_af>) struct lkt_both<A, lkt_af> { using type = A; };
template <class A> requires(lkt_real<A> && !lkt_same<A, lkt_af>) struct lkt_both<lkt_af, A> { using type = A; };
template <class A, class B> using lkt_common = typename lkt_both<A, B>::type;
/* What a variable without a type gets. */
template <class T> struct lkt_firm_of { using type = T; };
template <> struct lkt_firm_of<lkt_ai> { using type = int; };
template <> struct lkt_firm_of<lkt_af> { using type = float; };
template <class T> using lkt_firm = typename lkt_firm_of<T>::type;

template <class T, unsigned N> struct lkt_vec;
template <class T> struct lkt_vec<T, 2> {
    T m_x, m_y;
    LKT_IN T& operator[](unsigned i) { return i == 0 ? m_x : m_y; }
    LKT_IN T const& operator[](unsigned i) const { return i == 0 ? m_x : m_y; }
};
template <class T> struct lkt_vec<T, 3> {
    T m_x, m_y, m_z;
    LKT_IN T& operator[](unsigned i) { return i == 0 ? m_x : i == 1 ? m_y : m_z; }
    LKT_IN T const& operator[](unsigned i) const { return i == 0 ? m_x : i == 1 ? m_y : m_z; }
};
template <class T> struct lkt_vec<T, 4> {
    T m_x, m_y, m_z, m_w;
    LKT_IN T& operator[](unsigned i) { return i == 0 ? m_x : i == 1 ? m_y : i == 2 ? m_z : m_w; }
    LKT_IN T const& operator[](unsigned i) const { return i == 0 ? m_x : i == 1 ? m_y : i == 2 ? m_z : m_w; }
};
/* Elements of an array, and columns of a matrix, that hold three scalars lie four apart. */
template <class T> struct lkt_slot { T v; };
template <class T> struct lkt_slot<lkt_vec<T, 3>> { lkt_vec<T, 3> v; char gap[sizeof(T)]; };
template <class T, unsigned N> struct lkt_array {
    lkt_slot<T> at[N];
    LKT_IN T& operator[](unsigned i) { return at[i].v; }
    LKT_IN T const& operator[](unsigned i) const { return at[i].v; }
};
template <class T, unsigned C, unsigned R> struct lkt_mat {
    lkt_slot<lkt_vec<T, R>> at[C];
    LKT_IN lkt_vec<T, R>& operator[](unsigned i) { return at[i].v; }
    LKT_IN lkt_vec<T, R> const& operator[](unsigned i) const { return at[i].v; }
};
/* A buffer that is an array without a count; Packed: three scalars lie three apart. */
template <class T, bool Packed = false> struct lkt_span {
    char* begin;
    unsigned long long bytes;
    static constexpr unsigned stride = Packed ? sizeof(T) : sizeof(lkt_slot<T>);
    LKT_IN unsigned size() const { return (unsigned)(bytes / stride); }
    LKT_IN T& operator[](unsigned i) const { return *(T*)(begin + (unsigned long)i * stride); }
};
/* One at the end of a buffer's struct: how far it goes, the table of buffers knows. */
struct lkt_extent { char const* begin; unsigned long long bytes; };
static thread_local lkt_extent lkt_beyond_extents[16];
template <class T> struct lkt_tail {
    LKT_IN unsigned size() const {
        for (auto const& e : lkt_beyond_extents)
            if ((char const*)this >= e.begin && (char const*)this < e.begin + e.bytes)
                return (unsigned)((e.begin + e.bytes - (char const*)this) / sizeof(lkt_slot<T>));
        return 0;
    }
    LKT_IN T& operator[](unsigned i) const { return *(T*)((char*)this + (unsigned long)i * sizeof(lkt_slot<T>)); }
};
inline void lkt_has_extent(char const* begin, unsigned long long bytes) {
    for (auto& e : lkt_beyond_extents)
        if (e.begin == nullptr || e.begin == begin) {
            e = {begin, bytes};
            return;
        }
}
template <class T> struct lkt_atomic { T v; };
template <unsigned N> struct lkt_bytes { char at[N]; };

template <class T> inline constexpr unsigned lkt_lanes = 0;
template <class T, unsigned N> inline constexpr unsigned lkt_lanes<lkt_vec<T, N>> = N;
template <class T> concept lkt_vector = lkt_lanes<T> != 0;
template <class T> inline constexpr unsigned lkt_columns = 0;
template <class T, unsigned C, unsigned R> inline constexpr unsigned lkt_columns<lkt_mat<T, C, R>> = C;
template <class T> concept lkt_matrix = lkt_columns<T> != 0;
template <class T> inline constexpr unsigned lkt_length_of = 0;
template <class T, unsigned N> inline constexpr unsigned lkt_length_of<lkt_array<T, N>> = N;
template <class T, unsigned N> inline constexpr unsigned lkt_length_of<lkt_vec<T, N>> = N;
template <class T, unsigned C, unsigned R> inline constexpr unsigned lkt_length_of<lkt_mat<T, C, R>> = C;
template <class T> struct lkt_element_of { using type = T; };
template <class T, unsigned N> struct lkt_element_of<lkt_vec<T, N>> { using type = T; };
template <class T, unsigned C, unsigned R> struct lkt_element_of<lkt_mat<T, C, R>> { using type = T; };
template <class T, unsigned N> struct lkt_element_of<lkt_array<T, N>> { using type = T; };
template <class T> using lkt_element = typename lkt_element_of<T>::type;
template <class T, unsigned N> struct lkt_firm_of<lkt_vec<T, N>> { using type = lkt_vec<lkt_firm<T>, N>; };
template <class T, unsigned C, unsigned R> struct lkt_firm_of<lkt_mat<T, C, R>> { using type = lkt_mat<lkt_firm<T>, C, R>; };
template <class T, unsigned N> struct lkt_firm_of<lkt_array<T, N>> { using type = lkt_array<lkt_firm<T>, N>; };

/* --- conversions ------------------------------------------------------------------------------ */
/* As WGSL converts by itself: abstract to firm. */
template <class T, class F> LKT_IN T lkt_to(F const& from) {
    if constexpr (lkt_same<T, F>) return from;
    else if constexpr (lkt_same<F, lkt_ai> || lkt_same<F, lkt_af>) {
        if constexpr (lkt_same<T, lkt_af>) return {(double)from.v};
        else return (T)from.v;
    } else if constexpr (lkt_length_of<T> != 0 && lkt_length_of<T> == lkt_length_of<F>) {
        T to{};
        for (unsigned i = 0; i < lkt_length_of<T>; ++i) to[i] = lkt_to<lkt_plain<decltype(to[i])>>(from[i]);
        return to;
    } else return (T)from;
}
template <class F> LKT_IN lkt_firm<F> lkt_value(F const& from) { return lkt_to<lkt_firm<F>>(from); }
/* f32(x) and its like. Floats are cut off, and saturate. */
template <class T, class F> LKT_IN T lkt_cast(F const& from) {
    if constexpr (lkt_vector<T>) {
        T to{};
        for (unsigned i = 0; i < lkt_lanes<T>; ++i) to[i] = lkt_cast<lkt_element<T>>(from[i]);
        return to;
    } else if constexpr (lkt_abstract<F>) {
        if constexpr (lkt_same<T, bool>) return from.v != 0;
        else return lkt_cast<T>(from.v);
    } else if constexpr (lkt_same<T, bool>) return from != (F)0 && (from == from || !lkt_otherwise(8));
    else if constexpr (lkt_real<F> || lkt_same<F, double>) {
        if constexpr (lkt_same<T, int>)
            return from != from ? (lkt_otherwise(8) ? -2147483647 - 1 : 0) : from <= (F)-2147483648.0f ? -2147483647 - 1 : (double)from >= 2147483647.0 ? 2147483647 : (int)from;
        else if constexpr (lkt_same<T, unsigned>)
            return from != from ? (lkt_otherwise(8) ? 4294967295u : 0u) : from <= (F)0 ? 0u : (double)from >= 4294967295.0 ? 4294967295u : (unsigned)from;
        else return (T)from;
    } else return (T)from;
}
template <class T, class F> LKT_IN T lkt_bitcast(F const& from) {
    auto const firm = lkt_value(from);
    static_assert(sizeof(T) == sizeof firm);
    return __builtin_bit_cast(T, firm);
}
template <class T, unsigned N> inline T lkt_from(lkt_bytes<N> const& from) {
    T to{};
    __builtin_memcpy((void*)&to, &from, N < sizeof(T) ? N : sizeof(T));
    return to;
}
template <class T> LKT_UNWATCHED void lkt_zero(T& v) {
    for (unsigned i = 0; i < sizeof(T); ++i) ((char*)&v)[i] = 0;
}

/* --- parts ------------------------------------------------------------------------------------ */
template <class T> inline constexpr bool lkt_pointer = false;
template <class T> inline constexpr bool lkt_pointer<T*> = true;
template <class T> inline constexpr bool lkt_pointer<T* const> = true;
template <class T> LKT_IN auto& lkt_ref(T& v) {
    if constexpr (lkt_pointer<T>) return *v;
    else return v;
}
template <class T> LKT_IN auto const& lkt_ref(T const&& v) {
    if constexpr (lkt_pointer<T>) return *v;
    else return v;
}
/* What an index outside of an array names: what is read there is zero, and what is stored is lost; or
   both are the last element, whose place a store asks for. A statement may have several. */
template <class T> struct lkt_lost {
    T value;
    T* last;
};
template <class T> static thread_local lkt_lost<T> lkt_beyond[4];
static thread_local unsigned lkt_beyonds;
template <class T> LKT_UNWATCHED static T& lkt_outside(T const* last) {
    bool const other = lkt_otherwise(1) && last != nullptr;
    lkt_lost<T>& lost = lkt_beyond<T>[++lkt_beyonds % 4];
    for (unsigned i = 0; i < sizeof(T); ++i) ((char*)&lost.value)[i] = other ? ((char const*)last)[i] : 0;
    lost.last = other ? (T*)last : nullptr;
    return lost.value;
}
template <class T> LKT_UNWATCHED static T* lkt_place(T* to) {
    for (lkt_lost<T>& lost : lkt_beyond<T>)
        if (to == &lost.value && lost.last != nullptr) return lost.last;
    return to;
}
template <class I> LKT_IN unsigned lkt_index(I i) {
    if constexpr (lkt_abstract<I>) return (unsigned)i.v;
    else return (unsigned)i;
}
template <class T, unsigned N, class I> LKT_IN T& lkt_at(lkt_array<T, N>& a, I i) { return lkt_index(i) < N ? a[lkt_index(i)] : lkt_outside<T>(&a[N - 1]); }
template <class T, unsigned N, class I> LKT_IN T lkt_at(lkt_array<T, N> const& a, I i) { return lkt_index(i) < N ? a[lkt_index(i)] : lkt_outside<T>(&a[N - 1]); }
template <class T, unsigned N, class I> LKT_IN T& lkt_at(lkt_vec<T, N>& a, I i) { return lkt_index(i) < N ? a[lkt_index(i)] : lkt_outside<T>(&a[N - 1]); }
template <class T, unsigned N, class I> LKT_IN T lkt_at(lkt_vec<T, N> const& a, I i) { return lkt_index(i) < N ? a[lkt_index(i)] : lkt_outside<T>(&a[N - 1]); }
template <class T, unsigned C, unsigned R, class I> LKT_IN lkt_vec<T, R>& lkt_at(lkt_mat<T, C, R>& a, I i) { return lkt_index(i) < C ? a[lkt_index(i)] : lkt_outside<lkt_vec<T, R>>(&a[C - 1]); }
template <class T, unsigned C, unsigned R, class I> LKT_IN lkt_vec<T, R> lkt_at(lkt_mat<T, C, R> const& a, I i) { return lkt_index(i) < C ? a[lkt_index(i)] : lkt_outside<lkt_vec<T, R>>(&a[C - 1]); }
template <class A> LKT_IN auto* lkt_last(A const& a) { return a.size() == 0 ? nullptr : &a[a.size() - 1]; }
template <class T, bool P, class I> LKT_IN T& lkt_at(lkt_span<T, P> const& a, I i) { return lkt_index(i) < a.size() ? a[lkt_index(i)] : lkt_outside<T>(lkt_last(a)); }
template <class T, class I> LKT_IN T& lkt_at(lkt_tail<T> const& a, I i) { return lkt_index(i) < a.size() ? a[lkt_index(i)] : lkt_outside<T>(lkt_last(a)); }
template <class A, class I> LKT_IN auto& lkt_at(A* a, I i) { return lkt_at(*a, i); }
template <class T, bool P> LKT_IN unsigned lkt_arrayLength(lkt_span<T, P> const* a) { return a->size(); }
template <class T> LKT_IN unsigned lkt_arrayLength(lkt_tail<T> const* a) { return a->size(); }
template <unsigned... I, lkt_vector V> LKT_IN auto lkt_swizzle(V const& v) { return lkt_vec<lkt_element<V>, sizeof...(I)>{v[I]...}; }
template <unsigned... I, lkt_vector V> LKT_IN auto lkt_swizzle(V* v) { return lkt_swizzle<I...>(*v); }

/* --- construction ----------------------------------------------------------------------------- */
template <class T> struct lkt_scalars_of { using type = T; };
template <class T, unsigned N> struct lkt_scalars_of<lkt_vec<T, N>> { using type = T; };
template <class A, class... B> struct lkt_joined { using type = A; };
template <class A, class B, class... C> struct lkt_joined<A, B, C...> { using type = typename lkt_joined<lkt_common<A, B>, C...>::type; };
template <class T, unsigned N, class... A> LKT_IN lkt_vec<T, N> lkt_fill_vec(A const&... parts) {
    lkt_vec<T, N> to{};
    unsigned n = 0;
    auto const one = [&](auto const& p) {
        if constexpr (lkt_vector<lkt_plain<decltype(p)>>) for (unsigned i = 0; i < lkt_lanes<lkt_plain<decltype(p)>>; ++i) to[n++] = lkt_to<T>(p[i]);
        else to[n++] = lkt_to<T>(p);
    };
    (one(parts), ...);
    return to;
}
template <class T, class... A> struct lkt_maker;
template <class T> struct lkt_maker<T> {
    static LKT_IN T make() { return T{}; }
};
template <class T, class A> requires lkt_scalar<T> struct lkt_maker<T, A> {
    static LKT_IN T make(A const& a) { return lkt_cast<T>(a); }
};
template <class T, unsigned N, class A> struct lkt_maker<lkt_vec<T, N>, A> {
    static LKT_IN lkt_vec<T, N> make(A const& a) {
        if constexpr (lkt_vector<A>) return lkt_cast<lkt_vec<T, N>>(a);
        else {
            lkt_vec<T, N> to{};
            for (unsigned i = 0; i < N; ++i) to[i] = lkt_to<T>(a);
            return to;
        }
    }
};
template <class T, unsigned N, class A, class B, class... C> struct lkt_maker<lkt_vec<T, N>, A, B, C...> {
    static LKT_IN lkt_vec<T, N> make(A const& a, B const& b, C const&... c) { return lkt_fill_vec<T, N>(a, b, c...); }
};
template <class T, unsigned N, class A, class... B> struct lkt_maker<lkt_array<T, N>, A, B...> {
    static LKT_IN lkt_array<T, N> make(A const& a, B const&... b) { return {{{lkt_to<T>(a)}, {lkt_to<T>(b)}...}}; }
};
template <class T, unsigned C, unsigned R, class A, class... B> struct lkt_maker<lkt_mat<T, C, R>, A, B...> {
    static LKT_IN lkt_mat<T, C, R> make(A const& a, B const&... b) {
        if constexpr (sizeof...(B) == 0) {
            lkt_mat<T, C, R> to{};
            for (unsigned c = 0; c < C; ++c) to[c] = lkt_cast<lkt_vec<T, R>>(a[c]);
            return to;
        } else if constexpr (sizeof...(B) + 1 == C) return {{{lkt_to<lkt_vec<T, R>>(a)}, {lkt_to<lkt_vec<T, R>>(b)}...}};
        else {
            T const all[] = {lkt_to<T>(a), lkt_to<T>(b)...};
            lkt_mat<T, C, R> to{};
            for (unsigned i = 0; i < C * R; ++i) to[i / R][i % R] = all[i];
            return to;
        }
    }
};
template <class T, class... A> LKT_IN T lkt_construct(A const&... a) { return lkt_maker<T, A...>::make(a...); }
template <unsigned N> LKT_IN auto lkt_make_vec() { return lkt_vec<lkt_ai, N>{}; }
template <unsigned N, class... A> requires(sizeof...(A) > 0) LKT_IN auto lkt_make_vec(A const&... a) {
    using T = typename lkt_joined<typename lkt_scalars_of<A>::type...>::type;
    return lkt_construct<lkt_vec<T, N>>(a...);
}
template <unsigned C, unsigned R, class... A> LKT_IN auto lkt_make_mat(A const&... a) {
    using T = typename lkt_joined<typename lkt_scalars_of<A>::type...>::type;
    using F = lkt_common<T, lkt_af>;
    return lkt_construct<lkt_mat<F, C, R>>(a...);
}
template <class A, class... B> LKT_IN auto lkt_make_array(A const& a, B const&... b) {
    if constexpr (lkt_scalar<A>) return lkt_construct<lkt_array<typename lkt_joined<A, B...>::type, 1 + sizeof...(B)>>(a, b...);
    else return lkt_construct<lkt_array<lkt_firm<A>, 1 + sizeof...(B)>>(a, b...);
}
)lkt";

} // namespace lkt::host_detail
