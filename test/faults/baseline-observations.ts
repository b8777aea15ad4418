import { codeOfVerdict, ENGAGEMENT_CLASSES, NO_SIGN } from '../../src/events/verdict.js';
import type {
  DeliveredWebhook,
  Observations,
  ProviderRequest,
  ObservedSend,
  StoredEmail,
  StoredEvent,
  StoredRows,
} from './observations.js';

const SCANNER = codeOfVerdict({ class: 'scanner', reason: 'timing:burst', certainty: 'probable' });

/**
 * Observations that violate no invariant: one email to two readers, opened once, clicked once, in a campaign that is
 * archived later.
 */

const URLS = ['https://shop.example/one', 'https://shop.example/both', 'https://shop.example/both'];
const MESSAGE = {
  to: ['ada@example.com', 'bob@example.com'],
  cc: ['cc@example.com'],
  bcc: [],
  subject: 'News',
  campaign: 'Spring',
  urls: URLS,
};
const PIXEL = '/api/t/o/tracking-1';
const HTML = `<a href="/api/t/c/1"><a href="/api/t/c/2"><a href="/api/t/c/3"><img src="https://t.test${PIXEL}">`;
const AT = '2026-03-01T09:30:00.000Z';

export const email: StoredEmail = {
  id: 'email-1',
  key: 'key-1',
  trackingId: 'tracking-1',
  status: 'sent',
  campaign: 'Spring',
  to: MESSAGE.to,
  cc: MESSAGE.cc,
  bcc: [],
  subject: 'News',
  contacts: MESSAGE.to,
  urls: URLS,
  possibleDuplicate: false,
  outcomeUnknown: false,
  providerId: 'sg-1',
  sentEventId: 'sent-1',
  opens: 1,
  clicks: 1,
  clicksByPosition: { 1: 1 },
  machineOpens: 0,
  machineClicks: 1,
  machineClicksByPosition: { 1: 1 },
  machines: { [ENGAGEMENT_CLASSES.indexOf('scanner')]: 1 },
  personOpened: true,
  personClicked: false,
};

export const send: ObservedSend = {
  key: 'key-1',
  message: MESSAGE,
  attempts: 1,
  retries: { confirmed: 0, unconfirmed: 0 },
  responses: [
    {
      status: 200,
      at: 1_000,
      milliseconds: 100,
      email: {
        id: 'sg-1',
        emailTrackingId: 'tracking-1',
        from: 'ada@platform.test',
        to: MESSAGE.to,
        subject: 'News',
        links: URLS.map((originalUrl) => ({ originalUrl })),
        pixelUrl: `https://t.test${PIXEL}`,
      },
    },
  ],
};

/** One row per contact. */
export function eventRows(event: Partial<StoredEvent>): StoredEvent[] {
  return MESSAGE.to.map((contact, index) => ({
    id: 'event',
    ordinal: index + 1,
    type: 'opened',
    emailId: 'email-1',
    contact,
    position: null,
    url: null,
    at: AT,
    verdict: NO_SIGN,
    ...event,
  }));
}

export function providerRequest(change: Partial<ProviderRequest> = {}): ProviderRequest {
  const { to, cc, bcc, subject } = MESSAGE;
  const message = { to, cc, bcc, subject, html: HTML, messageId: '<1@platform.test>' };
  return { emailId: 'email-1', outcome: 'accepted', providerId: 'sg-1', message, ...change };
}

export function webhook(type: string, change: Partial<DeliveredWebhook> = {}, more: object = {}): DeliveredWebhook {
  const { to, subject, campaign } = MESSAGE;
  const metadata = { sendKey: 'key-1' };
  const data = { id: 'email-1', emailTrackingId: 'tracking-1', to, subject, campaign, metadata, ...more };
  return { id: `webhook-${type}`, type, data, body: JSON.stringify(data), isSigned: true, ...change };
}

const contact = (address: string) => ({
  address,
  emails: 1,
  opens: 1,
  clicks: 1,
  machineOpens: 0,
  machineClicks: 1,
  campaigns: ['Spring'],
  emailIds: ['email-1'],
});

export const baseline: Observations = {
  sends: [send],
  hits: [
    { type: 'opened', trackingId: 'tracking-1', id: 'open-1' },
    { type: 'clicked', trackingId: 'tracking-1', position: 1, url: URLS[1]!, id: 'click-1' },
  ],
  archives: [{ campaign: 'Spring', requestedAt: 2_000, respondedAt: 2_100 }],
  clientErrors: [],
  stored: {
    emails: [email],
    events: [
      ...eventRows({ id: 'open-1' }),
      ...eventRows({ id: 'click-1', type: 'clicked', position: 1, url: URLS[1]!, verdict: SCANNER }),
      ...eventRows({ id: 'sent-1', type: 'sent' }),
    ],
    contacts: MESSAGE.to.map(contact),
    campaigns: [
      {
        ...{ name: 'Spring', archived: true, emails: 1, opens: 1, clicks: 1, links: { [URLS[0]!]: 0, [URLS[1]!]: 1 } },
        ...{ machineOpens: 0, machineClicks: 1, machineLinks: { [URLS[1]!]: 1 }, machines: { scanner: 1 } },
        ...{ uniqueOpens: 1, uniqueClicks: 0 },
      },
    ],
  },
  providerRequests: [providerRequest()],
  webhooks: [
    webhook('EMAIL_SENT'),
    webhook('EMAIL_OPENED', {}, { occurredAt: AT }),
    webhook('EMAIL_CLICKED', {}, { occurredAt: AT, url: URLS[1]! }),
  ],
  subscribedEvents: ['EMAIL_SENT', 'EMAIL_FAILED', 'EMAIL_OPENED', 'EMAIL_CLICKED'],
  unknownOutcomes: new Map(),
  destroyed: new Set(),
  processes: [],
};

export function withStored(change: Partial<StoredRows>): Observations {
  return { ...baseline, stored: { ...baseline.stored, ...change } };
}

export function withEmail(change: Partial<StoredEmail>, more: Partial<Observations> = {}): Observations {
  return { ...withStored({ emails: [{ ...email, ...change }] }), ...more };
}
