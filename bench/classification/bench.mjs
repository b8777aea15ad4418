import { Buffer } from 'node:buffer';
import console from 'node:console';
import process from 'node:process';
import { RequestClassifier } from '../../dist/events/classification/classify-request.js';
import { readScannerNetworks } from '../../dist/events/classification/scanner-networks.js';
import { readNetwork } from '../../dist/platform/addresses/network-table.js';
import { ClientAddresses } from '../../dist/platform/http/client-address.js';
import { PlainHead } from '../../dist/platform/http/fast-path/request-head.js';
import { HitVerdicts } from '../../dist/roles/tracking/hit-verdicts.js';

// npm run bench -- classification: CPU of a verdict on an open and a click. Each round decodes the same request head
// without and with a verdict, one after the other, so that a busy machine slows down both.
const HITS = 100_000;
const ROUNDS = 9;
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const classifier = new RequestClassifier(readScannerNetworks());
const direct = new HitVerdicts(classifier, new ClientAddresses([]));
const proxied = new HitVerdicts(classifier, new ClientAddresses([readNetwork('10.0.0.0/8')]));

const cases = [
  { name: 'browser', agent: CHROME },
  { name: 'browser, IPv6', agent: CHROME, peer: '2001:db8:1:2:3:4:5:6' },
  {
    name: 'browser, trusted proxy',
    agent: CHROME,
    peer: '10.9.9.9',
    verdicts: proxied,
    more: 'X-Forwarded-For: 192.0.2.7',
  },
  { name: 'Gmail', agent: 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)' },
  { name: 'Apple', agent: 'Mozilla/5.0' },
  { name: 'Outlook', agent: 'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.17328; Pro)' },
  { name: 'script', agent: 'python-requests/2.31.0' },
];

function headOf({ agent, more }) {
  const lines = [
    'GET /api/t/o/AAAAAAAAAAAAAAAAAAAAAAAB HTTP/1.1',
    'Host: track.example.com',
    'Connection: keep-alive',
    `User-Agent: ${agent}`,
    'Accept: image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
    'Sec-Fetch-Site: cross-site',
    'Sec-Fetch-Mode: no-cors',
    'Accept-Encoding: gzip, deflate, br, zstd',
    'Accept-Language: en-GB,en;q=0.9',
    ...(more ? [more] : []),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

function cpuMicroseconds(work) {
  const begun = process.cpuUsage();
  for (let hit = 0; hit < HITS; hit++) work();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / HITS;
}

let sink = 0;
for (const kind of ['open', 'click']) {
  for (const one of cases) {
    const { name, peer = '192.0.2.7', verdicts = direct } = one;
    const bytes = headOf(one);
    const socket = { remoteAddress: peer };
    const without = () => (sink += bytes.toString('latin1').length);
    const withVerdict = () => (sink += verdicts.of(kind, new PlainHead(bytes.toString('latin1'), socket)));
    cpuMicroseconds(without);
    cpuMicroseconds(withVerdict);
    const rounds = Array.from({ length: ROUNDS }, () => {
      const base = cpuMicroseconds(without);
      return cpuMicroseconds(withVerdict) - base;
    }).sort((a, b) => a - b);
    const [least, median, most] = [rounds[0], rounds[ROUNDS >> 1], rounds.at(-1)].map((us) => us.toFixed(2));
    console.log(`${kind.padEnd(6)} ${name.padEnd(24)} ${median} µs CPU (${least} to ${most})`);
  }
}
process.exitCode = sink > 0 ? 0 : 1;
