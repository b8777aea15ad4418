import type { Announcement, Observations, ObservedSend, StoredEmail, StoredEvent } from '../observations.js';
import { areSame, countBy, differences, groupBy } from './invariant.js';

const ENGAGEMENTS = { opened: 'EMAIL_OPENED', clicked: 'EMAIL_CLICKED' } as const;

/**
 * L4: whoever listens is told of every sending, failure, open and click, of nothing else, under one id however often,
 * in the same bytes, signed, and of what is true.
 */
export function* announcedOnce(observations: Observations): Iterable<string> {
  const { announcements, stored, subscribedEvents } = observations;
  const news = [...groupBy(announcements, ({ id }) => id)];
  for (const [id, copies] of news) {
    if (new Set(copies.map(({ body }) => body)).size > 1) yield `the webhook ${id} was told in different words`;
    if (copies.some(({ isSigned }) => !isSigned)) yield `the webhook ${id} is not signed with the secret`;
    if (!subscribedEvents.includes(copies[0]!.type))
      yield `the webhook ${id} tells of ${copies[0]!.type}, which nobody asked`;
  }
  const told = groupBy(
    news.map(([, copies]) => copies[0]!),
    ({ data }) => data['id'],
  );
  const sends = new Map(observations.sends.map((send) => [send.key as string | null, send]));
  const events = groupBy(
    stored.events.filter(({ ordinal }) => ordinal === 1),
    ({ emailId }) => emailId,
  );
  for (const email of stored.emails) {
    const about = told.get(email.id) ?? [];
    yield* tellsTheEnd(email, sends.get(email.key), about, subscribedEvents);
    yield* tellsEngagement(email, events.get(email.id) ?? [], about, subscribedEvents);
    for (const announcement of about) yield* tellsTheTruth(email, announcement);
    told.delete(email.id);
  }
  for (const [id, about] of told) yield `${about.length} webhooks tell of the email ${String(id)}, which is not stored`;
}

function* tellsTheEnd(
  { id, status }: StoredEmail,
  send: ObservedSend | undefined,
  about: readonly Announcement[],
  subscribedEvents: readonly string[],
): Iterable<string> {
  const count = (type: string) => about.filter((one) => one.type === type).length;
  const [sent, failed] = [count('EMAIL_SENT'), count('EMAIL_FAILED')];
  if (subscribedEvents.includes('EMAIL_SENT')) {
    if (status === 'sent' && sent === 0) yield `the sending of ${id} was never announced`;
    if (sent > 1) yield `the sending of ${id} was announced under ${sent} ids`;
    if (status !== 'sent' && sent > 0) yield `the sending of ${id} was announced, which is ${status}`;
  }
  if (subscribedEvents.includes('EMAIL_FAILED')) {
    const { confirmed, unconfirmed } = send?.retries ?? { confirmed: 0, unconfirmed: 0 };
    const fewest = confirmed + (status === 'failed' ? 1 : 0);
    if (failed < fewest || failed > fewest + unconfirmed) {
      yield `${failed} failures of ${id} were announced, not ${fewest}`;
    }
  }
}

/** Webhooks bear ids of their own: which of an email's clicks they tell of shows by time and destination. */
function* tellsEngagement(
  { id }: StoredEmail,
  events: readonly StoredEvent[],
  about: readonly Announcement[],
  subscribedEvents: readonly string[],
): Iterable<string> {
  for (const [event, type] of Object.entries(ENGAGEMENTS)) {
    if (!subscribedEvents.includes(type)) continue;
    const told = about.filter((one) => one.type === type);
    const happened = events.filter((one) => one.type === event);
    const found = countBy(told, ({ data }) => `${String(data['occurredAt'])} ${String(data['url'] ?? '')}`);
    const expected = countBy(happened, ({ at, url }) => `${at} ${url ?? ''}`);
    yield* differences(`${type} about ${id}`, found, expected);
  }
}

function* tellsTheTruth(email: StoredEmail, { id, type, data }: Announcement): Iterable<string> {
  const metadata = data['metadata'] as { sendKey?: unknown } | null;
  const to = Array.isArray(data['to']) ? data['to'].map(bareAddress) : [];
  const isTrue =
    data['emailTrackingId'] === email.trackingId &&
    data['subject'] === email.subject &&
    data['campaign'] === email.campaign &&
    (metadata?.sendKey ?? null) === email.key &&
    areSame(to, email.to);
  if (!isTrue) yield `the webhook ${id} (${type}) says something else of ${email.id} than is stored`;
}

function bareAddress(mailbox: unknown): string {
  return (/<([^>]*)>$/.exec(String(mailbox))?.[1] ?? String(mailbox)).toLowerCase();
}
