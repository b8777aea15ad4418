import type { GuardedHttp } from '../../../src/platform/outbound-http/guarded-http.js';
import { noTracing, type SpanDescription, type Tracing } from '../../../src/platform/tracing/tracing.js';
import type { ClaimedWebhookDelivery } from '../../../src/webhooks/delivery/claim-deliveries.js';
import { WebhookRequests } from '../../../src/webhooks/delivery/webhook-requests.js';

const EMAIL_ID = '0190f3a5-0b6d-7d11-8a3e-2f9c7e5d1a40';

/** Posts a body while tracing is on. */
async function post(body: string) {
  const spans: SpanDescription[] = [];
  const tracing: Tracing = {
    ...noTracing,
    on: true,
    follow: (span, work) => {
      spans.push(span);
      return work(() => undefined);
    },
  };
  const posted: unknown[] = [];
  const http = {
    post: (request: { body: string }) => {
      posted.push(request.body);
      return Promise.resolve({ status: 204, headers: {}, body: Buffer.alloc(0) });
    },
  } as unknown as GuardedHttp;
  const requests = new WebhookRequests(http, { now: () => 0 }, tracing);
  const { kind } = await requests.post(
    { id: 'd', url: 'https://hooks.example/', body } as ClaimedWebhookDelivery,
    {},
    0,
  );
  return { kind, posted, traced: spans.map(({ emailId }) => emailId) };
}

describe('while tracing is on', () => {
  it('a webhook about an email is traced with that email', async () => {
    const body = JSON.stringify({ type: 'EMAIL_SENT', data: { id: EMAIL_ID } });
    expect(await post(body)).toEqual({ kind: 'delivered', posted: [body], traced: [EMAIL_ID] });
  });

  it.each(['', 'no JSON', '{"data":', 'null', '5', '{"data":null}', '{"data":{"id":5}}', '{"data":{"id":"5"}}'])(
    'a body without an email is delivered too: %j',
    async (body) => {
      expect(await post(body)).toEqual({ kind: 'delivered', posted: [body], traced: [] });
    },
  );
});
