#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""scripts/update-prices: what it takes out of litellm's table, and that the list of the library is what it wrote."""
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "update-prices"

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("update_prices", str(SCRIPT))
update_prices = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(update_prices)


def model(server="openai", given=1.0, out=4.0, mode="chat", **more):
    return {"litellm_provider": server, "mode": mode, "input_cost_per_token": given / 1e6,
            "output_cost_per_token": out / 1e6, **more}


class Prices(unittest.TestCase):
    def listed(self, **table):
        found = update_prices.listed(table, "2026-10")
        return {name: tuple(round(p, 6) for p in price) for names in found.values() for name, price in names.items()}

    def test_a_price_is_for_a_million_tokens_and_what_no_cache_reduces_costs_the_same(self):
        self.assertEqual(self.listed(a=model(), b=model(cache_read_input_token_cost=0.1e-6)), {"a": (1, 1, 4), "b": (1, 0.1, 4)})

    def test_of_all_lengths_the_dearest(self):
        tiers = {"input_cost_per_token_above_200k_tokens": 2e-6, "output_cost_per_token_above_200k_tokens": 6e-6,
                 "cache_read_input_token_cost": 0.1e-6, "cache_read_input_token_cost_above_200k_tokens": 0.2e-6,
                 "input_cost_per_token_priority": 9e-6, "input_cost_per_token_above_200k_tokens_priority": 9e-6,
                 "output_cost_per_reasoning_token": 5e-6}
        self.assertEqual(self.listed(a=model(**tiers)), {"a": (2, 0.2, 6)})

    def test_what_a_server_writes_to_its_cache_by_itself_is_paid(self):
        written = {"cache_creation_input_token_cost": 1.25e-6, "cache_creation_input_token_cost_above_1hr": 2e-6}
        self.assertEqual(self.listed(a=model(**written), b=model("anthropic", **written)), {"a": (1.25, 1.25, 4), "b": (1, 1, 4)})

    def test_a_date_is_kept_where_it_costs_something_else(self):
        self.assertEqual(
            set(self.listed(**{"a": model(), "a-2024-08-06": model(), "a-20240806": model(), "a-2024-05-13": model(given=2),
                               "b-2024-08-06": model(), "a-2411": model()})),
            {"a", "a-2024-05-13", "b-2024-08-06", "a-2411"})

    def test_of_two_entries_for_one_name_the_dearer(self):
        self.assertEqual(self.listed(**{"xai/g": model("xai", given=2), "g": model("xai", given=3)}), {"g": (3, 3, 4)})

    def test_what_is_left_out(self):
        self.assertEqual(self.listed(**{
            "free": model(given=0), "old": model(deprecation_date="2026-09-30"), "ft:a": model(), "a-audio-preview": model(),
            "a-embedding": model(mode="embedding"), "elsewhere": model("novita")}), {})


class TheList(unittest.TestCase):
    def test_it_is_what_litellm_says(self):
        done = subprocess.run([SCRIPT, "--check"], capture_output=True, text=True, check=False)
        if "no litellm/" in done.stderr:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
