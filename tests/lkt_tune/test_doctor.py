# SPDX-License-Identifier: BSL-1.0
"""lkt-tune doctor: what is installed, what is missing, what to do about it."""

from support import Case, main


class Doctor(Case):
    def test_a_machine_that_runs_kernels(self):
        done = self.run_tune("doctor", env={"OPENAI_API_KEY": "sk-planted-secret", "LKT_CUDA_DRIVER": "/nowhere/libcuda.so",
                                            "HTTPS_PROXY": "http://127.0.0.1:9", "https_proxy": "", "NO_PROXY": "", "no_proxy": ""})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"ok  kernels +.*: a kernel was compiled and ran")
        for word in ("sandbox", "nvcc", "compute-sanitizer", "WebGPU", "scratch", "Boost", "/nowhere/libcuda.so", "lkt.cuda.driver"):
            self.assertIn(word, done.stdout)
        self.assertNotIn("planted", done.stdout)
        if "built without OpenSSL" not in done.stdout:
            self.assertRegex(done.stdout, "ok  keys that are set +.*OPENAI_API_KEY")
            # Whether its server can be reached, through the proxy that is named.
            self.assertRegex(done.stdout, r"--  openai +no connection to the proxy 127.0.0.1:9: .*\n +check the proxy's URL")
            self.assertRegex(done.stdout, "ollama +.*http://127.0.0.1:11434")

    def test_a_machine_that_does_not(self):
        done = self.run_tune("doctor", env={"LKT_CXX": "/nowhere/c++", "TMPDIR": "/proc/nowhere"})
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertRegex(done.stdout, r"--  kernels +.*")
        self.assertRegex(done.stdout, r"--  scratch +/proc/nowhere cannot be written\n +name another one in TMPDIR")
        done = self.run_tune("doctor", env={"LKT_CXX": "/nowhere/c++"})
        self.assertIn("/nowhere/c++", done.stdout)
        self.assertIn("LKT_CXX", done.stdout)

    def test_it_takes_no_options(self):
        self.assert_one_clear_error(self.run_tune("doctor", "--quiet"), 2, "doctor takes no options")


if __name__ == "__main__":
    main()
