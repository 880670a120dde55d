# SPDX-License-Identifier: BSL-1.0
"""Writes a language model of random weights that llama.cpp loads: one layer, a token a byte, a third of a megabyte. It
reads any text, and writes printable ASCII without backslashes, which in a string of JSON needs no escapes."""
import pathlib
import sys

import gguf
import numpy

WIDTH, HEADS, INNER, CONTEXT = 64, 4, 128, 4096
TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}"
)


def write(path: pathlib.Path, seed: int = 1) -> None:
    random = numpy.random.default_rng(seed)
    # SentencePiece writes a space as this character.
    tokens = [b"<unk>", b"<s>", b"</s>", *(f"<0x{byte:02X}>".encode() for byte in range(256)), "\u2581".encode()]
    kinds = [
        gguf.TokenType.UNKNOWN,
        *[gguf.TokenType.CONTROL] * 2,
        *[gguf.TokenType.BYTE] * 256,
        gguf.TokenType.NORMAL,
    ]

    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_name("tiny")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(TEMPLATE)

    def tensor(name: str, *shape: int) -> None:
        weights = numpy.ones(shape) if name.endswith("norm.weight") else random.normal(0, 0.2, shape)
        # The first dimension is the same whatever was read, so that the output can put off what is not to be written.
        if name == "token_embd.weight":
            weights[:, 0] = 2
        elif name in ("blk.0.attn_output.weight", "blk.0.ffn_down.weight"):
            weights[0] = 0
        elif name == "output.weight":
            written = [2, *(3 + byte for byte in range(0x20, 0x7F) if byte != ord("\\")), len(tokens) - 1]
            weights[:, 0] = -1000
            weights[written, 0] = 0
        writer.add_tensor(name, weights.astype(numpy.float32))

    tensor("token_embd.weight", len(tokens), WIDTH)
    tensor("output_norm.weight", WIDTH)
    tensor("output.weight", len(tokens), WIDTH)
    tensor("blk.0.attn_norm.weight", WIDTH)
    tensor("blk.0.ffn_norm.weight", WIDTH)
    for part in ("q", "k", "v", "output"):
        tensor(f"blk.0.attn_{part}.weight", WIDTH, WIDTH)
    tensor("blk.0.ffn_gate.weight", INNER, WIDTH)
    tensor("blk.0.ffn_up.weight", INNER, WIDTH)
    tensor("blk.0.ffn_down.weight", WIDTH, INNER)

    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]))
