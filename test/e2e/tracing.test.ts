import { jest } from '@jest/globals';
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-base';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { readSettings, type RunSettings } from '../../src/platform/config/settings.js';
import { firstSpanIdOf, traceIdOf } from '../../src/platform/tracing/email-trace.js';
import { openTracing } from '../../src/platform/tracing/open-tracing.js';
import { noTracing } from '../../src/platform/tracing/tracing.js';
import { eventually } from '../support/eventually.js';
import { listenSilently } from '../support/silent-server.js';
import { OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const email = { from: 'canary@acme.example', subject: 'canary', htmlContent: '<p>canary</p>' };

interface Expected {
  /** IDs of emails. */
  readonly traced: readonly string[];
  readonly names: readonly string[];
}

/** The names of spans of a delivered email. */
const DELIVERY = ['POST /api/send', 'deliver', 'send-email'];

/**
 * Runs an API and a worker, like separate processes, that send traces to the same collector.
 * @param use resolves with what the collector gets: a slow machine sends it after the end of a process
 */
async function runTraced(
  share: string,
  use: (client: TestClient, api: TestService) => Promise<Expected>,
): Promise<OtlpReceiver> {
  const collector = await OtlpReceiver.listen();
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER_ARG: share,
    WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
    WEBHOOK_ALLOW_HTTP: 'true',
  };
  const api = await TestService.start({ environment: { ...environment, ROLES: 'api', ...AWAIT_RESULT } });
  const worker = await TestService.start({ environment: { ...environment, ROLES: 'worker' }, beside: api });
  let expected: Expected = { traced: [], names: [] };
  try {
    expected = await use(await api.organization(), api);
  } finally {
    // Stopping sends what has not been sent yet.
    await worker.stop();
    await api.stop();
    await eventually(() => expected.traced.every((id) => hasSpans(collector, id, expected.names)));
    await collector.close();
  }
  return collector;
}

