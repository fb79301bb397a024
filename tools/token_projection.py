"""Makes the projection that shortens the vectors of MiniLM's tokens from 384 numbers to 192.

    python -m tools.token_projection PATH ... [--most 1000] [--columns 192] [--out FILE]

The columns are the eigenvectors of the second moment of token vectors, the largest first: a
principal component analysis without the mean taken away, since what is to be kept is the cosine of
the vectors as they are. Only tokens that embedders keep have a say, so no stop words.

Some sentences come from the paths: quoted texts of Python files, the text of others. To these come
words of the model's vocabulary, put into frames as people chat, so that what people may speak of is
covered more evenly than any text does it: with such texts alone, a quarter of the squared length
of a chat's tokens was lost, and so less than a fifth.

The file in the package was made with the defaults from, in this order, `pydoc_data` of Python
3.11.7's library, the licences in `/usr/share/common-licenses` of Debian, and `docs`, `examples` and
`tests` of this repository at f7ad6ff: 3,990 sentences, and 6,000 of the vocabulary; from no
benchmark. The same texts on the same machine give the same file; another processor may round
another way.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bitempo.engine.embedding import TokenEmbedder
from bitempo.ingest.embedders.minilm import PLAIN, PROJECTION, MiniLMEmbedder

FRAMES = (
    "Ana: I have been thinking about {} and {} lately, and it makes me really happy.",
    "Tom: We talked about {} and {} yesterday.",
    "Mara: Wow, that's amazing! How long have you been doing {} and {}?",
    "Bo: I like {}, but what about {}?",
    "Noor: Thanks! Last week my family and I went to {} for {}. It was great fun.",
    "Eli: My {} was all {}!",
    "Rui: Take care! Remember that {} is good for {}, you can do it.",
    "Ida: Have you seen the {} with the {}?",
)
"""What a person may say, with room for two words; our own writing."""

WORDS = 12_000
"""How many words of the vocabulary are taken, the commonest first."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(])|\n\s*\n|\n(?=\s*(?:[-*|>#$]|\d+\.))")
_WORD = re.compile(r"[^\W\d_]{2,}")
_FEWEST_WORDS = 4
_LONGEST = 400
_SHORTEST_WORD = 3
_BATCH = 256


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit the projection, and write it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="+", type=Path, help="files and folders of texts")
    parser.add_argument("--most", type=int, default=1000, help="sentences taken of each path")
    parser.add_argument("--columns", type=int, default=192, help="numbers that are left")
    parser.add_argument("--out", type=Path, default=PROJECTION)
    given = parser.parse_args(arguments)
    embedder = MiniLMEmbedder(token_dimension=PLAIN, threads=1)
    texts = [text for path in given.paths for text in spread(sentences(path), given.most)]
    vocabulary: dict[str, int] = embedder._loaded().tokenizer.get_vocab()
    texts += framed(sorted(vocabulary, key=vocabulary.__getitem__), WORDS)
    found, share = fitted(embedder, texts, given.columns)
    np.save(given.out, found, allow_pickle=False)
    print(f"{len(texts)} texts, {share:.1%} of the squared length kept, written to {given.out}")


def fitted(
    embedder: TokenEmbedder, texts: Sequence[str], columns: int
) -> tuple[NDArray[np.float16], float]:
    """Orthonormal columns, and how much of the tokens' squared length they keep on average."""
    moment = np.zeros((embedder.token_dimension, embedder.token_dimension))
    for first in range(0, len(texts), _BATCH):
        for one in embedder.embed_tokens(texts[first : first + _BATCH]):
            rows = one.tokens.astype(np.float64)
            moment += rows.T @ rows
    values, vectors = np.linalg.eigh(moment)
    # Smallest first, and of either sign: the largest number of each is made positive.
    chosen = vectors[:, ::-1][:, :columns]
    peaks = chosen[np.abs(chosen).argmax(axis=0), np.arange(columns)]
    share = float(values[::-1][:columns].sum() / values.sum())
    return np.ascontiguousarray(chosen * np.sign(peaks), np.float16), share


def sentences(path: Path) -> list[str]:
    """The sentences of a file, or of all files of a folder, each once, in the order of names."""
    files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
    parts = (part for file in files for part in _parts(file))
    return list(dict.fromkeys(part for part in parts if _speaks(part)))


def framed(words: Iterable[str], most: int) -> list[str]:
    """Sentences of the words, two each."""
    plain = [w for w in words if w.isascii() and w.isalpha() and len(w) >= _SHORTEST_WORD][:most]
    pairs = zip(plain[::2], plain[1::2], strict=False)
    return [FRAMES[n % len(FRAMES)].format(*pair) for n, pair in enumerate(pairs)]


def spread(texts: Sequence[str], most: int) -> list[str]:
    """So many of the texts at most, as far from each other as can be."""
    if len(texts) <= most:
        return list(texts)
    return [texts[n * len(texts) // most] for n in range(most)]


def _parts(file: Path) -> Iterator[str]:
    try:
        text = file.read_text(encoding="utf-8")
        texts = _quoted(text) if file.suffix == ".py" else [text]
    except (UnicodeDecodeError, SyntaxError):
        return
    for one in texts:
        yield from (" ".join(part.split()) for part in _SENTENCE_END.split(one))


def _quoted(code: str) -> list[str]:
    nodes = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Constant))
    return [node.value for node in nodes if isinstance(node.value, str)]


def _speaks(part: str) -> bool:
    return len(part) <= _LONGEST and len(_WORD.findall(part)) >= _FEWEST_WORDS


if __name__ == "__main__":
    main()
