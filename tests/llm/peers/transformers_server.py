# SPDX-License-Identifier: BSL-1.0
"""`transformers serve` with a model of random weights on the CPU, until its input ends. Prints its address and, behind
a space, the model's name."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from litellm_proxy import free_port

TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}"
)


def write_model(folder: pathlib.Path) -> None:
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
        vocab_size=len(vocabulary), hidden_size=64, intermediate_size=128, num_hidden_layers=1, num_attention_heads=4,
        num_key_value_heads=4, max_position_embeddings=4096, bos_token_id=vocabulary["<s>"],
        eos_token_id=vocabulary["</s>"], pad_token_id=vocabulary["</s>"])
    set_seed(1)
    model = LlamaForCausalLM(shape)
    # Random bytes are seldom UTF-8, and an end would come anywhere: only what can be read is drawn.
    readable = [len(each) == 1 and each.isascii() for each in vocabulary]
    model.generation_config.suppress_tokens = [k for k, good in enumerate(readable) if not good]
    model.save_pretrained(folder)


def is_up(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/health", timeout=2) as answer:
            return answer.status == 200
    except (OSError, urllib.error.URLError):
        return False


def main() -> int:
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    beside = pathlib.Path(sys.executable).parent / "transformers"
    program = str(beside) if beside.exists() else shutil.which("transformers")
    with tempfile.TemporaryDirectory() as folder:
        write_model(pathlib.Path(folder))
        command = [program, "serve", folder, "--device", "cpu", "--host", "127.0.0.1", "--port", str(port)]
        environment = dict(os.environ, HF_HUB_OFFLINE="1", CUDA_VISIBLE_DEVICES="")
        server = subprocess.Popen(command, env=environment, stdout=sys.stderr, stdin=subprocess.DEVNULL)
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


if __name__ == "__main__":
    sys.exit(main())
