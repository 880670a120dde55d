# SPDX-License-Identifier: BSL-1.0
"""Group normalisation, then SiLU."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)

    def forward(self, x):
        return F.silu(self.norm(x))


def get_inputs():
    return [torch.randn(32, 128, 64, 64)]


def get_init_inputs():
    return [16, 128]
