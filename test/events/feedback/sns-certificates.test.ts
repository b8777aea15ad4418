import { SnsCertificates } from '../../../src/events/feedback/ses/sns-certificates.js';
import { SnsSigner } from '../../support/sns-calls.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const at = (number: number) => new URL(`https://sns.eu-west-1.amazonaws.com/${number}.pem`);

let certificate: string;
let now: number;
let fetched: string[];
let respond: (url: URL) => Promise<string>;
let certificates: SnsCertificates;

beforeAll(async () => {
  ({ certificate } = await SnsSigner.create());
});
beforeEach(() => {
  now = 1_000 * DAY;
  fetched = [];
  respond = () => Promise.resolve(certificate);
  const fetch = (url: URL) => {
    fetched.push(url.pathname);
    return respond(url);
  };
  certificates = new SnsCertificates(fetch, { now: () => now });
});

it('fetches a certificate once a day, and once for calls at the same time', async () => {
  const keys = await Promise.all([1, 1, 1].map((number) => certificates.keyOf(at(number))));
  expect(keys.map((key) => key?.asymmetricKeyType)).toEqual(['rsa', 'rsa', 'rsa']);
  now += DAY - 1;
  await certificates.keyOf(at(1));
  expect(fetched).toHaveLength(1);
  now += 2;
  await certificates.keyOf(at(1));
  expect(fetched).toHaveLength(2);
});

it.each([
  ['a failure', () => Promise.reject(new Error('no network'))],
  ['a text that is no certificate', () => Promise.resolve('<html>')],
])('remembers %s for half a minute', async (_, response) => {
  respond = response;
  for (let call = 0; call < 3; call++) expect(await certificates.keyOf(at(1))).toBeUndefined();
  expect(fetched).toHaveLength(1);
  respond = () => Promise.resolve(certificate);
  now += MINUTE / 2;
  expect(await certificates.keyOf(at(1))).toBeDefined();
});

it('fetches few a minute, and keeps what it has when a stranger names new addresses', async () => {
  await certificates.keyOf(at(0));
  respond = () => Promise.reject(new Error('404'));
  for (let number = 1; number < 100; number++) await certificates.keyOf(at(number));
  expect(fetched).toHaveLength(20);
  expect(await certificates.keyOf(at(0))).toBeDefined();
  now += MINUTE;
  await certificates.keyOf(at(200));
  expect(fetched).toHaveLength(21);
});

it('keeps at most 20', async () => {
  for (let number = 0; number <= 20; number++) {
    now += 3_000 + MINUTE / 20;
    await certificates.keyOf(at(number));
  }
  await certificates.keyOf(at(20));
  expect(fetched).toHaveLength(21);
  await certificates.keyOf(at(0));
  expect(fetched).toHaveLength(22);
});
