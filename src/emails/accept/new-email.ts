import type { Recipients } from './recipients.js';
import type { SenderChoice } from './sender.js';

/** An email that passed every check, ready to be stored. */
export interface NewEmail {
  readonly id: string;
  readonly trackingId: string;
  readonly organizationId: string;
  readonly campaignId: string | null;
  /** `queued` for mail that we deliver, `tracked` for mail that somebody else delivers. */
  readonly status: 'queued' | 'tracked';
  readonly sender: SenderChoice;
  readonly recipients: Recipients;
  readonly subject: string;
  /** What is rendered: HTML, MJML already compiled. */
  readonly html: string;
  readonly metadata: Record<string, unknown> | null;
  /** Tracked destinations, once they are known. */
  readonly urls: readonly string[] | null;
  readonly createdAt: Date;
}
