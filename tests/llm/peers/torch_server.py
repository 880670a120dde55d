# SPDX-License-Identifier: BSL-1.0
"""Servers that read their model in the form of transformers: a model of random weights, and a process on the CPU that
serves it until this one's input ends."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable

from litellm_proxy import free_port

CONTEXT = 4096
TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}"
)


def write_model(folder: pathlib.Path) -> None:
    """One layer, a token a byte. It reads any text, and writes printable ASCII without backslashes and without an end."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed

    vocabulary = {each: k for k, each in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    for each in ("<s>", "</s>", "<unk>"):
        vocabulary[each] = len(vocabulary)
    bytes_only = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    bytes_only.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_only.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bytes_only, bos_token="<s>", eos_token="</s>", unk_token="<unk>", pad_token="</s>")
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(folder)
    shape = LlamaConfig(
        vocab_size=len(vocabulary), hidden_size=128, intermediate_size=128, num_hidden_layers=1, num_attention_heads=4,
        num_key_value_heads=4, max_position_embeddings=CONTEXT, bos_token_id=vocabulary["<s>"],
        eos_token_id=vocabulary["</s>"], pad_token_id=vocabulary["</s>"])
    set_seed(1)
    model = LlamaForCausalLM(shape)
    # The first dimension is the same whatever was read, so that the output can put off what is not to be written.
    layer = model.model.layers[0]
    readable = [len(each) == 1 and each.isascii() and each != "\\" or each == "\u0120" for each in vocabulary]
    with torch.no_grad():
        model.model.embed_tokens.weight[:, 0] = 0.1
        layer.self_attn.o_proj.weight[0] = 0
        layer.mlp.down_proj.weight[0] = 0
        model.lm_head.weight[:, 0] = torch.tensor([0.0 if good else -1000.0 for good in readable])
    model.save_pretrained(folder)


def is_up(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/health", timeout=2) as answer:
            return answer.status == 200
    except (OSError, urllib.error.URLError):
        return False


def program(name: str) -> str | None:
    beside = pathlib.Path(sys.executable).parent / name
    return str(beside) if beside.exists() else shutil.which(name)


def serve(command_for: Callable[[str, int], list[str]], **variables: str) -> int:
    """Starts the command for a folder with the model and a port. Prints its address and, behind a space, the model's
    name, which is the folder."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        write_model(pathlib.Path(folder))
        environment = dict(os.environ, HF_HUB_OFFLINE="1", CUDA_VISIBLE_DEVICES="", **variables)
        server = subprocess.Popen(
            command_for(folder, port), env=environment, stdout=sys.stderr, stdin=subprocess.DEVNULL)
        try:
            while not is_up(address):
                if server.poll() is not None:
                    return 1
                time.sleep(0.2)
            print(f"{address} {folder}", flush=True)
            sys.stdin.read()
        finally:
            server.terminate()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
    return 0
