import type { Observations, ObservedSend } from './observations.js';
import { reconcile } from './reconciliation.js';
import type { Allowance } from './invariants/invariant.js';
import { webhook, email, providerRequest, send, baseline, withEmail, withStored } from './baseline-observations.js';

const withSend = (change: Partial<ObservedSend>, more: Partial<Observations> = {}): Observations => ({
  ...baseline,
  sends: [{ ...send, ...change }],
  ...more,
});
const withResponse = (change: object): Observations =>
  withSend({ responses: [{ ...send.responses[0]!, email: { ...send.responses[0]!.email!, ...change } }] });
const campaign = (change: object): Observations =>
  withStored({ campaigns: [{ ...baseline.stored.campaigns[0]!, ...change }] });
const withWebhooks = (...webhooks: ReturnType<typeof webhook>[]): Observations => ({
  ...baseline,
  webhooks: [...baseline.webhooks, ...webhooks],
});
const withMessage = (change: object): Observations => ({
  ...baseline,
  providerRequests: [providerRequest({ message: { ...providerRequest().message!, ...change } })],
});
const twice = [providerRequest(), providerRequest()];
const outcomeUnknown = { unknownOutcomes: new Map([['email-1', 1]]) };
const hitWithoutResponse = {
  hits: baseline.hits.slice(1).concat({ type: 'opened', trackingId: 'tracking-1' }),
} as const;

const NOTHING = { opens: 0, clicks: 0, machineOpens: 0, machineClicks: 0 };
const UNTOUCHED = { ...NOTHING, machineClicksByPosition: {}, machines: {} };

/** An email that the provider refused, as it must appear everywhere. */
const failed = (change: Partial<Observations> = {}): Observations => ({
  ...baseline,
  stored: {
    emails: [
      { ...email, status: 'failed', sentEventId: null, ...UNTOUCHED, clicksByPosition: {}, personOpened: false },
    ],
    events: [],
    contacts: baseline.stored.contacts.map((one) => ({ ...one, emails: 0, ...NOTHING, campaigns: [] })),
    campaigns: [
      {
        ...{ name: 'Spring', archived: true, emails: 0, ...NOTHING, links: {}, machineLinks: {}, machines: {} },
        ...{ uniqueOpens: 0, uniqueClicks: 0 },
      },
    ],
  },
  sends: [{ ...send, responses: [{ status: 500, at: 1_000, milliseconds: 9, error: 'Email delivery failed: no' }] }],
  hits: [],
  providerRequests: [providerRequest({ outcome: 'refused' })],
  webhooks: [webhook('EMAIL_FAILED')],
  ...change,
});

