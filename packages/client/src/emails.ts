import type {
  AcceptedEmail,
  BatchRequest,
  BatchResponse,
  CanceledEmail,
  ClickMap,
  Email,
  EmailEvent,
  EmailEventList,
  EmailList,
  EmailSummary,
  EmailTimeline,
  RescheduleRequest,
  SendRequest,
  SentEmail,
  TimelineEntry,
  TrackedEmail,
  TrackRequest,
} from './api-types.js';
import { listOf } from './list-of.js';
import type { Pages } from './pages.js';
import { path } from './path.js';
import type { Query } from './query.js';
import { randomId } from './random-id.js';
import type { Call, CallOptions } from './call.js';
import type { Transport } from './transport.js';

export interface OnceOptions extends CallOptions {
  /**
   * Calls with the same key take effect once, for 24 hours, even from different processes. Without it, each call
   * creates its own key.
   */
  readonly idempotencyKey?: string;
}

export interface SendOptions extends OnceOptions {
  /** Do not wait for the provider: the email is stored and `queued` when the call returns. */
  readonly respondAsync?: boolean;
}

/** `client.emails` */
export class Emails {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Sends an email and tracks it. The result has a `status` while the provider has not decided (`queued`, `scheduled`).
   */
  send(email: SendRequest, options?: SendOptions): Promise<SentEmail | AcceptedEmail> {
    const prefer = options?.respondAsync ? { prefer: 'respond-async' } : undefined;
    return this.#transport.json(once('/api/send', email, options, prefer));
  }

  /** Sends 1 to 500 emails. The result has an entry for each, in order: the email, or the error of a bad one. */
  sendBatch(emails: BatchRequest['emails'], options?: OnceOptions): Promise<BatchResponse> {
    return this.#transport.json(once('/api/send/batch', { emails }, options));
  }

  /** Tracks an email that another provider sends. */
  track(email: TrackRequest, options?: OnceOptions): Promise<TrackedEmail> {
    return this.#transport.json(once('/api/emails', email, options));
  }

  /** Emails, newest first. */
  list(query?: Query<'listEmails'>, options?: CallOptions): Pages<EmailSummary> {
    return listOf(this.#transport, { path: '/api/emails', query, options }, (body: EmailList) => body.emails);
  }

  /** The emails that match a filter, as a CSV file that can be read while it arrives. */
  export(query?: Query<'exportEmails'>, options?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    return this.#transport.stream({ method: 'GET', path: '/api/emails/export', query, options });
  }

  /** @param id the `emailTrackingId` that sending returned, or the ID that lists have */
  get(id: string, options?: CallOptions): Promise<Email> {
    return this.#transport.json({ method: 'GET', path: path`/api/emails/${id}`, options });
  }

  /** Reschedules an email. */
  reschedule(id: string, body: RescheduleRequest, options?: CallOptions): Promise<Email> {
    return this.#transport.json({
      method: 'PATCH',
      path: path`/api/emails/${id}`,
      body,
      isRepeatable: true,
      earlierResult: async (status) => {
        const email = status === 409 ? await this.get(id, options) : undefined;
        return email && isRescheduled(email, body) ? email : undefined;
      },
      options,
    });
  }

  /** Queues a failed email again. */
  retry(id: string, options?: CallOptions): Promise<Email> {
    return this.#transport.json({ method: 'POST', path: path`/api/emails/${id}/retry`, options });
  }

  /** Cancels an email that no worker has begun to send. */
  cancel(id: string, options?: CallOptions): Promise<CanceledEmail> {
    return this.#transport.json({ method: 'POST', path: path`/api/emails/${id}/cancel`, options });
  }

  /**
   * The HTML that recipients see, without the pixel and with links that lead nowhere, or the text of a text-only email
   * as HTML; with `part: 'text'` the text part.
   */
  async preview(id: string, query?: Query<'previewEmail'>, options?: CallOptions): Promise<string> {
    const call = { method: 'GET', path: path`/api/emails/${id}/preview`, query, options } as const;
    return this.#transport.text(call);
  }

  /** The clicks on its links, and its HTML. Show it in a sandbox. */
  clickMap(id: string, options?: CallOptions): Promise<ClickMap> {
    return this.#transport.json({ method: 'GET', path: path`/api/emails/${id}/click-map`, options });
  }

  /** Opens and clicks, newest first. */
  events(id: string, query?: Query<'listEmailEvents'>, options?: CallOptions): Pages<EmailEvent> {
    const call = { path: path`/api/emails/${id}/events`, query, options };
    return listOf(this.#transport, call, (body: EmailEventList) => body.events);
  }

  /** Everything that happened to the email, oldest first. */
  timeline(id: string, query?: Query<'getEmailTimeline'>, options?: CallOptions): Pages<TimelineEntry> {
    const call = { path: path`/api/emails/${id}/timeline`, query, options };
    return listOf(this.#transport, call, (body: EmailTimeline) => body.timeline);
  }
}

/**
 * True if the email was rescheduled as requested before it left; the service replaces a time that has passed
 * by its own.
 */
function isRescheduled({ sendAt, status }: Email, requested: RescheduleRequest): boolean {
  const time = Date.parse(requested.sendAt);
  return (sendAt !== null && Date.parse(sendAt) === time) || (time <= Date.now() && status !== 'canceled');
}

/** A call that takes effect once, no matter how often it is repeated. */
function once(route: string, body: object, options: OnceOptions | undefined, headers?: Record<string, string>): Call {
  const key = { 'idempotency-key': options?.idempotencyKey ?? randomId() };
  return { method: 'POST', path: route, body, headers: { ...key, ...headers }, isRepeatable: true, options };
}
