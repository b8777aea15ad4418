import { Webhook } from 'standardwebhooks';
import { signedHeaders } from '../../../src/webhooks/delivery/webhook-signature.js';

const BODY = '{"type":"EMAIL_SENT"}';
const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

it.each([
  [1_700_000_000_000, '1700000000'],
  [1_700_000_000_999, '1700000000'],
])('the time of an attempt at %i is the whole second before it: a receiver may refuse a later one', (at, seconds) => {
  expect(signedHeaders('id', at, BODY, keys)['webhook-timestamp']).toBe(seconds);
});

it('each key signs the ID, the time and the body', () => {
  const headers = signedHeaders('id', Date.now(), BODY, keys);
  const others = [
    { ...headers, 'webhook-id': 'other' },
    { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 1) },
  ];
  for (const key of keys) {
    const receiver = new Webhook(key.toString('base64'));
    expect(receiver.verify(BODY, headers)).toEqual({ type: 'EMAIL_SENT' });
    for (const changed of others) expect(() => receiver.verify(BODY, changed)).toThrow('signature');
    expect(() => receiver.verify(`${BODY} `, headers)).toThrow('signature');
  }
});
