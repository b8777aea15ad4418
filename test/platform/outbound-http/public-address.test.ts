import { networkInterfaces } from 'node:os';
import { isPublicAddress } from '../../../src/platform/outbound-http/public-address.js';

const refused = [
  ['this network', '0.0.0.0', '0.1.2.3'],
  ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
  ['private', '10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', 'fc00::1', 'fd00:ec2::254'],
  ['link-local and metadata', '169.254.0.1', '169.254.169.254', 'fe80::1', 'fe80::1%lo', '168.63.129.16'],
  ['carrier-grade NAT', '100.64.0.0', '100.64.0.1', '100.100.100.200', '100.127.255.255'],
  [
    'protocol assignments and documentation',
    '192.0.0.192',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '2001:db8::1',
    '3fff::1',
  ],
  ['benchmarking', '198.18.0.1', '198.19.255.255', '2001:2::1'],
  ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1'],
  ['reserved and broadcast', '240.0.0.1', '255.255.255.255', '192.88.99.1'],
  ['unspecified', '::'],
  ['mapped IPv4', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe'],
  ['compatible IPv4', '::127.0.0.1', '::8.8.8.8'],
  ['NAT64 around a private address', '64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::1'],
  ['6to4 and Teredo', '2002:7f00:1::', '2002:808:808::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001::1'],
  [
    'others that are no hosts',
    '100::1',
    '2001:10::1',
    '2001:20::1',
    'fec0::1',
    '5f00::1',
    '4000::1',
    '::ffff:0:808:808',
  ],
  ['no address', '', 'localhost', '1.2.3', '0x7f.1', '1.2.3.4.5', 'gggg::1'],
] as const;

it.each(refused.map(([kind, ...addresses]) => ({ kind, addresses })))('refuses $kind', ({ addresses }) => {
  expect(addresses.filter((address) => isPublicAddress(address))).toEqual([]);
});

it('accepts addresses of the public internet, up to the borders of the refused networks', () => {
  const addresses = [
    [
      '8.8.8.8',
      '1.1.1.1',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
      '128.0.0.1',
    ],
    ['169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0'],
    ['198.17.255.255', '198.20.0.0', '223.255.255.255', '2606:4700:4700::1111', '2a00:1450:4001:80e::200e'],
    ['::ffff:8.8.8.8', '64:ff9b::8.8.8.8'],
  ].flat();
  expect(addresses.filter((address) => !isPublicAddress(address))).toEqual([]);
});

it("refuses this host's own addresses, public or not", () => {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  expect(own.length).toBeGreaterThan(0);
  expect(own.filter(({ address }) => isPublicAddress(address))).toEqual([]);
});
