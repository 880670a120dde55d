// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace lkt::detail {

/// Reads JSON: `text`, the operation's; `arguments`, in the order in which `lkt_operation` gets
/// them; `device`; `launches`. Its last line is JSON: `torch`, its version; `eager` and `compiled`,
/// seconds of each call; `why`, where there are none.
inline constexpr char torch_stopwatch[] = R"python(
import json, re, sys, time, types

said, sys.stdout = sys.stdout, sys.stderr
head = json.load(sys.stdin)
import torch

device, on_gpu = torch.device(head["device"]), head["device"] != "cpu"
# torch.compile looks for the module of a function by its name.
sys.modules["operation"] = types.ModuleType("operation")
scope = vars(sys.modules["operation"])


def bound(text):
    """The text of a function that gets the kernel's arguments and returns a call without any: what lkt wrote around
    the user's function turns them into float64, and makes a module anew, each time."""
    user, mark, wrapper = text.rpartition("def lkt_operation(")
    wrapper = re.sub(r"\n    got = ([^\[].*)\n", r"\n    return lambda: \1\n", wrapper.replace(".double()\n", "\n"), count=1)
    before, module, body = user.rpartition("def lkt_module(")
    if not module:
        return user + mark + wrapper
    names = re.match(r"(.*)\):\n", body)[1]
    given = re.search(r"\n    given = .*\n", body)[0]
    made = re.search(r"\n    model = (.*)\.double\(\)\.eval\(\)\n", body)[1]
    arguments = re.search(r"\}, \(([^()]*),\)\)\n", body)[1]
    return (before + "def lkt_module(" + names + "):\n    torch.manual_seed(0)" + given + "    model = " + made
            + ".eval().to(lkt_device)\n    return lambda: model(" + arguments + ")\n\n\n"
            + mark + wrapper.replace("return lambda: ", "return "))


def drawn(a):
    if "value" in a:
        return a["value"]
    kind = getattr(torch, a["dtype"])
    if kind.is_floating_point:
        numbers = torch.rand(a["count"], device=device) * (a["max"] - a["min"]) + a["min"]
        return numbers.to(kind)
    return torch.randint(int(a["min"]), int(a["max"]) + 1, (a["count"],), device=device).to(kind)


def first_line(why):
    lines = [line.strip() for line in str(why).splitlines() if line.strip()]
    return type(why).__name__ + (": " + lines[0][:300] if lines else "")


def tensors(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def compiled(call):
    """What torch.compile makes of it, called once; or why not."""
    if not hasattr(torch, "compile"):
        return None, "torch %s has no torch.compile" % torch.__version__
    try:
        fast = torch.compile(call)
        for a, b in zip(tensors(call()), tensors(fast())):
            a, b = a.double(), b.double()
            if not torch.allclose(a, b, rtol=1e-2, atol=1e-2 * float(a.abs().max()), equal_nan=True):
                return None, "what torch.compile made of it computes something else"
        return fast, ""
    except Exception as why:
        return None, "torch.compile: " + first_line(why)


dirt = torch.empty(1 << (28 if on_gpu else 26), dtype=torch.uint8, device=device)


def seconds(call):
    dirt.fill_(1)
    if not on_gpu:
        begin = time.perf_counter()
        call()
        return time.perf_counter() - begin
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    call()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / 1e3


if on_gpu:
    torch.cuda.set_device(device)
with torch.no_grad():
    scope["lkt_device"] = device
    exec(compile(bound(head["text"]), "operation.py", "exec"), scope)
    eager = scope["lkt_operation"](*[drawn(a) for a in head["arguments"]])
    eager()
    fast, why = compiled(eager)
    calls = {"eager": eager, **({"compiled": fast} if fast else {})}
    times = {which: [] for which in calls}
    began, warm = time.monotonic(), 5
    for turn in range(warm + head["launches"]):
        for which, call in calls.items():
            took = seconds(call)
            if turn >= warm or time.monotonic() - began > 20:
                times[which].append(took)
        if time.monotonic() - began > 20 and len(times["eager"]) >= 3:
            break
said.write(json.dumps({"torch": torch.__version__, "why": why, **times}) + "\n")
said.flush()
)python";

} // namespace lkt::detail
