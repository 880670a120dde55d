# SPDX-License-Identifier: BSL-1.0
"""A convolution of each channel with weights of its own."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels, kernel, padding):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, kernel, padding=padding, groups=channels)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(16, 64, 128, 128)]


def get_init_inputs():
    return [64, 3, 1]
