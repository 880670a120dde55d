# SPDX-License-Identifier: BSL-1.0
"""Scores are scaled, an additive mask is applied, then softmax."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width, scale):
        super().__init__()
        self.mask = nn.Parameter(torch.zeros(width))
        self.scale = scale

    def forward(self, scores):
        return torch.softmax(scores * self.scale + self.mask, dim=1)


def get_inputs():
    return [torch.randn(8192, 4096)]


def get_init_inputs():
    return [4096, 0.125]
