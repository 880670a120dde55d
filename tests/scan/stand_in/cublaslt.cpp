// SPDX-License-Identifier: BSL-1.0
// A library with the functions of cuBLASLt and of CUDA's driver, over the host's memory: products
// are computed, slowly, and time passes as each algorithm says. Of its seven algorithms one is
// wrong in its last element, one says that it is unsupported and one when it is started, one needs
// more memory than there is, and one is there twice. Products of 13 rows end the process, those of
// 17 hang, 19 are refused, and 23 break the device; those of 29 start with an algorithm whose wrong
// element only the others show.
#include <lkt/kernel/half.hpp>

// The other stand-in's events have no clock.
#define cuEventCreate stand_in_event_create
#define cuEventRecord stand_in_event_record
#define cuEventElapsedTime stand_in_event_elapsed
#define cuCtxSynchronize stand_in_synchronize
#include "../../gpu/cuda/driver/fake.cpp"
#undef cuEventCreate
#undef cuEventRecord
#undef cuEventElapsedTime
#undef cuCtxSynchronize

#include <cmath>
#include <cstdint>
#include <unistd.h>

namespace {

[[maybe_unused]] int const settled = ::setenv("LKT_FAKE_DRIVER", "works=1,devices=2", 1);
double now_ms = 0;
bool broken = false;

struct matrix {
    int type;
    std::int64_t rows, columns, stride;
    std::int32_t batch = 1;
    std::int64_t of_matrix = 0;
};
struct operation {
    int compute, scale;
    std::int32_t transposed[2]{};
    std::uint32_t epilogue = 1;
    void const* bias = nullptr;
    std::int32_t bias_type = -1; // that of the output
};
struct algorithm {
    std::uint64_t kind;
    std::uint64_t rest[7];
};
struct found {
    algorithm what;
    std::size_t workspace;
    int state;
    float waves;
    int reserved[4];
};
enum kind : std::uint64_t {
    last_wrong,
    plain,
    reversed,
    unsupported,
    refused,
    large,
    middle_wrong
};
constexpr double cost_ms[] = {0.001, 0.010, 0.005, 1, 1, 1, 0.002};

double decode_fp8(unsigned bits) {
    double const sign = (bits & 0x80) != 0 ? -1 : 1;
    int const exponent = static_cast<int>(bits >> 3 & 15), fraction = static_cast<int>(bits & 7);
    if (exponent == 15 && fraction == 7) return NAN;
    return exponent == 0 ? sign * std::ldexp(fraction, -9)
                         : sign * std::ldexp(8 + fraction, exponent - 10);
}

double get(void const* base, int type, std::size_t at) {
    auto const read = [&](auto value) {
        std::memcpy(&value, static_cast<char const*>(base) + at * sizeof value, sizeof value);
        return value;
    };
    switch (type) {
    case 0:
        return static_cast<double>(read(0.0F));
    case 1:
        return read(0.0);
    case 2:
        return lkt::decode_float16(read(std::uint16_t{}));
    case 14:
        return lkt::decode_bfloat16(read(std::uint16_t{}));
    case 3:
        return static_cast<double>(read(std::int8_t{}));
    default:
        return decode_fp8(read(std::uint8_t{}));
    }
}

void put(void* base, int type, std::size_t at, double value) {
    auto const write = [&](auto number) {
        std::memcpy(static_cast<char*>(base) + at * sizeof number, &number, sizeof number);
    };
    switch (type) {
    case 0:
        return write(static_cast<float>(value));
    case 1:
        return write(value);
    case 2:
        return write(lkt::encode_float16(value));
    case 14:
        return write(lkt::encode_bfloat16(value));
    case 3:
        return write(static_cast<std::int8_t>(std::fmax(-128, std::fmin(127, std::rint(value)))));
    default: {
        unsigned best = 0;
        for (unsigned bits = 0; bits < 256; ++bits)
            if (std::fabs(decode_fp8(bits) - value) < std::fabs(decode_fp8(best) - value))
                best = bits;
        return write(static_cast<std::uint8_t>(best));
    }
    }
}

/// The epilogue: the bias has an element for each row.
double finished(operation const& o, double x, int output, std::int64_t row) {
    if ((o.epilogue & 4) != 0)
        x += get(o.bias, o.bias_type < 0 ? output : o.bias_type, static_cast<std::size_t>(row));
    if ((o.epilogue & 2) != 0) return std::fmax(x, 0);
    if ((o.epilogue & 32) != 0)
        return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    return x;
}

} // namespace

