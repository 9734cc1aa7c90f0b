"""The attention function of our models: torch's fused kernel, plus just the attention somebody asked for.

The kernel returns the log-sum-exp of every query's scores, so the attention from i to j is
exp(q_i . k_j * scale - lse_i), exact, for whichever few pairs are wanted; no L x L map is built. A call
object travels through the model's keyword arguments, so nothing is global and nothing is patched.
"""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from axon.models.cache import CacheView
from axon.signals import Attention, AttentionNeed, Frame

NAME = "axon"
# Query rows taken at a time when a sum over all of them is wanted.
_ROWS = 128


class AttentionCall:
    """What one evaluation wants of the attention layers, and what they have delivered so far.

    positions (B, Q) absolute position of every evaluated query; real (B, Q) False for padding.
    """

    def __init__(
        self,
        frame: Frame,
        positions: Tensor,
        real: Tensor,
        needs: Iterable[AttentionNeed],
        depth: int,
        cache: CacheView | None = None,
    ) -> None:
        self.cache = cache
        self.real = real
        self.columns = frame.positions
        # Where the block's positions stand among the queries.
        self.rows = (frame.positions - positions[:, :1]).clamp(0, positions.shape[1] - 1)
        self.inside, self.valid = frame.inside, frame.valid
        self.padded = not bool(frame.valid.all())
        self._bias: Tensor | None = None
        self.first = {need: need.first_layer(depth) for need in needs}
        self.depth = depth
        self._weights: dict[AttentionNeed, Tensor] = {}
        self._sinks: dict[AttentionNeed, Tensor] = {}

    def bias(self, query: Tensor) -> Tensor | None:
        """The padding mask as the kernel wants it, (B, 1, Q, L), or None when no row is padded."""
        if self.padded and self._bias is None:
            blocked = query.new_zeros(self.valid.shape).masked_fill_(~self.valid, -torch.inf)
            self._bias = blocked[:, None, None].expand(-1, 1, query.shape[2], -1)
        return self._bias

    def wants(self, layer: int) -> bool:
        """Whether this layer's attention was asked for."""
        return any(layer >= first for first in self.first.values())

    def capture(self, layer: int, query: Tensor, key: Tensor, lse: Tensor | None, scale: float) -> None:
        """Add one layer's share to every need it belongs to."""
        for need, first in self.first.items():
            if layer >= first:
                self._capture(need, query, key, lse, scale)

    def _capture(self, need: AttentionNeed, query: Tensor, key: Tensor, lse: Tensor | None, scale: float) -> None:
        wanted = key if need.columns == "row" else _take(key, self.columns)
        seen = self.valid if need.columns == "row" else self.inside
        rows = _take(query, self.rows)
        if lse is None:
            row_lse = self._lse(rows, key, scale)
        else:
            row_lse = lse.gather(2, self.rows[:, None].expand(-1, lse.shape[1], -1))
        weights = _attention(rows, wanted, row_lse, scale).mean(dim=1) * seen[:, None]
        self._weights[need] = weights if need not in self._weights else self._weights[need] + weights
        if not need.sinks:
            return
        received = torch.zeros_like(seen, dtype=torch.float32)
        for part in range(0, query.shape[2], _ROWS):
            some = query[:, :, part : part + _ROWS]
            some_lse = self._lse(some, key, scale) if lse is None else lse[:, :, part : part + _ROWS]
            real = self.real[:, None, part : part + _ROWS, None]
            received += (_attention(some, wanted, some_lse, scale) * real).sum(dim=2).mean(dim=1)
        received = received / self.real.sum(dim=1, keepdim=True) * seen
        self._sinks[need] = received if need not in self._sinks else self._sinks[need] + received

    def _lse(self, rows: Tensor, key: Tensor, scale: float) -> Tensor:
        """Log-sum-exp of some queries' scores, for kernels that do not return it."""
        scores = rows.float() @ key.float().transpose(2, 3) * scale
        return scores.masked_fill_(~self.valid[:, None, None], -torch.inf).logsumexp(dim=3)

    def result(self) -> dict[AttentionNeed, Attention]:
        """Everything captured, averaged over layers."""
        found = {}
        for need, first in self.first.items():
            layers = self.depth - first
            sinks = self._sinks[need] / layers if need.sinks else None
            found[need] = Attention(self._weights[need] / layers, sinks)
        return found


def _take(states: Tensor, index: Tensor) -> Tensor:
    """(B, H, n, D): the states (B, H, *, D) at index (B, n)."""
    return states.gather(2, index[:, None, :, None].expand(-1, states.shape[1], -1, states.shape[3]))


def _attention(query: Tensor, key: Tensor, lse: Tensor, scale: float) -> Tensor:
    scores = query.float() @ key.float().transpose(2, 3)
    return scores.mul_(scale).sub_(lse[..., None]).exp_()


def attend(
    module: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    *,
    scaling: float,
    axon: AttentionCall | None = None,
    **_: Any,
) -> tuple[Tensor, None]:
    """Transformers' attention interface: query (B, H, Q, D), key and value (B, Hkv, Q, D); returns (B, Q, H, D).

    Without a call object it is plain bidirectional attention, so the network also works on its own.
    """
    layer = module.layer_idx
    if axon is not None and axon.cache is not None:
        key, value = (states[:, :, : axon.valid.shape[1]] for states in axon.cache.merge(layer, key, value))
    groups = query.shape[1] // key.shape[1]
    if groups > 1:
        key, value = (states.repeat_interleave(groups, dim=1) for states in (key, value))
    bias = attention_mask if axon is None else axon.bias(query)
    if axon is None and torch.is_autocast_enabled("cpu"):
        # In training: the gradient of the CPU's kernel takes more than twice as long in bf16 as in fp32.
        with torch.autocast("cpu", enabled=False):
            query, key, value = (states.float() for states in (query, key, value))
            output = scaled_dot_product_attention(query, key, value, attn_mask=bias, scale=scaling)
        return output.transpose(1, 2), None
    if axon is None or not axon.wants(layer):
        output = scaled_dot_product_attention(query, key, value, attn_mask=bias, scale=scaling)
        return output.transpose(1, 2), None
    lse = None
    if query.device.type == "cpu":
        output, lse = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
            query, key, value, attn_mask=bias, scale=scaling
        )
    else:
        output = scaled_dot_product_attention(query, key, value, attn_mask=bias, scale=scaling)
    axon.capture(layer, query, key, lse, scaling)
    return output.transpose(1, 2), None
