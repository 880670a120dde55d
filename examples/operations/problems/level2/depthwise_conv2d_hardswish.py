# SPDX-License-Identifier: BSL-1.0
"""A depthwise convolution, hard swish, and a scale for each channel."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1, groups=channels)
        self.scale = nn.Parameter(torch.ones(channels, 1, 1))

    def forward(self, x):
        return F.hardswish(self.conv(x)) * self.scale


def get_inputs():
    return [torch.randn(16, 64, 128, 128)]


def get_init_inputs():
    return [64]