describe('the invariants', () => {
  it('hold where everything was delivered, reported by webhook and counted once', () => {
    expect(reconcile(baseline)).toEqual({
      accepted: 1,
      delivered: 1,
      flaggedDuplicates: 0,
      unflaggedDuplicates: 0,
      lost: 0,
      failed: 0,
      events: 2,
      eventsLost: 0,
      eventsDestroyed: 0,
      eventsDuplicated: 0,
      violations: [],
    });
  });

  it.each<[what: string, invariant: string, observations: Observations, seen?: object]>([
    ['an accepted email that is not stored', 'L1', withStored({ emails: [] }), { lost: 1 }],
    ['a refused email that is stored', 'L1', withSend({ responses: [{ status: 400, at: 3_000, milliseconds: 1 }] })],
    ['two emails under one key', 'L1', withStored({ emails: [email, { ...email, id: 'other' }] })],
    ['an email without a request', 'L1', withEmail({ key: null })],
    ['an email without a final state', 'L1', withEmail({ status: 'queued' }), { lost: 1 }],
    ['a recipient that is not stored', 'L1', withEmail({ to: ['ada@example.com'] })],
    ['a copy that is not stored', 'L1', withEmail({ cc: [] })],
    ['another subject', 'L1', withEmail({ subject: 'Old' })],
    ['another campaign', 'L1', withEmail({ campaign: 'Other' })],
    ['only the first contact', 'L1', withEmail({ contacts: ['ada@example.com'] })],
    ['links in another order', 'L1', withEmail({ urls: [...email.urls].reverse() })],
    ['a response with another tracking ID', 'L1', withResponse({ emailTrackingId: 'other' })],
    ['a response with another pixel', 'L1', withResponse({ pixelUrl: 'https://t.test/api/t/o/other' })],
    ['a response with other recipients', 'L1', withResponse({ to: ['ada@example.com'] })],
    ['a response without the links', 'L1', withResponse({ links: [] })],
    ["a response with another provider's ID", 'L1', withResponse({ id: 'sg-2' })],
    ['a 500 response for an email that is sent', 'L1', withSend({ responses: failed().sends[0]!.responses })],
    ['a 400 without a reason', 'L1', withSend({ responses: [{ status: 400, at: 1, milliseconds: 1 }] })],
    ['an email accepted after the archive', 'L1', withSend({ responses: [{ ...send.responses[0]!, at: 2_101 }] })],
    ['an archive request without effect', 'L1', campaign({ archived: false })],
    ['a failure without a refusal', 'L1', failed({ providerRequests: [] }), { failed: 1 }],
    ['a request without a response', 'L1', { ...baseline, clientErrors: ['key: 503'] }],
    [
      'an unflagged duplicate',
      'L2',
      { ...baseline, providerRequests: twice, ...outcomeUnknown },
      { unflaggedDuplicates: 1 },
    ],
    [
      'a duplicate without an unknown outcome',
      'L2',
      withEmail({ possibleDuplicate: true }, { providerRequests: twice }),
    ],
    ['a flag without an unknown outcome', 'L2', withEmail({ possibleDuplicate: true })],
    [
      'a third copy',
      'L2',
      withEmail({ possibleDuplicate: true }, { ...outcomeUnknown, providerRequests: [...twice, providerRequest()] }),
    ],
    ['a sent email that no provider accepted', 'L3', { ...baseline, providerRequests: [] }, { lost: 1 }],
    ['a canceled email that the provider accepted', 'L3', withEmail({ status: 'canceled' }), {}],
    [
      'a failed email that the provider accepted',
      'L3',
      failed({ providerRequests: [providerRequest(), providerRequest({ outcome: 'refused' })] }),
    ],
    ["another provider's ID", 'L3', { ...baseline, providerRequests: [providerRequest({ providerId: 'sg-2' })] }],
    ['a message to another recipient', 'L3', withMessage({ to: ['eve@example.com'] })],
    ['a message without its pixel', 'L3', withMessage({ html: '/api/t/c//api/t/c//api/t/c/' })],
    ['a send without a webhook', 'L4', { ...baseline, webhooks: baseline.webhooks.slice(1) }],
    ['a send with webhooks under two IDs', 'L4', withWebhooks(webhook('EMAIL_SENT', { id: 'other' }))],
    [
      'a webhook that reports a failed email as sent',
      'L4',
      failed({ webhooks: [...failed().webhooks, webhook('EMAIL_SENT')] }),
    ],
    ['a failure without a webhook', 'L4', failed({ webhooks: [] })],
    ['a webhook that reports a sent email as failed', 'L4', withWebhooks(webhook('EMAIL_FAILED'))],
    ['a click without a webhook', 'L4', { ...baseline, webhooks: baseline.webhooks.slice(0, 2) }],
    [
      'an open with two webhooks',
      'L4',
      withWebhooks(webhook('EMAIL_OPENED', { id: 'other' }, { occurredAt: '2026-03-01T09:30:00.000Z' })),
    ],
    [
      'a webhook for an event without a subscription',
      'L4',
      { ...baseline, subscribedEvents: ['EMAIL_SENT', 'EMAIL_FAILED', 'EMAIL_OPENED'] },
    ],
    ['another body at the second attempt', 'L4', withWebhooks(webhook('EMAIL_SENT', { body: '{}' }))],
    ['a wrong signature', 'L4', withWebhooks(webhook('EMAIL_SENT', { isSigned: false }))],
    [
      'a webhook with other recipients',
      'L4',
      {
        ...baseline,
        webhooks: baseline.webhooks.map((one) => ({ ...one, data: { ...one.data, to: [] } })),
      },
    ],
    ['a webhook about another email', 'L4', withWebhooks(webhook('EMAIL_SENT', { id: 'other' }, { id: 'email-2' }))],
    ['a process that exited', 'L6', { ...baseline, processes: ['worker-1 exited by itself'] }],
  ])('are violated by %s (%s)', (_what, invariant, observations, seen = {}) => {
    const reconciliation = reconcile(observations);
    expect(reconciliation).toMatchObject(seen);
    expect(reconciliation.violations).toContainEqual(expect.stringMatching(`^${invariant}: `));
  });

  it.each<[what: string, observations: Observations, allowance?: Partial<Allowance>, seen?: object]>([
    [
      'a flagged duplicate after an unknown outcome',
      withEmail({ possibleDuplicate: true }, { providerRequests: twice, ...outcomeUnknown }),
      {},
      { flaggedDuplicates: 1, unflaggedDuplicates: 0 },
    ],
    ['a flag after an unknown outcome', withEmail({ possibleDuplicate: true }, { ...outcomeUnknown })],
    ['a refusal', failed(), {}, { failed: 1, lost: 0 }],
    ['a permanent failure', failed({ providerRequests: [] }), { failures: 'any' }],
    ['a webhook delivered twice under one ID', withWebhooks(webhook('EMAIL_SENT'))],
    ['an event of a hit without a response', { ...baseline, ...hitWithoutResponse }],
    [
      'an event destroyed with its only copy',
      {
        ...withEmail({ opens: 0, personOpened: false }),
        hits: baseline.hits,
        destroyed: new Set(['open-1']),
        webhooks: baseline.webhooks.filter(({ type }) => type !== 'EMAIL_OPENED'),
        stored: {
          emails: [{ ...email, opens: 0, personOpened: false }],
          events: baseline.stored.events.slice(2),
          contacts: baseline.stored.contacts.map((one) => ({ ...one, opens: 0 })),
          campaigns: baseline.stored.campaigns.map((one) => ({ ...one, opens: 0, uniqueOpens: 0 })),
        },
      },
      {},
      { eventsLost: 0, eventsDestroyed: 1 },
    ],
    [
      'a 400 during the archive request',
      withSend({ attempts: 2, responses: [...send.responses, { status: 400, at: 2_050, milliseconds: 1 }] }),
    ],
  ])('allow %s', (_what, observations, allowance = {}, seen = {}) => {
    expect(reconcile(observations, allowance)).toMatchObject({ ...seen, violations: [] });
  });
});
