import { REPORTING_PROVIDERS } from '../../src/events/feedback/provider-event-metrics.js';
import { RECIPIENT_OUTCOMES } from '../../src/broadcasts/sending/broadcast-metrics.js';
import { ENGAGEMENT_CLASSES } from '../../src/events/verdict.js';
import { LIVE_ENDS } from '../../src/events/live/live-metrics.js';
import { RECIPIENT_FACTS } from '../../src/events/recipient-event.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { BOUNCE_REFUSALS, BOUNCE_RESULTS } from '../../src/events/feedback/smtp/bounce-metrics.js';
import { NOTIFICATION_KINDS } from '../../src/events/feedback/smtp/read-notification.js';
import { IGNORED_REASONS, SENDGRID_EVENT_TYPES } from '../../src/events/feedback/sendgrid/parse-sendgrid-event.js';
import { apiRoutes, keylessRoutes } from '../support/routes.js';
import { SUPPRESSION_REASONS } from '../../src/events/recipient-event.js';
import { eventually } from '../support/eventually.js';
import { BUDGET_NAMES } from '../../src/organizations/budgets/budget.js';
import { AUDIT_ACTIONS } from '../../src/organizations/audit/audit-actions.js';
import { RETENTION_SETTINGS } from '../../src/platform/database/paced-retention.js';
import { SIGN_IN_RESULTS } from '../../src/users/sign-in/sign-in-metrics.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;
beforeAll(async () => {
  service = await TestService.start({ environment: { DATABASE_POOL_SIZE: '10', ...AWAIT_RESULT } });
  client = await service.organization('free');
});
afterAll(() => service?.stop());

const email = { from: 'ada@acme.example', subject: 'S', htmlContent: '<a href="https://example.com/">x</a>' };

interface Series {
  readonly metric: string;
  readonly labels: Record<string, string>;
  readonly value: number;
}

async function scrape(of: TestService = service): Promise<Series[]> {
  const text = await (await fetch(`${of.operatorAddress}/metrics`)).text();
  return [...text.matchAll(/^(mailbeacon_\w+?)(?:\{(.*)\})? (\S+)$/gm)].map(([, metric, labels = '', value]) => ({
    metric: metric!,
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, text]) => [name, text])),
    value: Number(value),
  }));
}

async function valueOf(
  metric: string,
  labels: Record<string, string> = {},
  of: TestService = service,
): Promise<number | undefined> {
  const fits = (series: Series) => Object.entries(labels).every(([name, value]) => series.labels[name] === value);
  return (await scrape(of)).find((series) => series.metric === metric && fits(series))?.value;
}

