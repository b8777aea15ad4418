import { promises as dns } from 'node:dns';
import { jest } from '@jest/globals';
import { addressFinder } from '../../../src/platform/outbound-http/resolve-host.js';

const strict = { allowPrivateAddresses: false };
const open = { allowPrivateAddresses: true };

afterEach(() => jest.restoreAllMocks());

it.each(['localhost', 'localhost.', 'hooks.localhost'])('%s is this host, regardless of name servers', async (name) => {
  expect(await addressFinder(strict)(name)).toEqual(['127.0.0.1', '::1']);
});

describe('a name that name servers do not know', () => {
  const unknown = Object.assign(new Error('unknown'), { code: 'ENOTFOUND' });
  const lookUp = () => {
    for (const method of ['resolve4', 'resolve6'] as const) {
      jest.spyOn(dns.Resolver.prototype, method).mockRejectedValue(unknown);
    }
    const addresses = [{ address: '192.0.2.1', family: 4 }];
    return jest.spyOn(dns, 'lookup').mockResolvedValue(addresses as never);
  };

  it.each(['hooks.example.com', 'receiver.', 'receiver'])('is not looked up in a hosts file: %s', async (name) => {
    const lookup = lookUp();
    await expect(addressFinder(strict)(name)).rejects.toBe(unknown);
    expect(lookup).not.toHaveBeenCalled();
  });

  it.each([
    ['receiver', open],
    ['hooks.example.com', open],
  ])('may be in a hosts file: %s, %j', async (name, policy) => {
    lookUp();
    expect(await addressFinder(policy)(name)).toEqual(['192.0.2.1']);
  });
});
