import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { Batcher } from '../../platform/database/batcher.js';
import { Database } from '../../platform/database/database.js';
import type { EmailResult } from '../../platform/queue/result-channel.js';
import { SigningKeyRing } from '../../links/signing-key-ring.js';
import { pixelUrlOf, trackedLinksOf, type TrackedLink } from '../../rendering/render-email.js';
import { DeliveryFailedError } from '../email-errors.js';
import { ID_AMONG } from '../email-id.sql.js';
import { RequestStillRunningError } from '../idempotency/idempotency-errors.js';
import { IdempotencyKeys, type FirstResponse, type StoredRequest } from '../idempotency/idempotency-keys.js';
import type { IdempotentRequest } from '../idempotency/idempotent-request.js';
import type { SuppressedRecipient } from '../recipients/suppressed-recipients.js';
import type { NewEmail } from './new-email.js';
import { readEnvelope, toSent, type Envelope, type ProgressRow, type SentResult } from './stored-response.js';

/** The send response of the contract; `status` is present only while delivery continues. */
export interface SendResponse {
  /** Assigned by the provider; null until it accepts the email. The email's own once its recipient is erased. */
  readonly id: string | null;
  readonly emailTrackingId: string;
  readonly from: string;
  readonly to: string[];
  readonly subject: string;
  readonly links: TrackedLink[];
  readonly pixelUrl: string;
  readonly status?: 'queued' | 'scheduled';
  /** Recipients that are left out; absent when there are none. */
  readonly suppressed?: readonly SuppressedRecipient[];
}

export interface SendOutcome {
  readonly emailId: string;
  readonly response: SendResponse;
}

/** A stored email, with its result so far. */
export interface StoredEmail {
  readonly email: NewEmail;
  /** The sender that applies. */
  readonly from: string;
  /** The recipients that are left out. */
  readonly suppressed: readonly SuppressedRecipient[];
  /** False when the request responds as soon as the email is stored. */
  readonly isAwaited: boolean;
  /** The final result, if it arrived in time. */
  readonly result: EmailResult | undefined;
}

const MAX_BATCH = 100;
const UNKNOWN_REASON = 'unknown reason';

/** Builds the response from the worker's result or from Postgres. */
@Injectable()
export class SendResponses {
  private readonly progress: Batcher<string, ProgressRow | undefined>;

  constructor(
    private readonly database: Database,
    private readonly keys: SigningKeyRing,
    private readonly idempotency: IdempotencyKeys,
    @Inject(SETTINGS) private readonly settings: RunSettings,
  ) {
    this.progress = new Batcher((ids) => this.readProgress(ids), { maxItems: MAX_BATCH });
  }

  /**
   * The first response to a repeated request; undefined when the request is the first with its key, or has none.
   * @throws DeliveryFailedError if the first response was a failure
   */
  async replay(organizationId: string, request: IdempotentRequest | undefined): Promise<SendOutcome | undefined> {
    const stored = request && (await this.idempotency.find(organizationId, request));
    return stored && this.ofStored(organizationId, request.key, stored);
  }

  /** The first response to the key, from the request that was faster than ours. */
  async ofOtherRequest(organizationId: string, request: IdempotentRequest): Promise<SendOutcome> {
    const stored = await this.idempotency.findOther(organizationId, request);
    return this.ofStored(organizationId, request.key, stored);
  }

  /**
   * The first response is built in the same way as a replay, so that both are equal. Without its key, which an erasure
   * deletes if it contains the address, there is no replay.
   */
  async first(organizationId: string, key: string, stored: StoredEmail): Promise<SendOutcome> {
    const first = await this.idempotency.decideFirst(organizationId, key);
    if (!first) return this.of(stored);
    return this.ofStored(organizationId, key, { emailId: stored.email.id, first });
  }

  /** @throws DeliveryFailedError when the email failed */
  async of({ email, from, suppressed, isAwaited, result }: StoredEmail): Promise<SendOutcome> {
    const end = result ?? (isAwaited ? toResult(await this.progress.call(email.id)) : undefined);
    if (end?.status === 'failed') throw new DeliveryFailedError(end.reason);
    const { id: emailId, trackingId, subject, recipients, baseUrl } = email;
    const isScheduled = email.sendAt !== undefined;
    const to = recipients.to.map(({ address }) => address);
    return { emailId, response: this.build({ trackingId, from, to, subject, suppressed, isScheduled, baseUrl }, end) };
  }

  private async ofStored(organizationId: string, key: string, { emailId, first }: StoredRequest): Promise<SendOutcome> {
    const decided = first ?? (await this.idempotency.decideFirst(organizationId, key));
    if (!decided) throw new RequestStillRunningError();
    return { emailId, response: await this.readAs(decided, emailId) };
  }

  /** 200 and 500 report the final status, 202 what was known then. */
  private async readAs({ status, failure }: FirstResponse, emailId: string): Promise<SendResponse> {
    if (status === 500) throw new DeliveryFailedError(failure ?? UNKNOWN_REASON);
    const stored = await readEnvelope(this.database, emailId, this.settings.BASE_URL);
    return this.build(stored.envelope, status === 200 ? toSent(stored.progress) : undefined);
  }

  /** Concurrent requests share a statement. */
  private async readProgress(emailIds: readonly string[]): Promise<(ProgressRow | undefined)[]> {
    const rows = await this.database.prepared<ProgressRow>(
      'read-progress',
      `select e.id, e.status, e.provider_id, e.last_error, array_to_json(l.urls) as urls
         from emails e left join email_links l on l.email_id = e.id where ${ID_AMONG}`,
      [emailIds],
    );
    const found = new Map(rows.map((row) => [row.id, row]));
    return emailIds.map((id) => found.get(id));
  }

  /** @param sent the delivery result; undefined while delivery continues */
  private build(
    { trackingId, from, to, subject, suppressed, isScheduled, baseUrl }: Envelope,
    sent: SentResult | undefined,
  ): SendResponse {
    return {
      id: sent?.providerId ?? null,
      emailTrackingId: trackingId,
      from,
      to,
      subject,
      links: trackedLinksOf(sent?.urls ?? [], trackingId, baseUrl, this.keys.current),
      pixelUrl: pixelUrlOf(trackingId, baseUrl),
      ...(!sent && { status: isScheduled ? ('scheduled' as const) : ('queued' as const) }),
      ...(suppressed.length > 0 && { suppressed }),
    };
  }
}

/** Undefined while delivery continues. */
function toResult(row: ProgressRow | undefined): EmailResult | undefined {
  switch (row?.status) {
    case 'sent':
      return toSent(row);
    case 'failed':
      return { status: 'failed', reason: row.last_error ?? UNKNOWN_REASON };
    default:
      return undefined;
  }
}
