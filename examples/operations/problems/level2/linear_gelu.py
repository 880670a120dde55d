# SPDX-License-Identifier: BSL-1.0
"""A linear layer and GELU."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return F.gelu(self.linear(x))


def get_inputs():
    return [torch.randn(4096, 256)]


def get_init_inputs():
    return [256, 2048]
