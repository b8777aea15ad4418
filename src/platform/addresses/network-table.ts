import { readAddressWords, type AddressWords } from './address-words.js';

const WORDS = 4;
const ADDRESS_BITS = 128;
const IPV4_PREFIX_BITS = 96;

/** A block of addresses in the notation of RFC 4632, such as `192.0.2.0/24`. */
export interface Network {
  readonly words: AddressWords;
  /** Counted in 128 bits, for IPv4 as well. */
  readonly prefixBits: number;
}

/**
 * @returns undefined unless the text is an address, or an address with the length of its prefix and no bit behind it
 */
export function readNetwork(cidr: string): Network | undefined {
  const match = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(cidr);
  const words = new Uint32Array(WORDS);
  if (!match?.[1] || !readAddressWords(match[1], words)) return undefined;
  const offset = match[1].includes(':') ? 0 : IPV4_PREFIX_BITS;
  const prefixBits = match[2] === undefined ? ADDRESS_BITS : offset + Number(match[2]);
  if (prefixBits > ADDRESS_BITS || !words.every((word, index) => word === masked(word, prefixBits, index))) {
    return undefined;
  }
  return { words, prefixBits };
}

/**
 * Finds the networks that contain an address. Networks are sorted, and each has a link to the network around it,
 * because two networks either nest or share no address. A search takes a fixed number of comparisons and 23 bytes for
 * each network.
 */
export class NetworkTable<Value> {
  private readonly starts: Uint32Array;
  private readonly prefixBits: Uint8Array;
  /** The position of the narrowest network around each network, or -1. */
  private readonly parents: Int32Array;
  private readonly values: readonly Value[];
  private readonly address: AddressWords = new Uint32Array(WORDS);

  constructor(networks: readonly (Network & { readonly value: Value })[]) {
    const sorted = [...networks].sort(
      (one, other) => compare(one.words, 0, other.words) || one.prefixBits - other.prefixBits,
    );
    this.starts = Uint32Array.from(sorted.flatMap(({ words }) => [...words]));
    this.prefixBits = Uint8Array.from(sorted, ({ prefixBits }) => prefixBits);
    this.values = sorted.map(({ value }) => value);
    this.parents = new Int32Array(sorted.length);
    sorted.forEach(({ words }, index) => {
      let parent = index - 1;
      while (parent !== -1 && !this.contains(parent, words)) parent = this.parents[parent]!;
      this.parents[index] = parent;
    });
  }

  /** @returns the value of the narrowest network that contains the address and is accepted */
  find(address: string, accepts: (value: Value) => boolean = () => true): Value | undefined {
    if (this.values.length === 0 || !readAddressWords(address, this.address)) return undefined;
    let index = this.lastStartUpTo(this.address);
    while (index !== -1) {
      const value = this.values[index]!;
      if (this.contains(index, this.address) && accepts(value)) return value;
      index = this.parents[index]!;
    }
    return undefined;
  }

  private lastStartUpTo(address: AddressWords): number {
    let low = 0;
    let high = this.values.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(this.starts, middle * WORDS, address) <= 0) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  private contains(index: number, address: AddressWords): boolean {
    const prefixBits = this.prefixBits[index]!;
    for (let word = 0; word < WORDS; word++) {
      if (masked(address[word]!, prefixBits, word) !== this.starts[index * WORDS + word]) return false;
    }
    return true;
  }
}

/** Clears the bits of one word that lie behind the prefix. */
function masked(word: number, prefixBits: number, index: number): number {
  const bits = prefixBits - index * 32;
  if (bits >= 32) return word;
  return bits <= 0 ? 0 : (word & (-1 << (32 - bits))) >>> 0;
}

function compare(starts: Uint32Array, at: number, address: AddressWords): number {
  for (let word = 0; word < WORDS; word++) {
    const difference = starts[at + word]! - address[word]!;
    if (difference !== 0) return difference;
  }
  return 0;
}
