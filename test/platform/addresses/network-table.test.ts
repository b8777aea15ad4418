import { isIP } from 'node:net';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { readAddressWords } from '../../../src/platform/addresses/address-words.js';
import { NetworkTable, readNetwork } from '../../../src/platform/addresses/network-table.js';

const words = new Uint32Array(4);
const address = fc.oneof(
  fc.ipV4(),
  // The other library reads every IPv6 address that ends like IPv4 as IPv4.
  fc.ipV6().filter((ipv6) => !ipv6.includes('.')),
  fc.ipV4().map((ipv4) => `::ffff:${ipv4}`),
);
const bitsOf = (text: string) => (ipaddr.parse(text).kind() === 'ipv4' ? 32 : 128);
/** The network of an address, made by another library. */
const network = fc.tuple(address, fc.nat(128)).map(([text, bits]) => {
  const prefix = bits % (bitsOf(text) + 1);
  const kind = bitsOf(text) === 32 ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${kind.networkAddressFromCIDR(`${text}/${prefix}`).toString()}/${prefix}`;
});

describe('reading an address', () => {
  it('gives the bits of every IPv4 and IPv6 address', () => {
    fc.assert(
      fc.property(address, (text) => {
        expect(readAddressWords(text, words)).toBe(true);
        const parsed = ipaddr.parse(text);
        const ipv6 = parsed.kind() === 'ipv4' ? (parsed as ipaddr.IPv4).toIPv4MappedAddress() : (parsed as ipaddr.IPv6);
        const expected = ipv6.parts.reduce<number[]>(
          (pairs, part, at) => (at % 2 ? [...pairs.slice(0, -1), pairs.at(-1)! * 65_536 + part] : [...pairs, part]),
          [],
        );
        expect([...words]).toEqual(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  it('accepts what Node accepts, and nothing else', () => {
    const piece = fc.constantFrom(
      '1',
      '255',
      '256',
      '01',
      '.',
      ':',
      '::',
      'f',
      'ffff',
      '0',
      '%',
      'eth0',
      ' ',
      '/',
      '-',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        expect(readAddressWords(text, words)).toBe(isIP(text) !== 0);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('a table of networks', () => {
  it('finds the narrowest network around an address, as a comparison with each network does', () => {
    fc.assert(
      fc.property(fc.uniqueArray(network, { maxLength: 30 }), fc.array(address), (networks, others) => {
        const table = new NetworkTable(networks.map((cidr) => ({ ...readNetwork(cidr)!, value: cidr })));
        const insides = networks.map((cidr) => cidr.split('/')[0]!);
        for (const text of [...insides, ...others]) {
          const around = networks
            .filter((cidr) => contains(cidr, text))
            .sort((one, other) => width(one) - width(other));
          expect(width(table.find(text) ?? '::/0')).toBe(width(around[0] ?? '::/0'));
          const rejected = around[0];
          expect(width(table.find(text, (value) => value !== rejected) ?? '::/0')).toBe(width(around[1] ?? '::/0'));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('reads IPv4 at the end of an IPv6 address', () => {
    expect(readAddressWords('64:ff9b::192.0.2.33', words)).toBe(true);
    expect([...words]).toEqual([0x0064ff9b, 0, 0, 0xc0000221]);
  });

  it('finds nothing for a text that is not an address', () => {
    const table = new NetworkTable([{ ...readNetwork('::/0')!, value: 'all' }]);
    expect(table.find('2001:db8::1')).toBe('all');
    expect(['', 'unknown', '1.2.3', '::1::'].map((text) => table.find(text))).toEqual(Array(4).fill(undefined));
  });

  it.each(['10.0.0.1/8', '10.0.0.0/33', '2001:db8::/129', 'localhost', '', '10.0.0.0/', '10.0.0.0/8/8', '::1%eth0'])(
    'does not read %s as a network',
    (text) => {
      expect(readNetwork(text)).toBeUndefined();
    },
  );
});

/** Free bits of a network. */
function width(cidr: string): number {
  const [text, prefix] = cidr.split('/');
  return bitsOf(text!) - Number(prefix);
}

function contains(cidr: string, text: string): boolean {
  const [range, prefix] = ipaddr.parseCIDR(cidr);
  const asIpv6 = (one: ipaddr.IPv4 | ipaddr.IPv6) =>
    one.kind() === 'ipv4' ? (one as ipaddr.IPv4).toIPv4MappedAddress() : (one as ipaddr.IPv6);
  const bits = range.kind() === 'ipv4' ? prefix + 96 : prefix;
  return asIpv6(ipaddr.parse(text)).match(asIpv6(range), bits);
}
