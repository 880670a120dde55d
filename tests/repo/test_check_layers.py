#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""scripts/check-layers on planted trees: every rule is shown to hold, and to be able to fail."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-layers"

# Headers that other planted headers include.
BASE = {
    "config.hpp": "", "lkt.hpp": "#include <lkt/graph/run.hpp>\n", "core/error.hpp": "#include <lkt/config.hpp>\n",
    "core/detail/probe.hpp": "", "graph/run.hpp": "#include <lkt/core/error.hpp>\n", "kernel/source.hpp": "",
    "lang/expression/expression.hpp": "", "lang/cuda/tokens.hpp": "", "lang/cuda/detail/pieces.hpp": "",
    "lang/wgsl/wgsl.hpp": "", "lang/find_kernel.hpp": "", "lang/wgsl_as_cpp/wgsl_as_cpp.hpp": "",
    "process/worker.hpp": "", "llm/chat_model.hpp": "", "llm/replay.hpp": "", "llm/extract.hpp": "",
    "gpu/gpu_backend.hpp": "", "gpu/host.hpp": "", "gpu/cuda/driver.hpp": "#include <cuda.h>\n",
    "gpu/hip/runtime.hpp": "",
    "verify/oracle.hpp": "", "nodes/build.hpp": "", "strategies/sweep.hpp": "", "tuner/tuner.hpp": "",
}


def run(files: dict[str, str]) -> tuple[int, str]:
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            header = pathlib.Path(folder, "include", "lkt", path)
            header.parent.mkdir(parents=True, exist_ok=True)
            header.write_text(text)
        result = subprocess.run([sys.executable, SCRIPT, "--root", folder],
                                capture_output=True, text=True, check=False)
        return result.returncode, result.stdout + result.stderr


