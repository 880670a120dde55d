# SPDX-License-Identifier: BSL-1.0
"""The maximum of each window."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, kernel, stride, padding):
        super().__init__()
        self.pool = nn.MaxPool2d(kernel, stride, padding)

    def forward(self, x):
        return self.pool(x)


def get_inputs():
    return [torch.randn(16, 64, 128, 128)]


def get_init_inputs():
    return [3, 2, 1]
