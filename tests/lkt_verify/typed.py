# SPDX-License-Identifier: BSL-1.0
"""Honest kernels that are the same text in several types: cases/typed/OPERATION[-VARIANT].cu, in which T is the type of
what is read, A that of sums and O that of what is written; up() and down() convert from T to A and from A to O.

    python3 tests/lkt_verify/typed.py FOLDER

writes all of them, as cases/ is laid out: benchmarks/verify/mutants.cpp takes such a folder."""

import json
import pathlib
import re
import shutil
import sys

TYPED = pathlib.Path(__file__).resolve().parent / "cases" / "typed"

# name in a problem: (T, A, O, the problem's type of O, up, down, header)
TYPES = {
    "float": ("float", "float", "float", "float", "", "", ""),
    "half": ("__half", "float", "__half", "half", "__half2float", "__float2half", "cuda_fp16.h"),
    "bfloat16": ("__nv_bfloat16", "float", "__nv_bfloat16", "bfloat16", "__bfloat162float", "__float2bfloat16",
                 "cuda_bf16.h"),
    "int8": ("signed char", "int", "int", "int32", "int", "", ""),
    "uint8": ("unsigned char", "int", "int", "int32", "int", "", ""),
    "int16": ("short", "int", "int", "int32", "int", "", ""),
}
FLOATS = ("float", "half", "bfloat16")
ALL = (*FLOATS, "int8", "int16")

P0, P1, P2 = (f"ProblemSize[{d}]" for d in range(3))
ROWS = {"size": [40, 96], "sizes": [[3, 33], [1, 1]], "most": [64, 600], "block": {"X": 32}, "grid": {"X": P0},
        "scalars": {"rows": P0, "cols": P1}}
ELEMENTS = {"size": [3000], "sizes": [[33], [1]], "most": [6000], "block": {"X": 128},
            "grid": {"X": f"ceil_div({P0}, 128)"}, "scalars": {"n": P0}}
MATRIX = {"size": [45, 70], "sizes": [[3, 33], [1, 1]], "most": [90, 120], "block": {"X": 16, "Y": 16},
          "grid": {"X": f"ceil_div({P1}, 16)", "Y": f"ceil_div({P0}, 16)"}, "scalars": {"rows": P0, "cols": P1}}
PRODUCT = {"size": [45, 37, 90], "sizes": [[16, 16, 32], [1, 1, 1]], "most": [80, 80, 200],
           "block": {"X": 16, "Y": 16}, "grid": {"X": f"ceil_div({P1}, 16)", "Y": f"ceil_div({P0}, 16)"},
           "scalars": {"m": P0, "n": P1, "k": P2}}
BOTH = f"{P0} * {P1}"

# operation: (geometry, types, inputs and outputs as {name: (type, elements)}, domains)
OPERATIONS = {
    "rowsum": (ROWS, ALL, {"x": ("T", BOTH)}, {"y": ("O", P0)}, {"x": (-4, 4)}),
    "softmax": (ROWS, FLOATS, {"x": ("T", BOTH)}, {"y": ("O", BOTH)}, {"x": (-20, 20)}),
    "layernorm": (ROWS, FLOATS, {"x": ("T", BOTH), "gain": ("T", P1)}, {"y": ("O", BOTH)},
                  {"x": (-100, 100), "gain": (-4, 4)}),
    "rmsnorm": (ROWS, FLOATS, {"x": ("T", BOTH), "gain": ("T", P1)}, {"y": ("O", BOTH)},
                {"x": (-100, 100), "gain": (-4, 4)}),
    "argmax": (ROWS, ALL, {"x": ("T", BOTH)}, {"y": ("int32", P0)}, {"x": (-100, 100)}),
    "scan": (ROWS, ALL, {"x": ("T", BOTH)}, {"y": ("O", BOTH)}, {"x": (-4, 4)}),
    "gemv": (ROWS, ALL, {"a": ("T", BOTH), "x": ("T", P1)}, {"y": ("O", P0)}, {"a": (-8, 8), "x": (-8, 8)}),
    "axpby": (ELEMENTS, ALL, {"x": ("T", P0), "y": ("T", P0)}, {"z": ("O", P0)}, {"x": (-100, 100), "y": (-100, 100)}),
    "gelu": (ELEMENTS, FLOATS, {"x": ("T", P0)}, {"y": ("O", P0)}, {"x": (-20, 20)}),
    "relu": (ELEMENTS, ALL, {"x": ("T", P0)}, {"y": ("O", P0)}, {"x": (-100, 100)}),
    "dequantize": (ELEMENTS, FLOATS, {"q": ("int8", P0), "scale": ("T", f"ceil_div({P0}, 32)")}, {"y": ("O", P0)},
                   {"q": (-128, 127), "scale": (-2, 2)}),
    "rotary": (ELEMENTS, FLOATS, {"x": ("T", f"2 * {P0}")}, {"y": ("O", f"2 * {P0}")}, {"x": (-10, 10)}),
    "conv1d": (ELEMENTS, ALL, {"x": ("T", P0), "weight": ("T", "7")}, {"y": ("O", P0)},
               {"x": (-8, 8), "weight": (-2, 2)}),
    "histogram": (ELEMENTS, ("int8", "uint8", "int16"), {"x": ("T", P0)}, {"y": ("int32", "64")}, {}),
    "transpose": (MATRIX, ALL, {"x": ("T", BOTH)}, {"y": ("T", BOTH)}, {}),
    "maxpool": (MATRIX, ALL, {"x": ("T", BOTH)}, {"y": ("T", BOTH)}, {"x": (-100, 100)}),
    "gemm": (PRODUCT, ALL, {"a": ("T", f"{P0} * {P2}"), "b": ("T", f"{P2} * {P1}")}, {"c": ("O", BOTH)},
             {"a": (-8, 8), "b": (-8, 8)}),
}
# Variants that are there for some types only.
ONLY = {"gemm-mma": ("half", "bfloat16"), "gemm-dp4a": ("int8",)}


