"""The types of hybrid bricks (docs/formats.md, "Bricks"): each decodes many bricks at once.

A decoder gets the words of its type's dataset, the words at which the bricks begin, the number of voxels along a side,
and the array `out`: row `rows[i]` of `out` becomes the voxels of brick i, in Morton order. A position outside the dataset
is an IndexError, an impossible value a ValueError.
"""

import numpy as np

from . import morton
from .morton import bit_counts, bits_of, ragged


def _expect(good, text):
    if not np.all(good):
        raise ValueError(text)


def _round_up(numbers, unit):
    return -(-numbers // unit) * unit


def _count_type(side):
    """Returns the type in which a brick stores counts of its voxels."""
    return np.dtype("<u2" if side < 64 else "<u4")


def _values(data, dtype):
    return data.view(dtype.newbyteorder("<"))


def dense(data, places, side, out, rows):
    """Decodes the values of all voxels, x fastest."""
    at = places * (4 // out.itemsize)
    out[rows] = _values(data, out.dtype)[at[:, None] + morton.rows_of_codes(side)]


def homogeneous(data, places, side, out, rows):
    """Decodes one value for the whole brick."""
    out[rows] = data[places].astype(out.dtype)[:, None]


def listed(data, places, side, out, rows):
    """Decodes the number of filled voxels, their codes and their values."""
    counts = data[places].astype(np.int64)
    _expect(counts <= side**3, "more voxels than a brick has")
    code_bytes = -(-3 * (side.bit_length() - 1) // 8)
    brick, rank = ragged(counts)
    first = 4 * places[brick] + 4 + code_bytes * rank
    codes = sum(data.view(np.uint8)[first + i].astype(np.int64) << 8 * i for i in range(code_bytes))
    _expect(codes < side**3, "a code outside of its brick")
    values_at = 4 * places + _round_up(4 + code_bytes * counts, out.itemsize)
    out[rows[brick], codes] = _values(data, out.dtype)[values_at[brick] // out.itemsize + rank]


def octree(data, places, side, out, rows):
    """Decodes the number of inner nodes, eight pointers for each, and leaves of 2³ values."""
    width = 2 if side <= 64 else 4  # bytes of a pointer
    pointers, values = data.view(f"<u{width}"), _values(data, out.dtype)
    inner = data[places].astype(np.int64)
    brick, code, node = np.arange(len(places)), np.zeros(len(places), np.int64), np.zeros(len(places), np.int64)
    for _ in range(side.bit_length() - 2):
        _expect(node < inner[brick], "a pointer to a node that is not there")
        first = 4 // width * (places[brick, None] + 1)
        children = pointers[first + 8 * node[:, None] + np.arange(8)]
        parent, octant = np.nonzero(children != 256**width - 1)
        brick, code, node = brick[parent], 8 * code[parent] + octant, children[parent, octant].astype(np.int64)
    leaves_at = (4 * places + 4 + 8 * width * inner) // out.itemsize
    out[rows[brick, None], 8 * code[:, None] + np.arange(8)] = values[
        leaves_at[brick, None] + 8 * node[:, None] + np.arange(8)]


def palette(data, places, side, out, rows):
    """Decodes the number of values, the values, and each voxel's index among them, x fastest, in the fewest bits."""
    counts = data[places].astype(np.int64)
    _expect((counts >= 1) & (counts <= 256), "a palette of no value, or of more than 256")
    values = _values(data, out.dtype)
    indices_at = places + 1 + -(-counts * out.itemsize // 4)
    codes = morton.rows_of_codes(side)
    index_bits = np.array([int(count - 1).bit_length() for count in range(257)])[counts]
    for bits in np.unique(index_bits):
        of_size = np.flatnonzero(index_bits == bits)
        index = np.zeros((len(of_size), side**3), np.int64)
        if bits > 0:
            first = indices_at[of_size, None] + (codes * bits >> 5)
            shift = (codes * bits & 31).astype(np.uint64)
            # If an index ends within its word, the next word is not used and may not exist.
            after = np.minimum(first + 1, len(data) - 1)
            both = data[first] | data[after].astype(np.uint64) << np.uint64(32)
            index = (both >> shift & np.uint64((1 << bits) - 1)).astype(np.int64)
        _expect(index < counts[of_size, None], "an index behind the end of a palette")
        out[rows[of_size]] = values[(4 // out.itemsize) * (places[of_size, None] + 1) + index]


def _masks(data, places, side):
    """Decodes a bit for each block of 4³ voxels that is stored, counts, and a mask for each such block.

    Returns the brick and the Morton code of each filled voxel, the number of filled voxels of each brick, and the words
    behind the masks.
    """
    blocks = side**3 // 64
    top_words = 0 if side == 4 else -(-blocks // 32)
    if top_words == 0:
        brick, block = np.arange(len(places)), np.zeros(len(places), np.int64)
        stored = np.ones(len(places), np.int64)
    else:
        top = bits_of(data[places[:, None] + np.arange(top_words)].reshape(-1)).reshape(len(places), 32 * top_words)
        _expect(top[:, blocks:] == 0, "more blocks than a brick has")
        brick, block = np.nonzero(top)
        stored = np.bincount(brick, minlength=len(places))
    counts_at = 4 * top_words + ((2 if side <= 128 else 4) * top_words if top_words > 1 else 0)
    count_bytes = 0 if side == 4 else _count_type(side).itemsize
    masks_at = places + _round_up(counts_at + count_bytes * stored, 4) // 4
    _, rank = ragged(stored)
    masks = data[masks_at[brick, None] + 2 * rank[:, None] + np.arange(2)].view("<u8")[:, 0]
    entry, bit = np.nonzero(bits_of(masks))
    voxels = np.bincount(brick, weights=bit_counts(masks), minlength=len(places)).astype(np.int64)
    return brick[entry], 64 * block[entry] + bit, voxels, masks_at + 2 * stored


def masked(data, places, side, out, rows):
    """Decodes masks and the values of the filled voxels."""
    owner, code, voxels, values_at = _masks(data, places, side)
    _, place = ragged(voxels)
    out[rows[owner], code] = _values(data, out.dtype)[values_at[owner] * (4 // out.itemsize) + place]


def indexed(data, places, side, out, rows):
    """Decodes a list of values, of which the first word has some, masks, and the index of each filled voxel's value."""
    owner, code, voxels, list_at = _masks(data, places + 1, side)
    values = _values(data, out.dtype)
    each = 4 // out.itemsize
    in_first = each - 1
    counts = values[places * each].astype(np.int64) + 1
    _expect(counts <= 256, "a list of more than 256 values")
    others = np.maximum(counts - in_first, 0)
    indices_at = list_at + -(-others * out.itemsize // 4)
    bits = np.array([int(count - 1).bit_length() for count in range(257)])[counts]
    _, rank = ragged(voxels)
    at = rank * bits[owner]
    word = indices_at[owner] + (at >> 5)
    # Lists of one value have no indices, and the last index may end within the last word.
    low, high = (data[np.minimum(word + i, len(data) - 1)].astype(np.uint64) for i in range(2))
    both = low | high << np.uint64(32)
    index = (both >> (at & 31).astype(np.uint64)).astype(np.int64) & (1 << bits[owner]) - 1
    _expect((bits[owner] == 0) | (word < len(data)), "indices behind the end of the data")
    _expect(index < counts[owner], "an index behind the end of a list")
    first = places[owner] * each + 1 + index
    out[rows[owner], code] = values[np.where(index < in_first, first, list_at[owner] * each + index - in_first)]


_MULTIPLIER = 0x9E3779B1  # for codes; odd, so that it permutes them


def hashed(data, places, side, out, rows):
    """Decodes buckets of voxels: a code hash's high bits are the bucket, its low bits are stored with the value."""
    code_bits = 3 * (side.bit_length() - 1)
    counts = data.view(_count_type(side))
    unit = counts.itemsize
    bucket_bits = data[places].astype(np.int64)
    _expect((bucket_bits <= code_bits) & (code_bits - bucket_bits <= 8), "buckets that are too many or too few")
    inverse = pow(_MULTIPLIER, -1, side**3)
    for bits in np.unique(bucket_bits):
        of_size = np.flatnonzero(bucket_bits == bits)
        first = 4 * places[of_size]
        ends = counts[(first[:, None] + 4) // unit + np.arange(1 << bits)].astype(np.int64)
        held = np.diff(ends, axis=1, prepend=0)
        _expect(held >= 0, "buckets that end before they begin")
        _expect(ends[:, -1] <= side**3, "more voxels than a brick has")
        bucket, _ = ragged(held.reshape(-1))
        brick, rank = ragged(ends[:, -1])
        rests_at = first + _round_up(4 + (unit << int(bits)), 4)
        values_at = first + _round_up(rests_at - first + ends[:, -1], out.itemsize)
        rests = data.view(np.uint8)[rests_at[brick] + rank].astype(np.int64)
        _expect(rests < 1 << code_bits - bits, "a rest that is too large")
        hashes = (bucket & (1 << bits) - 1) << code_bits - bits | rests
        codes = hashes * inverse & side**3 - 1
        out[rows[of_size[brick]], codes] = _values(data, out.dtype)[values_at[brick] // out.itemsize + rank]


DECODERS = {"empty": None, "dense": dense, "octree": octree, "list": listed, "homogeneous": homogeneous,
            "palette": palette, "masked": masked, "hash": hashed, "indexed": indexed}
