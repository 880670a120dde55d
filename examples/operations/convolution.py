# SPDX-License-Identifier: BSL-1.0
import numpy as np


def correlate(x, w, stride=1, padding=0, dilation=1):
    """x: (batch, channels, *space), w: (out, channels, *kernel), as torch.nn.functional.conv2d."""
    rank = x.ndim - 2
    x = np.pad(x, [(0, 0), (0, 0)] + [(padding, padding)] * rank)
    kernel = w.shape[2:]
    out = [(x.shape[2 + d] - dilation * (kernel[d] - 1) - 1) // stride + 1 for d in range(rank)]
    y = np.zeros((x.shape[0], w.shape[0], *out))
    for at in np.ndindex(*kernel):
        part = tuple(slice(dilation * at[d], dilation * at[d] + stride * (out[d] - 1) + 1, stride)
                     for d in range(rank))
        y += np.einsum("bc...,oc->bo...", x[(slice(None), slice(None)) + part],
                       w[(slice(None), slice(None)) + at])
    return y


def correlate_bias_relu(x, w, bias, stride=1, padding=0):
    return np.maximum(correlate(x, w, stride, padding) + bias[None, :, None, None], 0)
