import fc from 'fast-check';
import { readNetwork } from '../../../src/platform/addresses/network-table.js';
import { ClientAddresses } from '../../../src/platform/http/client-address.js';
import { processorTime } from '../../support/processor-time.js';

const addresses = new ClientAddresses(['10.0.0.0/8', 'fd00::/8'].map((cidr) => readNetwork(cidr)!));
const proxy = fc.tuple(fc.nat(255), fc.nat(255)).map(([one, other]) => `10.1.${one}.${other}`);
const anybody = fc.ipV4().filter((address) => !address.startsWith('10.'));
/** What a client may send before the elements of proxies. */
const hostile = fc
  .array(fc.constantFrom('"', 'for=', ',', ';', '\\', '192.0.2.1', 'x', ' '), { maxLength: 12 })
  .map((parts) => parts.join(''));
const forged = fc.array(fc.oneof(anybody, proxy, fc.constantFrom('unknown', '_hidden', '', 'x'.repeat(50))));

describe('the client behind trusted proxies', () => {
  it('is the peer of the connection if that is not a trusted proxy, regardless of headers', () => {
    fc.assert(
      fc.property(anybody, forged, (peer, chain) => {
        expect(addresses.clientOf(peer, chain.join(', '), chain.map((node) => `for=${node}`).join(', '))).toBe(peer);
      }),
    );
  });

  it('is the last address before the trusted proxies, despite forged headers', () => {
    fc.assert(
      fc.property(forged, anybody, fc.array(proxy, { minLength: 1 }), (chain, client, proxies) => {
        const peer = proxies.pop()!;
        const hops = [...chain, client, ...proxies];
        expect(addresses.clientOf(peer, hops.join(', '))).toBe(client);
        expect(addresses.clientOf(peer, undefined, hops.map((hop) => `for="${hop}";proto=https`).join(', '))).toBe(
          client,
        );
      }),
    );
  });

  it('is named by the last elements of Forwarded, whatever the client sends before them', () => {
    fc.assert(
      fc.property(hostile, anybody, fc.boolean(), fc.array(proxy), (before, client, isQuoted, proxies) => {
        const elements = [client, ...proxies].map((hop) => `for=${isQuoted ? `"${hop}:80"` : hop};proto=https`);
        expect(addresses.clientOf('10.0.0.1', undefined, [before, ...elements].join(', '))).toBe(client);
      }),
    );
  });

  it.each([
    ['for=192.0.2.60;proto=http;by=203.0.113.43', '192.0.2.60'],
    ['For="[2001:db8:cafe::17]:4711"', '2001:db8:cafe::17'],
    ['for=192.0.2.43, for="[fd00::1]"', '192.0.2.43'],
    ['by="a,b;for=192.0.2.1";for=192.0.2.2', '192.0.2.2'],
    ['for=unknown', undefined],
    ['for=_gazonk', undefined],
    ['proto=https', undefined],
    ['for="192.0.2.1', undefined],
    ['for=", for=192.0.2.1', '192.0.2.1'],
    ['for="a\\", for=192.0.2.1", for=192.0.2.2', '192.0.2.2'],
    ['by="\\",for=192.0.2.1";for=192.0.2.2', '192.0.2.2'],
  ])('reads Forwarded: %s', (forwarded, client) => {
    expect(addresses.clientOf('10.0.0.1', undefined, forwarded)).toBe(client);
  });

  it.each([
    ['192.0.2.1:61234', '192.0.2.1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['10.0.0.9', '10.0.0.9'],
    ['unknown', undefined],
    ['192.0.2.1, unknown', undefined],
  ])('reads X-Forwarded-For: %s', (forwardedFor, client) => {
    expect(addresses.clientOf('::ffff:10.0.0.1', forwardedFor, 'for=198.51.100.1')).toBe(client);
  });

  it('reads a long hostile header quickly', () => {
    for (const part of ['"', 'for=', ',', ';', '\\"', 'for="', '[', ':']) {
      const spentMs = processorTime();
      addresses.clientOf('10.0.0.1', undefined, part.repeat(16_000 / part.length));
      addresses.clientOf('10.0.0.1', part.repeat(16_000 / part.length));
      expect(spentMs()).toBeLessThan(200);
    }
  });
});
