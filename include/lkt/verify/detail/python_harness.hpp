// SPDX-License-Identifier: BSL-1.0
// The Python that stands between this program and a script: it knows the protocol, so that the
// script need not. It runs confined, like the script, and nothing that it sends is trusted.
#pragma once

namespace lkt::detail {

/// Arguments: the script's file and its function. Descriptor 3: one line of JSON, then arrays.
/// Descriptor 4 takes the arrays that come out, 5 says what they are; see `kept_child` for 6 and
/// 7. The script begins anew at each question, and what it left in torch is as it was; only what it
/// changed in other modules stays. Exit status 3: the words behind `lkt: ` on standard error say
/// what is wrong with the script.
inline constexpr char python_harness[] = R"python(
import inspect, json, os, select, sys, traceback

# It can start no program anyway: so nothing looks for a compiler to ask, and for a folder to ask it
# in, as torch does when it is imported.
os.environ["PATH"] = ""

def leave(status):
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # threads that a script left running do not hold it up

def refuse(words):
    sys.stdout.flush()
    sys.stderr.write("\nlkt: " + words + "\n")
    leave(3)

def called(f, what, arguments, keywords):
    try:
        inspect.signature(f).bind(*arguments, **keywords)
    except TypeError as e:
        refuse("`%s` is called as %s: %s" % (f.__name__, what, e))
    except ValueError:
        pass  # a built-in function tells nothing
    return f(*arguments, **keywords)

def function_of(path, name):
    scope = {"__name__": "script", "__file__": path}
    with open(path, encoding="utf-8") as file:
        text = file.read()
    exec(compile(text, path, "exec"), scope)
    f = scope.get(name)
    if not callable(f):
        others = sorted(k for k, v in scope.items() if inspect.isfunction(v))
        refuse("it defines no function `%s`%s"
               % (name, "; it has " + ", ".join(others) if others else ""))
    return f

# NumPy itself has none of them; float32 holds all their values.
narrow_floats = ("bfloat16", "float8_e4m3fn", "float8_e5m2")

class Writer:
    def __init__(self, limit):
        self.file, self.left, self.limit = os.fdopen(4, "wb", closefd=False), limit, limit

    def put(self, value, what):
        if value is None:
            refuse("%s is None" % what)
        if "torch" in sys.modules and isinstance(value, sys.modules["torch"].Tensor):
            torch = sys.modules["torch"]
            value = value.detach().cpu()
            if str(value.dtype).split(".")[-1] in narrow_floats:
                value = value.to(torch.float32)
            value = value.numpy()
        try:
            array = np.asarray(value)
        except Exception as e:
            refuse("%s is not an array: %s" % (what, e))
        if array.dtype.name in narrow_floats:  # of ml_dtypes
            array = array.astype(np.float32)
        if array.dtype.name in ("int4", "uint4"):
            array = array.astype(np.int8)
        if array.dtype == np.longdouble:
            array = array.astype(np.float64)
        if array.dtype.kind not in "biuf":
            refuse("%s has the dtype %s" % (what, array.dtype))
        self.left -= array.nbytes + 1024
        if self.left < 0:
            refuse("its arrays have more than %d bytes" % self.limit)
        np.lib.format.write_array(self.file, np.ascontiguousarray(array), allow_pickle=False)

def outputs_of(value, names):
    if isinstance(value, dict):
        missing = [n for n in names if n not in value]
        if missing or len(value) != len(names):
            refuse("it returned the outputs %s instead of %s"
                   % (", ".join(map(str, value)) or "{}", ", ".join(names)))
        return [value[n] for n in names]
    if not isinstance(value, (tuple, list)):
        value = [value]
    if len(value) != len(names):
        refuse("it returned %d values for the %d outputs %s; return one array for each"
               % (len(value), len(names), ", ".join(names)))
    return value

def compute(head, f, arrays, writer):
    names, scalars, outputs = head["inputs"], head["scalars"], head["outputs"]
    try:
        parameters = inspect.signature(f).parameters.values()
    except ValueError:
        parameters = []
    wants_size = "size" not in names and any(
        p.name == "size" or p.kind == p.VAR_KEYWORD for p in parameters)
    what = "%s(%s)" % (f.__name__, ", ".join(names + (["size=size"] if wants_size else [])))
    made = []
    for k, test in enumerate(head["tests"]):
        inputs = []
        for scalar in scalars:
            array = np.load(arrays, allow_pickle=False)
            if scalar:
                array = array.item()
            elif head["library"] == "torch":
                array = sys.modules["torch"].from_numpy(array)
            inputs.append(array)
        value = called(f, what, inputs, {"size": dict(test["size"])} if wants_size else {})
        for name, array in zip(outputs, outputs_of(value, outputs)):
            writer.put(array, "the output `%s` on test `%s`" % (name, test["name"]))
        made.append({"size": k, "names": outputs})
    return made

def generate(head, f, arrays, writer):
    made = []
    for k, size in enumerate(head["sizes"]):
        shown = ", ".join("%s=%d" % item for item in size.items())
        rng = np.random.default_rng([head["seed"], k])
        value = called(f, f.__name__ + "(sizes, rng)", [dict(size), rng], {})
        tests = value if isinstance(value, (list, tuple)) else [value]
        if not tests:
            refuse("it returned no test at %s" % shown)
        for test in tests:
            if not isinstance(test, dict):
                refuse("it returned %s at %s instead of a dictionary of arrays, or a list of them"
                       % (type(test).__name__, shown))
            for name, array in test.items():
                if not isinstance(name, str):
                    refuse("the name %r of an array is not text" % (name,))
                writer.put(array, "the array `%s` at %s" % (name, shown))
            made.append({"size": k, "names": list(test)})
            if len(made) > head["most"]:
                refuse("it returned more than %d tests" % head["most"])
    return made

# What torch says of a new process: functions that draw numbers get the same ones at each question.
def as_imported(torch, state=[]):
    if not state:
        state.append(torch.get_rng_state())
    torch.set_rng_state(state[0])
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)

def answer():
    with os.fdopen(3, "rb", closefd=False) as arrays:
        head = json.loads(arrays.readline())
        if head["library"] == "torch":
            import torch
            torch.set_num_threads(head["threads"])
            as_imported(torch)
        f = function_of(sys.argv[1], sys.argv[2])
        writer = Writer(head["limit"])
        made = {"compute": compute, "generate": generate}[head["do"]](head, f, arrays, writer)
    writer.file.close()
    with os.fdopen(5, "w", closefd=False) as about:
        json.dump({"tests": made}, about)
    sys.stdout.flush()
    os.write(7, b"!")

try:
    import numpy as np
    while select.select([6], [], [], 60)[0] and os.read(6, 1):  # one that nobody asks goes home
        answer()
    leave(0)
except SystemExit as e:
    refuse("it ends the interpreter: exit(%r)" % (e.code,))
except BaseException as e:
    frames = e.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    traceback.print_exception(type(e), e, frames)
    leave(1)
)python";

} // namespace lkt::detail
