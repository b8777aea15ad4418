import fc from 'fast-check';
import { allowsClient, NO_LIMITS, readNetworks, requireNoMore } from '../../src/organizations/key-limits.js';

const anyIpv4 = fc.nat(0xffff_ffff);
const textOf = (address: number): string => [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff).join('.');
/** The bits before the prefix of that length. */
const prefixOf = (address: number, bits: number): number => (bits === 0 ? 0 : address >>> (32 - bits));

describe('readNetworks', () => {
  it('reads an IPv4 network, also in IPv6 form, such that it allows exactly the clients inside', () =>
    fc.assert(
      fc.property(anyIpv4, fc.integer({ min: 0, max: 32 }), anyIpv4, (address, bits, distance) => {
        const [network] = readNetworks([`${textOf(address)}/${bits}`]);
        expect(readNetworks([`::ffff:${textOf(address)}/${96 + bits}`])).toEqual([network]);
        expect(readNetworks([network!])).toEqual([network]);
        expect(network).toMatch(/^\d+\.\d+\.\d+\.\d+\/\d+$/);
        // Both near and far clients.
        for (const client of [address, (address ^ (distance >>> bits)) >>> 0, distance]) {
          const isInside = prefixOf(client, bits) === prefixOf(address, bits);
          expect(allowsClient({ allowedAddresses: [network!] }, textOf(client))).toBe(isInside);
        }
      }),
    ));

  it.each([
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['192.0.2.7', '192.0.2.7/32'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
    ['::ffff:c000:207', '192.0.2.7/32'],
    ['2001:DB8:0:0:0:0:0:1/32', '2001:db8::/32'],
    ['2001:db8::1', '2001:db8::1/128'],
    ['::/0', '::/0'],
  ])('reads %s as %s', (text, network) => expect(readNetworks([text])).toEqual([network]));

  it.each(['10/8', '10.1/16', '10', '0x0a000000/8', '010.0.0.0/8', '10.0.0.0/33', '::/129', '10.0.0.0/', 'a/8', '/8'])(
    'refuses %s',
    (text) => expect(() => readNetworks([text])).toThrow(/must be IP addresses or CIDRs/),
  );
});

describe('requireNoMore', () => {
  const of = (...allowedAddresses: string[]) => ({ ...NO_LIMITS, allowedAddresses });

  it.each([
    ['10.1.2.0/24', '10.1.0.0/16', true],
    ['10.1.0.0/16', '10.1.0.0/16', true],
    // It begins with the same addresses.
    ['10.1.0.0/15', '10.1.0.0/16', false],
    ['10.0.0.0/8', '10.0.0.0/24', false],
    ['2001:db8::/31', '2001:db8::/32', false],
  ])('for a new key of %s, made by one of %s', (wanted, creator, isAllowed) => {
    const create = () => requireNoMore(of(creator), of(wanted));
    if (isAllowed) expect(create).not.toThrow();
    else expect(create).toThrow(/may do more than itself/);
  });

  const [soon, later] = [new Date(1_000), new Date(2_000)];
  it.each([
    ['that never expires, made by one that does', { expiresAt: soon }, { expiresAt: null }, false],
    ['that expires later', { expiresAt: soon }, { expiresAt: later }, false],
    ['that expires at the same time', { expiresAt: soon }, { expiresAt: soon }, true],
    ['that expires, made by one that never does', { expiresAt: null }, { expiresAt: later }, true],
    ['for all domains, made by one for some', { allowedDomains: ['a.example'] }, { allowedDomains: null }, false],
    ['for all addresses, made by one for some', { allowedAddresses: ['::1/128'] }, { allowedAddresses: null }, false],
  ])('for a new key %s', (_, creator, wanted, isAllowed) => {
    const create = () => requireNoMore({ ...NO_LIMITS, ...creator }, { ...NO_LIMITS, ...wanted });
    if (isAllowed) expect(create).not.toThrow();
    else expect(create).toThrow(/may do more than itself/);
  });
});
