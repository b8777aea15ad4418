import fc from 'fast-check';
import { clientNetwork } from '../../../src/platform/addresses/client-network.js';

describe('clientNetwork', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
  ])('of %s is %s', (address, network) => expect(clientNetwork(address)).toBe(network));

  it('is the same for both notations of an IPv4 address, and for every zone', () => {
    fc.assert(fc.property(fc.ipV4(), (ip) => expect(clientNetwork(`::ffff:${ip}`)).toBe(clientNetwork(ip))));
    expect(clientNetwork('fe80::1%eth0')).toBe(clientNetwork('fe80::2%eth0'));
  });

  it('accepts texts that are no address', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(typeof clientNetwork(text)).toBe('string')));
  });
});