describe('metrics', () => {
  it('count one email from its acceptance to its click', async () => {
    service.mailServer.scripts.add('refused@example.com', { phase: 'rcpt', reply: '550 no' });
    const { body } = await client.post<SendResponse>('/api/send', { ...email, to: 'reader@example.com' });
    await client.post('/api/send', { ...email, to: 'refused@example.com' });
    await service.track(body.pixelUrl);
    await service.track(body.links[0]!.trackingUrl);
    await eventually(async () => (await valueOf('mailbeacon_events_flushed_total', { outcome: 'stored' }))! >= 3);

    expect(await valueOf('mailbeacon_emails_finished_total', { outcome: 'sent' })).toBe(1);
    expect(await valueOf('mailbeacon_emails_finished_total', { outcome: 'failed' })).toBe(1);
    expect(await valueOf('mailbeacon_delivery_attempts_total', { provider: 'smtp', outcome: 'accepted' })).toBe(1);
    expect(await valueOf('mailbeacon_delivery_attempts_total', { provider: 'smtp', outcome: 'refused' })).toBe(1);
    expect(await valueOf('mailbeacon_tracking_seconds_count', { kind: 'open' })).toBe(1);
    expect(await valueOf('mailbeacon_tracking_seconds_count', { kind: 'click' })).toBe(1);
    expect(await valueOf('mailbeacon_flush_entries_count')).toBeGreaterThan(0);
    expect(await valueOf('mailbeacon_http_request_seconds_count', { route: '/api/send', status: '2xx' })).toBe(1);
    expect(await valueOf('mailbeacon_http_request_seconds_count', { route: '/api/send', status: '5xx' })).toBe(1);
    expect(await valueOf('mailbeacon_ready', { role: 'worker', need: 'postgres' })).toBe(1);
    expect(await valueOf('mailbeacon_postgres_pool', { state: 'limit' })).toBe(10);
    expect(await valueOf('mailbeacon_redis_round_trip_seconds')).toBeLessThan(1);
    expect(Math.abs((await valueOf('mailbeacon_clock_skew_seconds'))!)).toBeLessThan(5);
    expect(await valueOf('mailbeacon_redis_memory_bytes', { kind: 'used' })).toBeGreaterThan(100_000);
  });

  it('start at zero, so that the first loss is an increase', async () => {
    const fresh = await TestService.start();
    try {
      const series = await scrape(fresh);
      for (const [metric, label, value] of [
        ['mailbeacon_events_appended_total', 'outcome', 'lost'],
        ['mailbeacon_event_dead_letters_total', 'reason', 'unknown-email'],
        ['mailbeacon_delivery_attempts_total', 'outcome', 'ambiguous'],
        ['mailbeacon_emails_finished_total', 'outcome', 'failed'],
        ['mailbeacon_webhook_attempts_total', 'outcome', 'failed'],
        ['mailbeacon_provider_event_calls_total', 'outcome', 'wrong-signature'],
      ] as const) {
        const found = series.find((one) => one.metric === metric && one.labels[label] === value);
        expect({ metric, value: found?.value }).toEqual({ metric, value: 0 });
      }
    } finally {
      await fresh.stop();
    }
  });

  it('do not count the queries of a scrape as callers that wait for a connection', async () => {
    const small = await TestService.start({ environment: { DATABASE_POOL_SIZE: '3' } });
    try {
      await eventually(async () => (await valueOf('mailbeacon_postgres_pool', { state: 'waiting' }, small)) === 0);
    } finally {
      await small.stop();
    }
  });

  it('take labels from closed sets, regardless of input', async () => {
    await fetch(`${service.address}/nowhere/reader@example.com`);
    await fetch(`${service.address}/api/campaigns/canary`, { headers: { 'x-api-key': client.apiKey } });
    await service.track('http://track.test/api/t/c/canary');
    await client.post('/api/webhooks', { url: 'http://canary.example/', events: ['CANARY'] });
    const routes = [...apiRoutes(), ...keylessRoutes()].map(({ path }) => path).concat('unknown');
    const closed: Record<string, readonly string[]> = {
      role: ['api', 'tracking', 'worker', 'flusher'],
      need: ['redis', 'postgres', 'redis or spool'],
      method: ['GET', 'POST', 'PATCH', 'DELETE', 'HEAD'],
      route: routes,
      status: ['2xx', '3xx', '4xx', '5xx', 'scheduled', 'sending', 'paused'],
      class: ['free', 'pro', 'unlimited', 'own-providers', 'other', ...ENGAGEMENT_CLASSES],
      state: ['in-use', 'idle', 'limit', 'waiting', 'active', 'delayed', 'warned', 'slowed', 'paused'],
      to: ['normal', 'warned', 'slowed', 'paused', 'verified', 'pending'],
      kind: [
        ...['open', 'click', 'used', 'limit', 'held', ...NOTIFICATION_KINDS],
        ...['host', 'email', 'organization', 'deleted'],
      ],
      budget: BUDGET_NAMES,
      transport: ['smtp', 'http'],
      target: AUDIT_ACTIONS.map((action) => action.split('.')[0]!),
      provider: ['smtp', 'organizations', ...REPORTING_PROVIDERS],
      owner: ['service', 'organization'],
      outcome: [
        ...['done', 'limit', 'dropped', 'summed'],
        ...[
          'recorded',
          'summed',
          'head',
          'invalid',
          'blocked',
          'over-limit',
          'wrong-domain',
          'method',
          'lost',
          'delayed',
          'page',
          'unsubscribed',
          'resubscribed',
          'unrecognized',
          'too-large',
          'incomplete',
          'stream',
          'spool',
          'stored',
          'repeated',
          'dropped',
          'unknown-email',
          'unknown-recipient',
          'too-many',
        ],
        ...[
          'sent',
          'failed',
          'delivered',
          'gone',
          'accepted',
          'refused',
          'retry',
          'throttled',
          'credential-refused',
          'ambiguous',
        ],
        ...['unsigned', 'stale', 'wrong-signature', 'no-certificate', 'limited'],
        ...RECIPIENT_OUTCOMES,
      ],
      type: SENDGRID_EVENT_TYPES,
      result: ['stored', ...IGNORED_REASONS, ...BOUNCE_RESULTS, ...SIGN_IN_RESULTS],
      fact: RECIPIENT_FACTS,
      cause: ['throttled', 'credential-refused', 'failing'],
      reason: [
        ...BOUNCE_REFUSALS,
        ...['gone', 'failing', 'missing-field', 'unknown-version', 'unknown-type', 'malformed', 'unknown-email'],
        ...['too-many-deliveries', 'timed-out', 'data-error'],
        ...SUPPRESSION_REASONS,
        ...LIVE_ENDS,
      ],
      at: ['acceptance', 'claim'],
      setting: RETENTION_SETTINGS,
    };
    for (const { metric, labels } of await scrape()) {
      for (const [name, value] of Object.entries(labels)) {
        if (name === 'le') continue;
        if (!closed[name]?.includes(value))
          throw new Error(`${metric} has ${name}="${value}", which is in no closed set`);
      }
    }
  });
});
