import fc from 'fast-check';
import { ClientLimits } from '../../../../src/events/feedback/smtp/client-limits.js';

const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
const half = fc.array(group, { minLength: 4, maxLength: 4 }).map((groups) => groups.join(':'));
/** Outside of ::ffff:0:0/96, which maps IPv4 addresses. */
const network = half.filter((text) => !/^0:0:0:0$/.test(text));

/** Number of connections that are admitted when each of these clients opens one. */
function admitted(clients: readonly string[]): number {
  const limits = new ClientLimits();
  return clients.filter((client) => limits.connect(client)).length;
}

describe('the limits of the bounce listener', () => {
  it('are shared by all addresses of an IPv6 network of 64 bits', () => {
    fc.assert(
      fc.property(network, fc.uniqueArray(half, { minLength: 25, maxLength: 25 }), (prefix, hosts) => {
        expect(admitted(hosts.map((host) => `${prefix}:${host}`))).toBe(20);
      }),
    );
  });

  it('are separate for networks of 64 bits, and for IPv4 addresses', () => {
    fc.assert(
      fc.property(fc.uniqueArray(network, { minLength: 25, maxLength: 25 }), half, (prefixes, host) => {
        expect(admitted(prefixes.map((prefix) => `${prefix}:${host}`))).toBe(25);
      }),
    );
    fc.assert(
      fc.property(fc.uniqueArray(fc.ipV4(), { minLength: 25, maxLength: 25 }), (addresses) => {
        expect(admitted(addresses)).toBe(25);
      }),
    );
  });

  it('release a closed connection, for any address of its network', () => {
    const limits = new ClientLimits();
    const hosts = Array.from({ length: 20 }, (_, index) => `2001:db8::${index.toString(16)}`);
    for (const host of hosts) expect(limits.connect(host)).toBe(true);
    expect(limits.connect('2001:db8::ffff')).toBe(false);
    limits.disconnect(hosts[0]!);
    expect(limits.connect('2001:db8::ffff')).toBe(true);
  });

  it('limit the messages and wrong recipients of an IPv6 network together', () => {
    const limits = new ClientLimits();
    const wrong = Array.from({ length: 70 }, (_, index) => limits.allowsWrongRecipient(`2001:db8::${index}`, 0));
    expect(wrong.filter(Boolean)).toHaveLength(60);
    const feedback = Array.from({ length: 130 }, (_, index) => limits.allowsMessage(`2001:db8::${index}`, [], 0));
    expect(feedback.filter(Boolean)).toHaveLength(120);
  });
});
