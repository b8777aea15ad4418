import type { DeliveredWebhook, Observations, ObservedSend, StoredEmail, StoredEvent } from '../observations.js';
import { areSame, countBy, differences, groupBy } from './invariant.js';

const ENGAGEMENTS = { opened: 'EMAIL_OPENED', clicked: 'EMAIL_CLICKED' } as const;

/**
 * L4: every send, failure, open and click goes to the subscribed webhook: under one ID, correct, signed, with the same
 * bytes at each attempt. Nothing else does.
 */
export function* webhooksAreDeliveredOnce(observations: Observations): Iterable<string> {
  const { webhooks, stored, subscribedEvents } = observations;
  const byId = [...groupBy(webhooks, ({ id }) => id)];
  for (const [id, copies] of byId) {
    if (new Set(copies.map(({ body }) => body)).size > 1) yield `the webhook ${id} was delivered with different bodies`;
    if (copies.some(({ isSigned }) => !isSigned)) yield `the webhook ${id} is not signed with the secret`;
    if (!subscribedEvents.includes(copies[0]!.type))
      yield `the webhook ${id} is a ${copies[0]!.type}, to which the webhook is not subscribed`;
  }
  const byEmail = groupBy(
    byId.map(([, copies]) => copies[0]!),
    ({ data }) => data['id'],
  );
  const sends = new Map(observations.sends.map((send) => [send.key as string | null, send]));
  const events = groupBy(
    stored.events.filter(({ ordinal }) => ordinal === 1),
    ({ emailId }) => emailId,
  );
  for (const email of stored.emails) {
    const about = byEmail.get(email.id) ?? [];
    yield* checkOutcomeWebhooks(email, sends.get(email.key), about, subscribedEvents);
    yield* checkEngagementWebhooks(email, events.get(email.id) ?? [], about, subscribedEvents);
    for (const webhook of about) yield* checkContent(email, webhook);
    byEmail.delete(email.id);
  }
  for (const [id, about] of byEmail)
    yield `${about.length} webhooks are about the email ${String(id)}, which is not stored`;
}

function* checkOutcomeWebhooks(
  { id, status }: StoredEmail,
  send: ObservedSend | undefined,
  about: readonly DeliveredWebhook[],
  subscribedEvents: readonly string[],
): Iterable<string> {
  const count = (type: string) => about.filter((one) => one.type === type).length;
  const [sent, failed] = [count('EMAIL_SENT'), count('EMAIL_FAILED')];
  if (subscribedEvents.includes('EMAIL_SENT')) {
    if (status === 'sent' && sent === 0) yield `${id} was sent without a webhook`;
    if (sent > 1) yield `the sending of ${id} has webhooks under ${sent} ids`;
    if (status !== 'sent' && sent > 0) yield `a webhook reports the sending of ${id}, which is ${status}`;
  }
  if (subscribedEvents.includes('EMAIL_FAILED')) {
    const { confirmed, unconfirmed } = send?.retries ?? { confirmed: 0, unconfirmed: 0 };
    const fewest = confirmed + (status === 'failed' ? 1 : 0);
    if (failed < fewest || failed > fewest + unconfirmed) {
      yield `${failed} webhooks report a failure of ${id}, not ${fewest}`;
    }
  }
}

/** Webhooks have IDs of their own, so their time and destination show which click they report. */
function* checkEngagementWebhooks(
  { id }: StoredEmail,
  events: readonly StoredEvent[],
  about: readonly DeliveredWebhook[],
  subscribedEvents: readonly string[],
): Iterable<string> {
  for (const [event, type] of Object.entries(ENGAGEMENTS)) {
    if (!subscribedEvents.includes(type)) continue;
    const delivered = about.filter((one) => one.type === type);
    const happened = events.filter((one) => one.type === event);
    const found = countBy(delivered, ({ data }) => `${String(data['occurredAt'])} ${String(data['url'] ?? '')}`);
    const expected = countBy(happened, ({ at, url }) => `${at} ${url ?? ''}`);
    yield* differences(`${type} about ${id}`, found, expected);
  }
}

function* checkContent(email: StoredEmail, { id, type, data }: DeliveredWebhook): Iterable<string> {
  const metadata = data['metadata'] as { sendKey?: unknown } | null;
  const to = Array.isArray(data['to']) ? data['to'].map(bareAddress) : [];
  const isTrue =
    data['emailTrackingId'] === email.trackingId &&
    data['subject'] === email.subject &&
    data['campaign'] === email.campaign &&
    (metadata?.sendKey ?? null) === email.key &&
    areSame(to, email.to);
  if (!isTrue) yield `the webhook ${id} (${type}) differs from the stored email ${email.id}`;
}

function bareAddress(mailbox: unknown): string {
  return (/<([^>]*)>$/.exec(String(mailbox))?.[1] ?? String(mailbox)).toLowerCase();
}