def problem(operation, name):
    """The problem file of an operation in one type, its texts beside it."""
    geometry, _, inputs, outputs, domains = OPERATIONS[operation]
    types = {"T": name, "O": TYPES[name][3]}
    arguments = [{"Name": a, "Type": types.get(t, t), "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": size,
                  "FillType": "Random", "FillValue": 1.0} for a, (t, size) in inputs.items()]
    for a, (t, size) in outputs.items():
        adds = operation == "histogram"
        arguments.append({"Name": a, "Type": types.get(t, t), "MemoryType": "Vector",
                          "AccessType": "ReadWrite" if adds else "WriteOnly", "Size": size, "Output": 1,
                          **({"FillType": "Constant", "FillValue": 0} if adds else {})})
    arguments += [{"Name": s, "Type": "int32", "MemoryType": "Scalar"} for s in geometry["scalars"]]
    kernel = f"{operation}_{name}"
    return {
        "KernelSpecification": {
            "Language": "CUDA", "KernelName": kernel, "KernelFile": f"{kernel}.cu", "ProblemSize": geometry["size"],
            "LocalSize": geometry["block"], "GlobalSizeType": "CUDA", "GlobalSize": geometry["grid"],
            "Arguments": arguments},
        "lkt": {"sizes": geometry["sizes"],
                "size_constraints": ["min(ProblemSize) >= 1",
                                     *(f"ProblemSize[{d}] <= {most}" for d, most in enumerate(geometry["most"]))],
                "scalars": geometry["scalars"],
                "domain": {a: {"min": low, "max": high} for a, (low, high) in domains.items()}}}


def text(template, operation, name):
    """A template's text in one type."""
    read, sums, written, _, up, down, header = TYPES[name]
    found = template.replace("KERNEL", f"{operation}_{name}")
    found = re.sub(r"\bup\(", f"{up}(", found)
    found = re.sub(r"\bdown\(", f"{down}(", found)
    found = re.sub(r"\bT\(0\)", {"int": "0", "float": f"{down}(0.0f)"}[sums], found)
    for word, type_name in (("T", read), ("A", sums), ("O", written)):
        found = re.sub(rf"\b{word}\b", type_name, found)
    return f"#include <{header}>\n{found}" if header else found


def write(folder):
    """All of them; returns the index, as cases/cases.json has it."""
    folder = pathlib.Path(folder)
    (folder / "problems").mkdir(parents=True, exist_ok=True)
    (folder / "accept").mkdir(exist_ok=True)
    index = []
    for operation, (_, types, *_) in OPERATIONS.items():
        for name in types:
            kernel = f"{operation}_{name}"
            (folder / f"problems/{kernel}.json").write_text(json.dumps(problem(operation, name), indent=1))
            original = TYPED / f"{operation}.cu"
            (folder / f"problems/{kernel}.cu").write_text(text(original.read_text(), operation, name))
            for template in [original, *sorted(TYPED.glob(f"{operation}-*.cu"))]:
                if name not in ONLY.get(template.stem, types):
                    continue
                candidate = f"accept/{template.stem}_{name}.cu"
                (folder / candidate).write_text(text(template.read_text(), operation, name))
                index.append({"id": f"{template.stem}_{name}", "language": "CUDA",
                              "problem": f"problems/{kernel}.json", "candidate": candidate,
                              "backends": ["host", "cuda"], "verdicts": ["accepted"], "why": ""})
    (folder / "cases.json").write_text(json.dumps(index, indent=1))
    return index


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    print(len(write(sys.argv[1])), "kernels")
