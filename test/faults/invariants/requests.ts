import type { Observations, ObservedSend, SendResponse, StoredEmail } from '../observations.js';
import { areSame, groupBy, type Allowance } from './invariant.js';

const FINAL_STATES = new Set(['sent', 'failed', 'canceled']);

/**
 * L1: every request eventually gets a correct response. Every email with a 2xx response is stored once, as requested,
 * and reaches a final state; a refused one is not stored.
 */
export function* requestsAreHonored(observations: Observations, allowance: Allowance): Iterable<string> {
  const stored = groupBy(observations.stored.emails, ({ key }) => key);
  for (const send of observations.sends) {
    const emails = stored.get(send.key) ?? [];
    if (isAccepted(send) && emails.length === 0) yield `${send.key} was accepted and is not stored`;
    if (isRefused(send) && emails.length > 0) yield `${send.key} was refused and is stored`;
    if (emails.length > 1) yield `${send.key} is stored ${emails.length} times`;
    for (const email of emails) yield* matchesRequest(send, email);
    for (const response of send.responses) yield* responseMatches(send, response, emails[0]);
    yield* respectsArchive(observations, send);
    stored.delete(send.key);
  }
  for (const [key, emails] of stored) yield `${emails.length} emails are stored without a request (${key})`;
  for (const email of observations.stored.emails) yield* reachesFinalState(email, observations, allowance);
  for (const { campaign, requestedAt, respondedAt } of observations.archives) {
    const row = observations.stored.campaigns.find(({ name }) => name === campaign);
    if (respondedAt !== undefined && !row?.archived) yield `${campaign} was archived at ${requestedAt} and is not`;
  }
  yield* observations.clientErrors;
}

export function isAccepted({ responses }: ObservedSend): boolean {
  return responses.some(({ status }) => status < 300);
}

/** Whether each attempt got a response that says that nothing was stored. */
function isRefused({ attempts, responses }: ObservedSend): boolean {
  return responses.length === attempts && responses.every(({ status }) => status >= 400 && status < 409);
}

function* matchesRequest({ key, message }: ObservedSend, email: StoredEmail): Iterable<string> {
  for (const field of ['to', 'cc', 'bcc'] as const) {
    if (!areSame(email[field], message[field])) yield `${key} is stored with ${field} ${email[field].join(', ')}`;
  }
  if (email.subject !== message.subject) yield `${key} is stored with a different subject`;
  if (email.campaign !== message.campaign) yield `${key} is stored in the campaign ${email.campaign}`;
  if (!areSame(email.contacts, message.to)) yield `${key} has the contacts ${email.contacts.join(', ')}`;
  if (email.status === 'sent' && !areSame(email.urls, message.urls)) yield `${key} is stored with other links`;
}

function* responseMatches(
  { key, message, retries }: ObservedSend,
  { status, email: returned, error }: SendResponse,
  email: StoredEmail | undefined,
): Iterable<string> {
  if (status >= 500 && error?.startsWith('Email delivery failed') && retries.confirmed + retries.unconfirmed === 0) {
    if (email?.status !== 'failed') yield `${key} got the response that its delivery failed, and is ${email?.status}`;
  }
  if (!returned || !email) return;
  if (returned.emailTrackingId !== email.trackingId) yield `${key} got a response with another tracking ID`;
  if (!returned.pixelUrl.endsWith(`/api/t/o/${email.trackingId}`)) yield `${key} got a response with another pixel`;
  if (returned.subject !== message.subject) yield `${key} got a response with another subject`;
  if (!areSame(returned.to, message.to)) yield `${key} got a response with other recipients`;
  if (status === 200) {
    const urls = returned.links.map(({ originalUrl }) => originalUrl);
    if (returned.id === null || returned.id !== email.providerId)
      yield `${key} got a response with the provider's ID ${returned.id}`;
    if (!areSame(urls, message.urls)) yield `${key} got a response with the links ${urls.join(', ')}`;
  } else if (returned.id !== null || !['queued', 'scheduled'].includes(returned.status ?? ''))
    yield `${key} got ${status} with the body of a sent email`;
}

/** An email that is sent during the archive request may be accepted or refused. */
function* respectsArchive({ archives }: Observations, { key, message, responses }: ObservedSend): Iterable<string> {
  const archive = archives.find(({ campaign }) => campaign === message.campaign);
  for (const { status, at, milliseconds } of responses) {
    const isAfterArchive = archive?.respondedAt !== undefined && at > archive.respondedAt;
    if (status < 300 && isAfterArchive) yield `${key} was accepted into an archived campaign`;
    const isBeforeArchive = !archive || at + milliseconds < archive.requestedAt;
    if (status === 400 && isBeforeArchive) yield `${key} got an unexpected 400`;
  }
}

function* reachesFinalState(
  email: StoredEmail,
  { providerRequests, unknownOutcomes }: Observations,
  { failures }: Allowance,
): Iterable<string> {
  const { id, status, outcomeUnknown } = email;
  if (!FINAL_STATES.has(status)) yield `${id} is still ${status}`;
  if (status !== 'failed') return;
  const lastOutcome = providerRequests.filter(({ emailId }) => emailId === id).at(-1)?.outcome;
  const isOutcomeUnknown = outcomeUnknown && failures === 'unknown' && (unknownOutcomes.get(id) ?? 0) > 1;
  if (failures !== 'any' && lastOutcome !== 'refused' && !isOutcomeUnknown) yield `${id} failed`;
}
