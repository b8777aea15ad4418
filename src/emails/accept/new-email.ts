import type { StoredAttachment } from '../attachments/attachment.js';
import type { MessageHeaders } from './message-headers.js';
import type { Recipients } from './recipients.js';
import type { EmailRequest } from './send-request.js';
import type { SenderChoice } from './sender.js';

/** Data that a sender attaches to an email for its own use. */
export type EmailLabels = Pick<NewEmail, 'metadata' | 'tags'>;

/** A validated email, ready to be stored. */
export interface NewEmail {
  readonly id: string;
  readonly trackingId: string;
  readonly organizationId: string;
  readonly campaignId: string | null;
  /** `queued` for mail that we deliver, `tracked` for mail that another provider delivers. */
  readonly status: 'queued' | 'tracked';
  readonly sender: SenderChoice;
  readonly recipients: Recipients;
  readonly subject: string;
  /** The HTML to render, with MJML already compiled. Empty for an email that is only text. */
  readonly html: string;
  /** The text part; null to derive it from the HTML. */
  readonly text: string | null;
  readonly headers: MessageHeaders | null;
  readonly attachments: readonly StoredAttachment[];
  /** Without duplicates. Null when there are none. */
  readonly tags: readonly string[] | null;
  /** True when its only recipient may unsubscribe from mail like this. */
  readonly unsubscribe: boolean;
  readonly metadata: Record<string, unknown> | null;
  /** Tracked destinations, once they are known. */
  readonly urls: readonly string[] | null;
  readonly createdAt: Date;
  /** Address with which its links begin. */
  readonly baseUrl: string;
  /** When it is to be sent; absent for at once. */
  readonly sendAt?: Date;
}

export function labelsOf({ metadata, tags = [] }: EmailRequest): EmailLabels {
  return { metadata: metadata ?? null, tags: tags.length > 0 ? [...new Set(tags)] : null };
}
