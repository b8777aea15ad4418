import { findAddresses } from '../../src/egress/host-addresses.js';

it.each(['localhost', 'localhost.', 'hooks.localhost'])('%s is this host, whatever name servers say', async (name) => {
  expect(await findAddresses(name)).toEqual(['127.0.0.1', '::1']);
});
