# SPDX-License-Identifier: BSL-1.0
"""Polars and DuckDB read what lkt-scan writes, as it is, with the right types; skipped where they are not installed."""
import datetime
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = None
TEXTS = ("engine device date settings status instance operation type output_type layout_a layout_b layout_c verdict bound message "
         "layout function epilogue").split()
WHOLE = ("c h w r s stride padding dilation groups elements inputs flops m n k batch stride_a stride_b stride_c iterations "
         "unsupported product_rows workspace_bytes").split()
REALS = ("alpha beta time_s time_least_s time_most_s time_deviation_s time_again_s operations bytes intensity clock_mhz tflops "
         "gb_per_s roof_tflops roof_share").split()
TRUTHS = ("best", "times_differ")


def write_scan(folder):
    """More than the rows from which both guess their types, of which the first hundred have no times."""
    def scan(*words, status=0):
        done = subprocess.run([PROGRAM, *words, "--quiet", "--jsonl", "run.jsonl", "--csv", "run.csv", "--markdown", "run.md"],
                              cwd=folder, check=False, timeout=300)
        assert done.returncode == status, done
    scan("--m", "1..120", "--n", "4", "--k", "4", "--dtype", "int4", "--accelerator", "MI300X", status=6)
    scan("--m", "1..4096:x2", "--n", "4096", "--k", "4096", "--dtype", "f16,fp8", "--alpha", "2.5", "--resume")
    # Other operations behind them, which have other fields.
    scan("--operation", "conv", *(word for size in ("n=2", "c=64", "h=9", "w=9", "k=8", "r=3", "s=3", "padding=1")
                                  for word in ("--size", size)), "--resume")
    scan("--operation", "elementwise", "--function", "gelu", "--size", "elements=4096", "--resume")


class Export(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        write_scan(self.folder.name)
        self.path = pathlib.Path(self.folder.name)

    def test_polars(self):
        import polars
        frames = {"jsonl": polars.read_ndjson(self.path / "run.jsonl", infer_schema_length=None),
                  "csv": polars.read_csv(self.path / "run.csv", infer_schema_length=None)}
        for form, frame in frames.items():
            with self.subTest(form):
                self.assertEqual(frame.height, 120 + 26 * 6 + 6 + 4)
                for name, kind in frame.schema.items():
                    wanted = (polars.String if name in TEXTS else polars.Int64 if name in WHOLE else polars.Float64
                              if name in REALS else polars.Boolean if name in TRUTHS else None)
                    allowed = {wanted} | ({polars.Null, polars.String} if name in ("clock_mhz", "time_again_s") else set())
                    self.assertIn(kind, allowed, name)
                self.assertEqual(frame.filter(polars.col("best")).height, 28)
                best = frame.filter(polars.col("best") & (polars.col("m") == 4096))
                self.assertTrue((best["tflops"] > 100).all())

    def test_duckdb(self):
        import duckdb
        for form in ("jsonl", "csv"):
            with self.subTest(form):
                table = duckdb.sql(f"SELECT * FROM '{self.path}/run.{form}'")
                kinds = dict(zip(table.columns, map(str, table.types)))
                for name, kind in kinds.items():
                    wanted = {"VARCHAR"} if name in TEXTS else {"BIGINT"} if name in WHOLE else {
                        "DOUBLE"} if name in REALS else {"BOOLEAN"}
                    if name == "date":
                        wanted = {"TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "VARCHAR"}
                    if name in ("clock_mhz", "time_again_s"):
                        wanted |= {"JSON", "VARCHAR", '"NULL"'}  # nothing is known of any row
                    self.assertIn(kind, wanted, name)
                self.assertEqual(duckdb.sql(f"SELECT count(*) FROM '{self.path}/run.{form}' WHERE best").fetchall()[0][0], 28)
                when = duckdb.sql(f"SELECT max(date::TIMESTAMP) FROM '{self.path}/run.{form}'").fetchall()[0][0]
                self.assertLess(abs((datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None) - when
                                     ).total_seconds()), 3600)


def main():
    global PROGRAM
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    try:
        import duckdb  # noqa: F401
        import polars  # noqa: F401
    except ImportError as missing:
        python = os.environ.get("LKT_FRAMES_PYTHON") or str(ROOT / "build/deps/frames/bin/python")
        if os.path.exists(python) and os.environ.get("LKT_FRAMES_TRIED") is None:
            os.execve(python, [python, __file__, PROGRAM, *sys.argv[1:]], {**os.environ, "LKT_FRAMES_TRIED": "1"})
        print(f"skipped: {missing}; python3 -m venv build/deps/frames && build/deps/frames/bin/pip install polars duckdb")
        sys.exit(SKIPPED)
    unittest.main(verbosity=1)


if __name__ == "__main__":
    main()