class CheckLayers(unittest.TestCase):
    def refused(self, path: str, line: str, reason: str) -> None:
        status, output = run(BASE | {path: f"// a comment\n{line}\n"})
        self.assertEqual(status, 1, output)
        self.assertIn(f"include/lkt/{path}:2: ", output)
        self.assertIn(reason, output)
        self.assertEqual(len(output.splitlines()), 2, output)

    def accepted(self, path: str, line: str) -> None:
        status, output = run(BASE | {path: f"// a comment\n{line}\n"})
        self.assertEqual(status, 0, output)

    def test_the_base_is_sound(self):
        status, output = run(BASE)
        self.assertEqual(status, 0, output)
        self.assertIn(f"{len(BASE)} headers", output)

    def test_nothing_to_look_at_fails(self):
        self.assertEqual(run({})[0], 1)
        status, output = run({"core/lonely.hpp": "#include <vector>\n"})
        self.assertEqual(status, 1, output)
        self.assertIn("looked at no", output)

    def test_upwards(self):
        self.refused("core/a.hpp", "#include <lkt/graph/run.hpp>", "layer core may include")
        self.refused("graph/a.hpp", "#include <lkt/kernel/source.hpp>", "layer graph may include")
        self.refused("llm/a.hpp", "#include <lkt/tuner/tuner.hpp>", "layer llm may include")
        self.refused("nodes/a.hpp", "  #  include <lkt/strategies/sweep.hpp>", "layer nodes may include")

    def test_sideways(self):
        self.refused("llm/a.hpp", "#include <lkt/gpu/host.hpp>", "layer llm may include")
        self.refused("verify/a.hpp", "#include <lkt/llm/extract.hpp>", "layer verify may include")

    def test_folders_of_lang_are_layers(self):
        self.accepted("kernel/a.hpp", "#include <lkt/lang/expression/expression.hpp>")
        self.refused("kernel/a.hpp", "#include <lkt/lang/cuda/tokens.hpp>", "layer kernel may include")
        self.refused("lang/expression/a.hpp", "#include <lkt/kernel/source.hpp>", "layer lang/expression may include")
        self.accepted("lang/cuda/a.hpp", "#include <lkt/kernel/source.hpp>")
        self.refused("lang/cuda/a.hpp", "#include <lkt/lang/wgsl/wgsl.hpp>", "layer lang/cuda may include")
        self.refused("lang/wgsl/a.hpp", "#include <lkt/lang/find_kernel.hpp>", "layer lang/wgsl may include")
        self.accepted("lang/a.hpp", "#include <lkt/lang/cuda/detail/pieces.hpp>")
        self.accepted("problems/a.hpp", "#include <lkt/lang/find_kernel.hpp>")
        self.refused("gpu/a.hpp", "#include <lkt/lang/cuda/detail/pieces.hpp>", "detail headers of lang")

    def test_a_leaf_has_one_user(self):
        leaf = "#include <lkt/lang/wgsl_as_cpp/wgsl_as_cpp.hpp>"
        self.accepted("gpu/webgpu/a.hpp", leaf)
        for other in ("gpu/a.hpp", "lang/a.hpp", "problems/a.hpp", "lkt.hpp"):
            self.refused(other, leaf, "only gpu/webgpu/ includes it")

    def test_concepts_are_for_all_but_core(self):
        self.accepted("graph/a.hpp", "#include <lkt/llm/chat_model.hpp>")
        self.accepted("verify/a.hpp", "#include <lkt/gpu/gpu_backend.hpp>")
        self.refused("core/a.hpp", "#include <lkt/llm/chat_model.hpp>", "below the concepts")
        self.refused("gpu/gpu_backend.hpp", "#include <lkt/process/worker.hpp>", "a concept header")

    def test_nodes_know_concepts_only(self):
        self.accepted("nodes/a.hpp", "#include <lkt/verify/oracle.hpp>")
        self.accepted("tuner/a.hpp", "#include <lkt/gpu/host.hpp>")
        self.refused("nodes/a.hpp", "#include <lkt/gpu/host.hpp>", "never a model")
        self.refused("strategies/a.hpp", "#include <lkt/llm/replay.hpp>", "never a model")

    def test_detail_is_private(self):
        self.accepted("core/a.hpp", "#include <lkt/core/detail/probe.hpp>")
        self.refused("graph/a.hpp", "#include <lkt/core/detail/probe.hpp>", "detail headers of core")
        self.refused("lkt.hpp", "#include <lkt/core/detail/probe.hpp>", "detail headers of core")

    def test_adapters_are_leaves(self):
        self.refused("lkt.hpp", "#include <lkt/gpu/cuda/driver.hpp>", "an adapter is a leaf")
        self.refused("tuner/a.hpp", "#include <lkt/gpu/cuda/driver.hpp>", "an adapter is a leaf")
        self.accepted("gpu/cuda/cuda.hpp", "#include <lkt/gpu/cuda/driver.hpp>")
        self.refused("gpu/a.hpp", "#include <cuda.h>", "for adapters only")
        self.refused("llm/a.hpp", "#include <boost/beast/http.hpp>", "for adapters only")
        self.accepted("llm/http/a.hpp", "#include <boost/asio/ssl.hpp>")
        self.refused("gpu/webgpu/a.hpp", "#include <lkt/gpu/cuda/driver.hpp>", "an adapter is a leaf")
        self.accepted("scan/cublaslt/a.hpp", "#include <lkt/gpu/cuda/driver.hpp>")
        self.accepted("scan/cublaslt/a.hpp", "#include <lkt/gpu/hip/runtime.hpp>")
        self.refused("scan/a.hpp", "#include <lkt/gpu/cuda/driver.hpp>", "an adapter is a leaf")

    def test_no_namesakes_within_reach(self):
        for path, sound in (("nodes/source.hpp", False), ("gpu/host/detail/host.hpp", False), ("nodes/host.hpp", True),
                            ("gpu/webgpu/driver.hpp", True), ("llm/detail/pieces.hpp", True)):
            status, output = run(BASE | {path: "#include <lkt/core/error.hpp>\n"})
            self.assertEqual(status, 0 if sound else 1, output)
            if not sound:
                self.assertIn(f"include/lkt/{path}:1: ", output)
                self.assertIn("has the same name", output)

    def test_gathering_headers_are_for_users(self):
        self.refused("core/a.hpp", "#include <lkt/lkt.hpp>", "it is for users")

    def test_definitions_are_compiled_once(self):
        definitions = {"core/impl/error.ipp": "#include <lkt/core/error.hpp>\n",
                       "core/src.hpp": "#include <lkt/core/impl/error.ipp>\n",
                       "src.hpp": "#include <lkt/core/src.hpp>\n"}
        status, output = run(BASE | definitions)
        self.assertEqual(status, 0, output)
        for path, line, why in (("core/a.hpp", "#include <lkt/core/impl/error.ipp>", "by core/src.hpp alone"),
                                ("tuner/a.hpp", "#include <lkt/core/src.hpp>", "includes lkt/src.hpp"),
                                ("core/a.hpp", "#include <lkt/src.hpp>", "it is for users")):
            status, output = run(BASE | definitions | {path: line + "\n"})
            self.assertEqual(status, 1, output)
            self.assertIn(why, output)

    def test_what_is_not_there(self):
        self.refused("core/a.hpp", "#include <lkt/core/missing.hpp>", "does not exist")
        self.refused("core/a.hpp", '#include "lkt/core/error.hpp"', "write #include <...>")
        status, output = run(BASE | {"magic/a.hpp": "#include <lkt/core/error.hpp>\n"})
        self.assertEqual(status, 1, output)
        self.assertIn("there is no layer 'magic'", output)

    def test_usage(self):
        result = subprocess.run([sys.executable, SCRIPT, "--teleport"], capture_output=True, check=False)
        self.assertEqual(result.returncode, 2)


if __name__ == "__main__":
    unittest.main()
