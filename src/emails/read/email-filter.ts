import { InvalidFieldError } from '../../platform/errors/domain-error.js';
import { isWellFormed } from '../../platform/http/storable-text.js';
import { parseMailbox } from '../mailbox.js';

const STATUSES = ['queued', 'sending', 'sent', 'failed', 'tracked', 'canceled'] as const;

/** The filter of an email list. */
export interface EmailFilter {
  /** A campaign's name or ID. */
  readonly campaignId?: string;
  /** A bare address. */
  readonly recipient?: string;
  readonly status?: (typeof STATUSES)[number];
}

/** @throws InvalidFieldError for an invalid parameter */
export function readEmailFilter(query: Record<string, unknown>): EmailFilter {
  const { campaignId, recipient, status } = query;
  return {
    ...(campaignId !== undefined && { campaignId: readCampaign(campaignId) }),
    ...(recipient !== undefined && { recipient: readRecipient(recipient) }),
    ...(status !== undefined && { status: readStatus(status) }),
  };
}

function readCampaign(value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '' && isWellFormed(value)) return value.trim();
  throw new InvalidFieldError('campaignId', 'must be the name or ID of a campaign');
}

function readRecipient(value: unknown): string {
  const mailbox = typeof value === 'string' ? parseMailbox(value) : undefined;
  if (!mailbox) throw new InvalidFieldError('recipient', 'must be one email address');
  return mailbox.address;
}

function readStatus(value: unknown): (typeof STATUSES)[number] {
  const known = STATUSES.find((status) => status === value);
  if (!known) throw new InvalidFieldError('status', `must be one of ${STATUSES.join(', ')}`);
  return known;
}
