// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace lkt::detail {

/// Behind the text of a module: `lkt_probe()` returns bytes of JSON, the problem without the text
/// of its function, and that of the function behind the module's text. `@CLASS@` is its class.
inline constexpr char torch_probe[] = R"python(

def lkt_probe():
    import inspect, json, keyword
    import numpy as np
    import torch
    if "get_inputs" not in globals():
        raise ValueError("the file has no get_inputs(), which returns the arguments of forward")
    kinds = {torch.float32: "float32", torch.float16: "float16", torch.bfloat16: "bfloat16",
             torch.float64: "float64", torch.int8: "int8", torch.uint8: "uint8",
             torch.int16: "int16", torch.int32: "int32", torch.int64: "int64"}
    for n in ("float8_e4m3fn", "float8_e5m2"):
        if hasattr(torch, n):
            kinds[getattr(torch, n)] = n
    torch.manual_seed(0)
    given = globals()["get_init_inputs"]() if "get_init_inputs" in globals() else []
    named = dict(given[1]) if len(given) == 2 and isinstance(given[0], (list, tuple)) and isinstance(given[1], dict) else {}
    model = @CLASS@(*(given[0] if named else given), **named)
    if not isinstance(model, torch.nn.Module):
        raise ValueError("@CLASS@ is no torch.nn.Module")
    model = model.eval()
    arguments = list(get_inputs())
    # Each tensor once, with all names that it has: tied weights are one argument.
    state = {}
    for n, t in [*model.state_dict(keep_vars=True).items(), *model.named_buffers()]:
        if isinstance(t, torch.Tensor) and not n.endswith("num_batches_tracked"):
            whole = state.setdefault(id(t), (t.detach(), []))[1]
            if n not in whole:
                whole.append(n)
    held = {id(t) for t in list(model.parameters()) + list(model.buffers())}
    for where, part in model.named_modules():
        for n, t in vars(part).items():
            if isinstance(t, torch.Tensor) and id(t) not in held:
                raise ValueError("`%s` is a tensor that is neither a parameter nor a buffer, so no "
                                 "kernel gets it: use register_buffer" % (where + "." + n).strip("."))

    reserved = set("lkt_operation lkt_array lkt_checked lkt_module lkt_probe np torch size id scalars "
                   "model batch auto bool break case catch char class const continue default delete do "
                   "double else enum extern false float for fn goto if inline int let long loop main "
                   "override private public register return short signed sizeof static storage struct "
                   "switch template this threadIdx blockIdx blockDim gridDim true type typedef uniform "
                   "union unsigned using var void volatile while workgroup array".split())
    taken = set()
    def name_of(text):
        name = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in text).strip("_") or "x"
        while "__" in name:
            name = name.replace("__", "_")
        if name[0].isdigit():
            name = "x" + name
        while name in reserved or name in taken or keyword.iskeyword(name):
            name += "_in"
        taken.add(name)
        return name

    formal = [p for p in inspect.signature(model.forward).parameters.values()
              if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    names = [name_of(formal[k].name if k < len(formal) else "x%d" % k) for k in range(len(arguments))]
    weights = [(t, whole, name_of(whole[0])) for t, whole in state.values()]

    tensors = [a for a in arguments if isinstance(a, torch.Tensor)]
    batches = {int(a.shape[0]) for a in tensors if a.dim() > 0}
    batch = batches.pop() if len(batches) == 1 and all(a.dim() > 0 for a in tensors) else None

    def outputs_of(values):
        with torch.no_grad():
            got = model(*values)
        got = list(got) if isinstance(got, (tuple, list)) else [got]
        for g in got:
            if not isinstance(g, torch.Tensor):
                raise ValueError("forward returns %s: a kernel writes tensors" % type(g).__name__)
        return got

    def taken_of(a, count):
        if not isinstance(a, torch.Tensor):
            return a
        return a[torch.arange(count) % a.shape[0]]

    first = outputs_of(arguments)
    again = outputs_of(arguments)
    if not all(torch.equal(a, b) or torch.allclose(a, b, equal_nan=True) for a, b in zip(first, again)):
        raise ValueError("forward returns something else each time, also in evaluation mode")
    along = [False] * len(first)
    if batch is not None:
        try:
            along = [g.dim() > 0 and g.shape[0] == batch for g in first]
            for count in (1, batch + 1):
                for k, g in enumerate(outputs_of([taken_of(a, count) for a in arguments])):
                    wanted = list(first[k].shape)
                    if along[k]:
                        wanted[0] = count
                    if list(g.shape) != wanted:
                        raise ValueError
        except Exception:
            batch = None
    def shape_of(t, follows):
        shape = [int(n) for n in t.shape]
        if batch is not None and follows and shape:
            shape[0] = "batch"
        return shape

    inputs, domain = [], {}
    for name, a in zip(names, arguments):
        if isinstance(a, torch.Tensor):
            if a.dtype not in kinds:
                raise ValueError("the argument `%s` is of the type %s" % (name, a.dtype))
            inputs.append({"name": name, "shape": shape_of(a, True), "dtype": kinds[a.dtype]})
            if not a.is_floating_point():
                domain[name] = {"min": int(a.min()), "max": int(a.max())}
        elif isinstance(a, bool) or not isinstance(a, (int, float)):
            raise ValueError("the argument `%s` is %s: a kernel gets tensors and numbers"
                             % (name, type(a).__name__))
        else:
            inputs.append({"name": name, "value": a, "dtype": "int32" if isinstance(a, int) else "float32"})
    for t, whole, name in weights:
        if t.dtype not in kinds:
            raise ValueError("`%s` of the module is of the type %s" % (whole[0], t.dtype))
        inputs.append({"name": name, "shape": shape_of(t, False), "dtype": kinds[t.dtype]})
        if not t.is_floating_point():
            domain[name] = {"min": int(t.min()), "max": int(t.max())}
            continue
        most = max(1.0, 2 * float(t.abs().max())) if t.numel() else 1.0
        domain[name] = {"min": 0.05 if whole[0].endswith("running_var") else -most, "max": most}
    outputs = []
    for k, g in enumerate(first):
        if g.dtype not in kinds:
            raise ValueError("an output is of the type %s" % g.dtype)
        outputs.append({"name": name_of("out" if len(first) == 1 else "out%d" % k),
                        "shape": shape_of(g, along[k]), "dtype": kinds[g.dtype]})

    count = batch if batch is not None else (int(tensors[0].shape[0]) if tensors and tensors[0].dim() else 1)
    lkt = {"size_names": ["batch"],
           "operation": {"inputs": inputs, "outputs": outputs},
           "domain": domain,
           "notes": "The weights of the module are arguments of the kernel, after those of forward."}
    if batch is not None:
        lkt["sizes"] = [[n] for n in sorted({1, 3}) if n != batch]
        lkt["size_constraints"] = ["min(ProblemSize) >= 1 and max(ProblemSize) <= %d" % max(batch, 4)]
    given_names = ", ".join(names + [n for _, _, n in weights])
    state_text = ", ".join("%r: %s" % (n, name) for _, whole, name in weights for n in whole)
    wrapper = """

def lkt_module(%s):
    import torch
    torch.manual_seed(0)
    given = get_init_inputs() if "get_init_inputs" in globals() else []
    model = @CLASS@(%s).double().eval()
    call = getattr(getattr(torch, "func", None), "functional_call", None)
    if call is None:
        from torch.nn.utils.stateless import functional_call as call
    with torch.no_grad():
        return call(model, {%s}, (%s,))
""" % (given_names, "*given[0], **given[1]" if named else "*given", state_text, ", ".join(names))
    problem = {"KernelSpecification": {"KernelName": "@KERNEL@", "ProblemSize": [count]}, "lkt": lkt}
    return np.frombuffer(json.dumps([problem, wrapper]).encode(), dtype=np.uint8)
)python";

} // namespace lkt::detail
