# SPDX-License-Identifier: BSL-1.0
"""Bias, GELU by the hyperbolic tangent, a scale for each column."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(width))
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return F.gelu(x + self.bias, approximate="tanh") * self.scale


def get_inputs():
    return [torch.randn(8192, 4096)]


def get_init_inputs():
    return [4096]
