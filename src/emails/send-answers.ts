import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { SigningKeyRing } from '../organizations/signing-key-ring.js';
import { pixelUrlOf, trackedLinksOf, type TrackedLink } from '../rendering/render-email.js';
import type { NewEmail } from './accepted-emails.js';
import { DeliveryFailedError } from './email-errors.js';

/** The send response of the contract; `status` is added while the email is still under way. */
export interface SendAnswer {
  /** Given by the provider; null until it accepted. */
  readonly id: string | null;
  readonly emailTrackingId: string;
  readonly from: string;
  readonly to: string[];
  readonly subject: string;
  readonly links: TrackedLink[];
  readonly pixelUrl: string;
  readonly status?: 'queued';
}

interface ProgressRow {
  status: string;
  provider_id: string | null;
  last_error: string | null;
  urls: string[] | null;
}

/** Tells the API client how far its email came, from what Postgres knows. */
@Injectable()
export class SendAnswers {
  constructor(
    private readonly database: Database,
    private readonly keys: SigningKeyRing,
    @Inject(SETTINGS) private readonly settings: RunSettings,
  ) {}

  /** @throws DeliveryFailedError when the email failed */
  async read(email: NewEmail): Promise<SendAnswer> {
    const [progress] = await this.database.prepared<ProgressRow>(
      'read-progress',
      `select e.status, e.provider_id, e.last_error, l.urls
         from emails e left join email_links l on l.email_id = e.id where e.id = $1`,
      [email.id],
    );
    if (progress?.status === 'failed') throw new DeliveryFailedError(progress.last_error ?? 'unknown reason');
    const sent = progress?.status === 'sent';
    return {
      id: sent ? progress.provider_id : null,
      emailTrackingId: email.trackingId,
      from: email.from,
      to: email.recipients.to.map(({ address }) => address),
      subject: email.subject,
      links: this.links(email.trackingId, progress?.urls ?? []),
      pixelUrl: pixelUrlOf(email.trackingId, this.baseUrl),
      ...(!sent && { status: 'queued' as const }),
    };
  }

  private links(trackingId: string, urls: readonly string[]): TrackedLink[] {
    return trackedLinksOf(urls, trackingId, this.baseUrl, this.keys.current);
  }

  private get baseUrl(): string {
    return this.settings.BASE_URL;
  }
}
