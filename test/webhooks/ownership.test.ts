import type { WebhookWithSecret } from '../../src/webhooks/webhook-view.js';
import type { ApiResponse } from '../support/service.js';
import { respondWith, WebhookReceiver } from '../support/webhook-receiver.js';
import { WebhookBench } from './webhook-bench.js';

let bench: WebhookBench;
let receiver: WebhookReceiver;

beforeAll(async () => {
  bench = await WebhookBench.start({ environment: { WEBHOOK_VERIFY_OWNERSHIP: 'always' } });
});
afterAll(() => bench?.stop());
beforeEach(async () => {
  receiver = await WebhookReceiver.listen();
});
afterEach(() => receiver.stop());

interface Challenge {
  readonly type: string;
  readonly data: { readonly challenge: string };
}

/** Returns the challenge in some format. */
function echo(toText: (challenge: string) => string): WebhookReceiver['respond'] {
  return (response, { body }) => void response.end(toText((JSON.parse(body) as Challenge).data.challenge));
}

async function create(
  url = receiver.url,
  client = bench.service.organization(),
): Promise<ApiResponse<WebhookWithSecret>> {
  return (await client).post<WebhookWithSecret>('/api/webhooks', { url });
}

describe('a webhook proves that its URL is its own', () => {
  it.each<[string, (challenge: string) => string]>([
    ['text', (challenge) => challenge],
    ['text with a line break', (challenge) => `${challenge}\n`],
    ['JSON', (challenge) => JSON.stringify({ challenge })],
  ])('by returning the challenge as %s', async (_form, toText) => {
    receiver.respond = echo(toText);
    expect((await create()).status).toBe(201);
    const [{ body }] = receiver.received as unknown as [{ body: string }];
    expect(JSON.parse(body)).toEqual({
      type: 'ENDPOINT_CHALLENGE',
      timestamp: expect.any(String) as unknown,
      data: { challenge: expect.stringMatching(/^[\w-]{32}$/) as unknown },
    });
  });

  it('or is refused with the same error for all causes, so that it reveals nothing about other hosts', async () => {
    const refusals: unknown[] = [];
    for (const respond of [
      respondWith(204),
      respondWith(200, {}, 'ok'),
      respondWith(200, {}, '{"challenge": 7}'),
      respondWith(200, {}, '{'),
      respondWith(302, { location: 'https://example.com/' }),
      ((response) => response.destroy()) as WebhookReceiver['respond'],
      ((response, { body }) =>
        void response.writeHead(500).end((JSON.parse(body) as Challenge).data.challenge)) as WebhookReceiver['respond'],
    ]) {
      receiver.respond = respond;
      const { status, body } = await create();
      refusals.push([status, body]);
    }
    await receiver.stop();
    const { status, body } = await create();
    refusals.push([status, body]);
    expect(new Set(refusals.map((refusal) => JSON.stringify(refusal))).size).toBe(1);
    expect(refusals[0]).toMatchObject([
      400,
      { error: expect.stringContaining('must return the challenge') as unknown },
    ]);
  });

  it('again when its URL changes, and not when something else changes', async () => {
    receiver.respond = echo((challenge) => challenge);
    const { id } = (await create(receiver.url, Promise.resolve(bench.client))).body;
    receiver.respond = respondWith(204);
    expect((await bench.patch(id, { events: ['EMAIL_FAILED'] })).status).toBe(200);
    expect((await bench.patch(id, { url: `${receiver.url}/new` })).status).toBe(400);
    expect(await bench.read(id)).toMatchObject({ url: receiver.url });
    receiver.respond = echo((challenge) => challenge);
    expect((await bench.patch(id, { url: `${receiver.url}/new` })).status).toBe(200);
  });

  it('at most ten times a minute per organization', async () => {
    const client = await bench.service.organization();
    const statuses: number[] = [];
    for (let index = 0; index < 11; index++) {
      statuses.push((await create(receiver.url, Promise.resolve(client))).status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(400), 429]);
    expect(receiver.received).toHaveLength(10);
  });
});

it('a webhook can be replayed ten times a minute', async () => {
  receiver.respond = echo((challenge) => challenge);
  const client = await bench.service.organization();
  const { id } = (await create(receiver.url, Promise.resolve(client))).body;
  const replay = async (): Promise<number> =>
    (await client.post(`/api/webhooks/${id}/replay`, { since: '2026-01-01T00:00:00Z' })).status;
  const statuses: number[] = [];
  for (let index = 0; index < 11; index++) statuses.push(await replay());
  expect(statuses).toEqual([...Array<number>(10).fill(200), 429]);
});
