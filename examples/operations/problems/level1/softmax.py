# SPDX-License-Identifier: BSL-1.0
"""Softmax of each row."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=1)


def get_inputs():
    return [torch.randn(4096, 8192)]