describe('traces', () => {
  it('follow one email from its request to its webhook, across processes', async () => {
    const receiver = await WebhookReceiver.listen();
    let [sent, refused] = ['', ''];
    const collector = await runTraced('1', async (client, api) => {
      await client.post('/api/webhooks', { url: receiver.url, events: ['EMAIL_SENT', 'EMAIL_FAILED'] });
      api.mailServer.scripts.add('canary-refused@example.com', { phase: 'rcpt', reply: '550 no canary' });
      const { body } = await client.post<SendResponse>('/api/send', { ...email, to: 'canary@example.com' });
      await client.post('/api/send', { ...email, to: 'canary-refused@example.com' });
      const idOf = async (status: string) => {
        const { body: list } = await client.get<{ emails: { id: string }[] }>(`/api/emails?status=${status}`);
        return list.emails[0]!.id;
      };
      sent = await idOf('sent');
      refused = await idOf('failed');
      expect(body.emailTrackingId).toBeTruthy();
      await eventually(() => receiver.received.length === 2);
      return { traced: [sent, refused], names: [...DELIVERY, 'webhook'] };
    });
    await receiver.stop();

    const { request, job, deliver, webhook } = spansOf(collector, sent, 'accepted');
    expect(request).toMatchObject({ roles: 'api', spanId: firstSpanIdOf(sent), kind: 2 });
    expect(request.parentSpanId ?? '').toBe('');
    expect(job).toMatchObject({ roles: 'worker', parentSpanId: request.spanId, kind: 5 });
    expect(deliver).toMatchObject({
      roles: 'worker',
      parentSpanId: job.spanId,
      kind: 3,
      facts: { provider: 'smtp', attempt: 1, 'mailbeacon.email_id': sent },
    });
    expect(webhook).toMatchObject({ roles: 'worker', facts: { outcome: 'delivered', status: 204 } });
    expect([request.spanId, job.spanId]).toContain(webhook.parentSpanId);
    expect(spansOf(collector, refused, 'refused').deliver).toMatchObject({ facts: { attempt: 1 } });
    expect(collector.raw).not.toContain('canary');
  });

  it('cover the configured share of emails, the same ones in all processes', async () => {
    const sampler = new TraceIdRatioBasedSampler(0.5);
    const isTraced = (id: string): boolean =>
      sampler.shouldSample(ROOT_CONTEXT, traceIdOf(id)).decision === SamplingDecision.RECORD_AND_SAMPLED;
    const collector = await runTraced('0.5', async (client, { database }) => {
      for (let index = 0; index < 40; index++) await client.post('/api/send', { ...email, to: 'reader@example.com' });
      const emails = await database.query<{ id: string }>('select id from emails');
      return { traced: emails.map(({ id }) => id).filter(isTraced), names: DELIVERY };
    });
    const names = new Map<string, string[]>();
    for (const { traceId, name } of collector.spans) names.set(traceId, [...(names.get(traceId) ?? []), name]);
    // Fewer than 3 or more than 37 of 40 are practically impossible at a share of one half.
    expect(names.size).toBeGreaterThan(3);
    expect(names.size).toBeLessThan(37);
    // An email may have two jobs when Redis is new to its worker; only one of them delivers it.
    for (const spans of names.values()) expect([...new Set(spans)].sort()).toEqual(DELIVERY);
    const accepted = collector.spans.filter(({ facts }) => facts.outcome === 'accepted').map(({ traceId }) => traceId);
    expect(accepted.sort()).toEqual([...names.keys()].sort());
  });

  it('cost nothing where no collector is named', async () => {
    expect(await openTracing(readSettings({}) as RunSettings)).toBe(noTracing);
    await expect(noTracing.follow({ emailId: 'x', name: 'x', kind: 'client' }, async () => 7)).resolves.toBe(7);
  });

  it('delay neither a request nor a stop while the collector hangs', async () => {
    const collector = await listenSilently();
    // What a process that waits for the collector would wait for.
    const limits = { OTEL_EXPORTER_OTLP_TIMEOUT: '200000', OTEL_BSP_EXPORT_TIMEOUT: '200000' };
    const environment = jest.replaceProperty(process, 'env', { ...process.env, ...limits });
    try {
      const service = await TestService.start({
        environment: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`, ...AWAIT_RESULT },
      });
      const client = await service.organization();
      expect((await client.post('/api/send', { ...email, to: 'reader@example.com' })).status).toBe(200);
      await service.stop();
      expect(collector.sockets.size).toBe(1);
    } finally {
      environment.restore();
      await collector.close();
    }
  });
});

function hasSpans(collector: OtlpReceiver, emailId: string, expected: readonly string[]): boolean {
  const ours = collector.spans.filter(({ traceId }) => traceId === traceIdOf(emailId));
  // A job that delivers nothing has a span of this name, too.
  const isDelivered = ours.some(({ facts }) => facts.outcome === 'accepted' || facts.outcome === 'refused');
  return isDelivered && expected.every((name) => ours.some((span) => span.name === name));
}

/** An email may have two jobs when Redis is new to its worker; these are the spans of the one that delivers it. */
function spansOf(collector: OtlpReceiver, emailId: string, outcome: string) {
  const ours = collector.spans.filter(({ traceId }) => traceId === traceIdOf(emailId));
  const names = [...new Set(ours.map(({ name }) => name))].sort();
  expect(names).toEqual([...DELIVERY, 'webhook']);
  const only = (name: string, isMeant: (span: ReceivedSpan) => boolean = () => true): ReceivedSpan => {
    const meant = ours.filter((span) => span.name === name && isMeant(span));
    expect(meant).toHaveLength(1);
    return meant[0]!;
  };
  const deliver = only('deliver', ({ facts }) => facts.outcome === outcome);
  const job = only('send-email', ({ spanId }) => spanId === deliver.parentSpanId);
  return { request: only('POST /api/send'), job, deliver, webhook: only('webhook') };
}