extern "C" {

int cuEventCreate(double** e, unsigned) { return *e = new double(0), 0; }
int cuEventRecord(double* e, void*) { return *e = now_ms, 0; }
int cuEventElapsedTime(float* ms, double const* a, double const* b) {
    return *ms = static_cast<float>(*b - *a), 0;
}
int cuCtxSynchronize() { return broken ? 700 : 0; }

std::size_t cublasLtGetVersion() { return 130100; }
char const* cublasLtGetStatusName(int s) {
    return s == 15 ? "CUBLAS_STATUS_NOT_SUPPORTED" : "CUBLAS_STATUS_FAKE";
}
int cublasLtCreate(void** h) { return *h = &now_ms, 0; }
int cublasLtMatmulDescCreate(operation** o, int compute, int scale) {
    return *o = new operation{compute, scale}, 0;
}
int cublasLtMatmulDescDestroy(operation* o) { return delete o, 0; }
int cublasLtMatmulDescSetAttribute(operation* o, int which, void const* value, std::size_t size) {
    void* const to = which == 3 || which == 4 ? &o->transposed[which - 3]
                     : which == 7             ? static_cast<void*>(&o->epilogue)
                     : which == 8             ? static_cast<void*>(&o->bias)
                     : which == 26            ? static_cast<void*>(&o->bias_type)
                                              : nullptr;
    if (to == nullptr || size != (which == 8 ? 8U : 4U)) return 7;
    return std::memcpy(to, value, size), 0;
}
int cublasLtMatrixLayoutCreate(
    matrix** m, int type, std::uint64_t rows, std::uint64_t columns, std::int64_t stride) {
    if (stride < static_cast<std::int64_t>(rows)) return 7;
    *m = new matrix{
        type, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), stride};
    return 0;
}
int cublasLtMatrixLayoutDestroy(matrix* m) { return delete m, 0; }
int cublasLtMatrixLayoutSetAttribute(matrix* m, int which, void const* value, std::size_t size) {
    if (which != 5 && which != 6) return 7;
    which == 5 ? std::memcpy(&m->batch, value, size) : std::memcpy(&m->of_matrix, value, size);
    return 0;
}
int cublasLtMatmulPreferenceCreate(void** p) { return *p = new std::size_t(0), 0; }
int cublasLtMatmulPreferenceDestroy(void* p) { return delete static_cast<std::size_t*>(p), 0; }
int cublasLtMatmulPreferenceSetAttribute(void* p, int which, void const* value, std::size_t size) {
    return which == 1 ? (std::memcpy(p, value, size), 0) : 7;
}

int cublasLtMatmulAlgoGetHeuristic(void*,
                                   operation const* o,
                                   matrix const* a,
                                   matrix const* b,
                                   matrix const* c,
                                   matrix const* d,
                                   void const* preference,
                                   int wanted,
                                   found* results,
                                   int* count) {
    auto const is = [&](std::int64_t rows) { return d->rows == rows || d->columns == rows; };
    bool const fits =
        (o->transposed[0] ? a->columns : a->rows) == d->rows &&
        (o->transposed[1] ? b->rows : b->columns) == d->columns &&
        (o->transposed[0] ? a->rows : a->columns) == (o->transposed[1] ? b->columns : b->rows) &&
        c->rows == d->rows && a->batch == d->batch && b->batch == d->batch;
    *count = 0;
    if (!fits) return 7;
    if (is(19)) return 15;
    kind const first = is(29) ? middle_wrong : last_wrong;
    for (kind const k : {first, plain, reversed, unsupported, refused, large, plain})
        if (*count < wanted) {
            found& one = results[(*count)++];
            one = {};
            one.what.kind = k;
            one.workspace = k == large ? *static_cast<std::size_t const*>(preference) + 1 : 64;
            one.state = k == unsupported ? 15 : 0;
        }
    return 0;
}

int cublasLtMatmulAlgoConfigGetAttribute(
    algorithm const* a, int which, void* to, std::size_t size, std::size_t* written) {
    std::uint64_t const value = which == 0 ? a->kind : static_cast<std::uint64_t>(which);
    if (size < (which >= 7 ? 2U : 4U)) return 7;
    std::memcpy(to, &value, *written = size);
    return 0;
}

int cublasLtMatmul(void*,
                   operation const* o,
                   void const* alpha,
                   void const* a,
                   matrix const* ma,
                   void const* b,
                   matrix const* mb,
                   void const* beta,
                   void const* c,
                   matrix const* mc,
                   void* d,
                   matrix const* md,
                   algorithm const* how,
                   void*,
                   std::size_t,
                   void*) {
    auto const is = [&](std::int64_t rows) { return md->rows == rows || md->columns == rows; };
    if (how->kind == refused) return 15;
    if (c == d && (mc->type != md->type || mc->stride != md->stride)) return 7; // in place
    if (is(13)) std::abort();
    if (is(17)) ::sleep(60);
    if (is(23)) broken = true;
    now_ms += cost_ms[how->kind];
    double const x = get(alpha, o->scale, 0), y = get(beta, o->scale, 0);
    std::int64_t const depth = o->transposed[0] ? ma->rows : ma->columns;
    auto const at = [](matrix const* m, std::int32_t matrix, std::int64_t i, std::int64_t j) {
        return static_cast<std::size_t>(matrix * m->of_matrix + j * m->stride + i);
    };
    for (std::int32_t n = 0; n < md->batch; ++n)
        for (std::int64_t j = 0; j < md->columns; ++j)
            for (std::int64_t i = 0; i < md->rows; ++i) {
                double sum = 0;
                for (std::int64_t step = 0; step < depth; ++step) {
                    std::int64_t const k = how->kind == reversed ? depth - 1 - step : step;
                    double const product =
                        get(a, ma->type, o->transposed[0] ? at(ma, n, k, i) : at(ma, n, i, k)) *
                        get(b, mb->type, o->transposed[1] ? at(mb, n, j, k) : at(mb, n, k, j));
                    sum = o->compute == 70 ? sum + product
                                           : static_cast<double>(static_cast<float>(sum + product));
                }
                bool const last = n == md->batch - 1 && j == md->columns - 1 && i == md->rows - 1;
                if (how->kind == last_wrong && last) sum += 3;
                // Less than what the sum of a row tells, and more than one element's rounding.
                if (how->kind == middle_wrong && i == 14 && j == 3) sum += 0.001;
                double const old = y == 0 ? 0 : y * get(c, mc->type, at(mc, n, i, j));
                put(d, md->type, at(md, n, i, j), finished(*o, x * sum + old, md->type, i));
            }
    return 0;
}
}
