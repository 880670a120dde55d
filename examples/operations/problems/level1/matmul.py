# SPDX-License-Identifier: BSL-1.0
"""A matrix product."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return a @ b


def get_inputs():
    return [torch.randn(2048, 1024), torch.randn(1024, 2048)]
