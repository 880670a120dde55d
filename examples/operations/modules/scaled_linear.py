"""A module as KernelBench writes them: lkt-tune --torch scaled_linear.py:Model."""
import torch
import torch.nn as nn


class Model(nn.Module):
    """Linear, batch normalisation, scale, ReLU."""

    def __init__(self, in_features, out_features, scale):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.norm = nn.BatchNorm1d(out_features)
        self.scale = scale

    def forward(self, x):
        return torch.relu(self.norm(self.linear(x)) * self.scale)


batch_size, in_features, out_features = 32, 48, 24


def get_inputs():
    return [torch.rand(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features, 0.5]
