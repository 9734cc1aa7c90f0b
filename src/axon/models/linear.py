"""Few rows through a large matrix on the CPU: a cached evaluation's layers, and the vocabulary projection.

torch hands fp32 products to a BLAS that is slow for few rows: for the 32 positions of a block through LLaDA's
vocabulary matrix, oneDNN, which is part of torch too, takes half the time on the CPU we measured (docs/benchmarks.md).
With many rows the two are alike, so those stay with the stock path, bit for bit.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

# Up to this many rows oneDNN is used, and only for matrices of at least this many numbers.
_FEW = 128
_LARGE = 1 << 20


class FewRowsLinear(nn.Linear):
    """nn.Linear that chooses its product by the number of rows."""

    def forward(self, input: Tensor) -> Tensor:
        if input.numel() <= _FEW * self.in_features:
            rows = input.reshape(-1, self.in_features)
            product: Tensor = torch.ops.mkldnn._linear_pointwise(rows, self.weight, self.bias, "none", [], "")
            return product.reshape(*input.shape[:-1], self.out_features)
        return linear(input, self.weight, self.bias)


def use_few_rows(network: nn.Module) -> None:
    """Let the large fp32 CPU matrices of a network choose; it keeps its weights, names and classes otherwise."""
    # The product is not part of torch's public interface, so a build may lack it.
    if not hasattr(torch.ops.mkldnn, "_linear_pointwise"):
        return
    for module in network.modules():
        if type(module) is nn.Linear and module.weight.numel() >= _LARGE and _is_fp32_on_cpu(module.weight):
            module.__class__ = FewRowsLinear


def _is_fp32_on_cpu(weight: Tensor) -> bool:
    return weight.device.type == "cpu" and weight.dtype == torch.float32
