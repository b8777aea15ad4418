import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CLOCK, type Clock } from '../../../platform/clock/clock.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { BYTES_PER_VALUE } from '../../../platform/http/body-limits.js';
import { reserveForBody } from '../../../platform/http/json-bodies.js';
import { countJsonValues } from '../../../platform/http/json-structure.js';
import type { RawBody } from '../../../platform/http/request-check.js';
import { isStale } from '../call-age.js';
import type { EventAccount, EventCalls, ReadEvents } from '../event-calls.js';
import { parseBody, parseJson } from '../parse-body.js';
import { ProviderEventMetrics } from '../provider-event-metrics.js';
import { ProviderEvents } from '../provider-events.js';
import { CertificatesOfOwners } from './certificates-of-owners.js';
import { parseSesEvent } from './parse-ses-event.js';
import { isSignedWith, readSnsMessage, snsCertificateUrl, type SnsMessage } from './sns-message.js';
import { SnsSubscriptions } from './sns-subscriptions.js';

/** The limit of SNS for a message. */
export const SES_BODY: RawBody = { mediaType: 'text/plain', maxBytes: 256 * 1024 };
/** A message has about ten. The body of a stranger must be parsed to find out that it is not signed. */
const MAX_ENVELOPE_VALUES = 500;
/** An event has a few hundred: it lists the headers and recipients of its email. */
const MAX_EVENT_VALUES = 20_000;

/** SNS repeats a message for an hour at most. The rest allows for a wrong clock. */
const MAX_AGE_MS = 24 * 60 * 60_000;

class NoCertificateError extends DomainError {
  override readonly retryAfterSeconds = 30;

  constructor() {
    super('unavailable', 'The certificate of the signature could not be fetched: please send the message again');
  }
}

type Account = EventAccount<'ses'>;

/** Calls of Amazon SNS, which reports the events of SES. Headers are not signed, so they decide nothing. */
@Injectable()
export class SesCalls implements EventCalls<'ses'> {
  readonly body = SES_BODY;

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly certificates: CertificatesOfOwners,
    private readonly subscriptions: SnsSubscriptions,
    private readonly events: ProviderEvents,
    private readonly metrics: ProviderEventMetrics,
  ) {}

  admit(): void {}

  async verify(account: Account, request: FastifyRequest): Promise<ReadEvents> {
    const body = parseBody(request, MAX_ENVELOPE_VALUES) ?? this.events.refuseSignature(account, 'unsigned');
    const message = await this.check(account, body.parsed);
    if (message.type === 'Notification') return () => parseSesEvent(eventIn(request, message));
    return async () => [await this.subscriptions.handle(account, message)];
  }

  /** Reads a verified message. Fetches a certificate only if all else is right. @param value the parsed body */
  private async check(account: Account, value: unknown): Promise<SnsMessage> {
    const message = readSnsMessage(value);
    const url = message && snsCertificateUrl(message.certificateUrl);
    if (!message || !url) this.events.refuseSignature(account, 'unsigned');
    if (!account.keys.includes(message.topic)) this.events.refuseSignature(account, 'wrong-signature');
    if (isStale(message.time, this.clock.now(), MAX_AGE_MS)) this.events.refuseSignature(account, 'stale');
    const key = await this.certificates.keyOf(url, account.organizationId);
    if (!key) {
      this.metrics.countCall(account, 'no-certificate');
      throw new NoCertificateError();
    }
    if (!isSignedWith(key, message)) this.events.refuseSignature(account, 'wrong-signature');
    return message;
  }
}

/** The event in a message; undefined if it is none, such as the sentence by which SES tries a topic. */
function eventIn(request: FastifyRequest, { message }: SnsMessage): unknown {
  const json = Buffer.from(message);
  const values = countJsonValues(json, MAX_EVENT_VALUES + 1);
  if (values > MAX_EVENT_VALUES) return undefined;
  reserveForBody(request, json.length + values * BYTES_PER_VALUE);
  return parseJson(json);
}
