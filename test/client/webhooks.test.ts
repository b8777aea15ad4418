import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import {
  MailbeaconError,
  verifyWebhook,
  webhookEventNames,
  type WebhookEvent,
} from '../../packages/client/src/index.js';
import { WEBHOOK_EVENTS, type WebhookEventType } from '../../src/webhooks/webhook-events.js';
import { signedHeaders } from '../../src/webhooks/delivery/webhook-signature.js';
import { WebhookBench } from '../webhooks/webhook-bench.js';

const key = Buffer.alloc(32, 7);
const secret = `whsec_${key.toString('base64')}`;
const body = JSON.stringify({ type: 'WEBHOOK_TEST', timestamp: '2026-03-01T09:30:00.000Z', data: { webhookId: 'w' } });
const signed = (keys = [key], at = Date.now()) => signedHeaders('msg_1', at, body, keys);

async function refusalOf(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(MailbeaconError);
  expect(error).toMatchObject({ status: 401, requestId: '' });
  return (error as Error).message;
}

describe('verifyWebhook', () => {
  it('returns the event with its ID, from headers of both kinds and bodies of both kinds', async () => {
    const expected = { id: 'msg_1', type: 'WEBHOOK_TEST', data: { webhookId: 'w' } };
    for (const headers of [signed(), new Headers(signed())])
      for (const received of [body, Buffer.from(body)])
        expect(await verifyWebhook({ headers, body: received, secret })).toMatchObject(expected);
  });

  it('takes one of several signatures, as while the secret changes', async () => {
    const headers = signed([Buffer.alloc(32, 8), key]);
    expect(await verifyWebhook({ headers, body, secret })).toMatchObject({ id: 'msg_1' });
    headers['webhook-signature'] = `v1a,AAAA v1,!!!! ${headers['webhook-signature']}`;
    expect(await verifyWebhook({ headers, body, secret })).toMatchObject({ id: 'msg_1' });
  });

  it('refuses any other ID, body, key and signature', async () => {
    const headers = signed();
    const wrong = 'The signature of the webhook is wrong';
    expect(await refusalOf(verifyWebhook({ headers, body: `${body} `, secret }))).toBe(wrong);
    expect(await refusalOf(verifyWebhook({ headers: { ...headers, 'webhook-id': 'msg_2' }, body, secret }))).toBe(
      wrong,
    );
    expect(await refusalOf(verifyWebhook({ headers: signed([Buffer.alloc(32)]), body, secret }))).toBe(wrong);
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.base64String()), async (signature) => {
        const forged = { ...headers, 'webhook-signature': `v1,${signature}` };
        expect(await refusalOf(verifyWebhook({ headers: forged, body, secret }))).toBe(wrong);
      }),
    );
  });

  it('refuses a time that is too far off, and a missing one', async () => {
    const wrong = 'The time of the webhook is missing or too far from now';
    for (const seconds of [-310, 310]) {
      const headers = signed([key], Date.now() + seconds * 1_000);
      expect(await refusalOf(verifyWebhook({ headers, body, secret }))).toBe(wrong);
      expect(await verifyWebhook({ headers, body, secret, toleranceSeconds: 600 })).toMatchObject({ id: 'msg_1' });
    }
    for (const time of ['', 'NaN', '1e9', '-1']) {
      const headers = { ...signed(), 'webhook-timestamp': time };
      expect(await refusalOf(verifyWebhook({ headers, body, secret, toleranceSeconds: Infinity }))).toBe(wrong);
    }
    expect(await refusalOf(verifyWebhook({ headers: {}, body, secret }))).toBe(wrong);
  });

  it('throws for an empty secret, with which anyone could sign', async () => {
    const headers = signed([Buffer.alloc(0)]);
    await expect(verifyWebhook({ headers, body, secret: '' })).rejects.toThrow(TypeError);
  });

  it('says that a secret is malformed', async () => {
    const malformed = verifyWebhook({ headers: signed(), body, secret: 'whsec_not/base64!' });
    await expect(malformed).rejects.toThrow('The secret of the webhook is malformed');
  });
});

it('knows every type of event, and no other', () => {
  type Known = Exclude<WebhookEvent['type'], 'WEBHOOK_TEST'>;
  const known: Record<Known, true> & Record<WebhookEventType, true> = {
    EMAIL_SENT: true,
    EMAIL_FAILED: true,
    EMAIL_OPENED: true,
    EMAIL_CLICKED: true,
    EMAIL_DELIVERED: true,
    EMAIL_DEFERRED: true,
    EMAIL_BOUNCED: true,
    EMAIL_COMPLAINED: true,
    EMAIL_SUPPRESSED: true,
    EMAIL_UNSUBSCRIBED: true,
    EMAIL_RESUBSCRIBED: true,
    SENDING_GUARD_CHANGED: true,
    BUDGET_WARNING: true,
  };
  expect(Object.keys(known).sort()).toEqual([...WEBHOOK_EVENTS].sort());
});

it('verifies what a real service sends', async () => {
  const bench = await WebhookBench.start();
  const events: Promise<WebhookEvent>[] = [];
  let current = '';
  const receiver = createServer(async (request, response) => {
    const received = Buffer.concat(await request.toArray());
    events.push(verifyWebhook({ headers: request.headers, body: received, secret: current }));
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  try {
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    const { id, secret: shown } = await bench.webhook(`http://127.0.0.1:${port}/`);
    current = shown;
    await bench.send();
    const delivery = await bench.delivery(id, ({ status }) => status === 'delivered');
    expect(await events[0]).toMatchObject({ id: delivery.id, type: 'EMAIL_SENT', data: { subject: 'S' } });
  } finally {
    receiver.close();
    await bench.stop();
  }
});

describe('webhookEventNames', () => {
  it('has every event that webhooks deliver', () => {
    expect([...webhookEventNames].sort()).toEqual([...WEBHOOK_EVENTS].sort());
  });
});
