import { InvalidFieldError } from '../../platform/errors/domain-error.js';
import { isWellFormed } from '../../platform/http/storable-text.js';
import { readTime } from '../../platform/http/time-parameter.js';
import { isTag } from '../accept/field-rules.js';
import { RECIPIENT_STATES, type RecipientState } from '../recipients/recipient-state.js';
import { EMAIL_STATUSES, type EmailStatus } from '../email-status.js';
import { parseMailbox } from '../mailbox.js';

const MIN_SEARCH = 2;
/** The longest address. */
const MAX_SEARCH = 254;

/** The filter of an email list. */
export interface EmailFilter {
  /** A campaign's name or ID. */
  readonly campaignId?: string;
  /** A bare address. */
  readonly recipient?: string;
  readonly status?: EmailStatus;
  readonly tag?: string;
  /** A bare address. */
  readonly from?: string;
  /** The earliest time of acceptance, in milliseconds. */
  readonly since?: number;
  /** The end of the range, exclusive, in milliseconds. */
  readonly until?: number;
  /** Part of a recipient's address or of the subject, in upper or lower case. */
  readonly search?: string;
  /** The state of at least one recipient. */
  readonly state?: RecipientState;
}

/** @throws InvalidFieldError for an invalid parameter */
export function readEmailFilter(query: Record<string, unknown>): EmailFilter {
  const { campaignId, recipient, status, tag, from, since, until, state, search } = query;
  return {
    ...(campaignId !== undefined && { campaignId: readCampaign(campaignId) }),
    ...(recipient !== undefined && { recipient: readAddress('recipient', recipient) }),
    ...(status !== undefined && { status: readStatus(status) }),
    ...(tag !== undefined && { tag: readTag(tag) }),
    ...(from !== undefined && { from: readAddress('from', from) }),
    ...(since !== undefined && { since: readTime('since', since) }),
    ...(until !== undefined && { until: readTime('until', until) }),
    ...(state !== undefined && { state: readState(state) }),
    ...(search !== undefined && { search: readSearch(search) }),
  };
}

function readCampaign(value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '' && isWellFormed(value)) return value.trim();
  throw new InvalidFieldError('campaignId', 'must be the name or ID of a campaign');
}

function readAddress(field: string, value: unknown): string {
  const mailbox = typeof value === 'string' ? parseMailbox(value) : undefined;
  if (!mailbox) throw new InvalidFieldError(field, 'must be one email address');
  return mailbox.address;
}

function readStatus(value: unknown): EmailStatus {
  const known = EMAIL_STATUSES.find((status) => status === value);
  if (!known) throw new InvalidFieldError('status', `must be one of ${EMAIL_STATUSES.join(', ')}`);
  return known;
}

function readTag(value: unknown): string {
  if (isTag(value)) return value;
  throw new InvalidFieldError('tag', 'must be a single tag');
}

function readSearch(value: unknown): string {
  const text = typeof value === 'string' && isWellFormed(value) ? value.trim() : '';
  if (text.length >= MIN_SEARCH && text.length <= MAX_SEARCH) return text;
  throw new InvalidFieldError('search', `must have ${MIN_SEARCH} to ${MAX_SEARCH} characters`);
}

function readState(value: unknown): RecipientState {
  const known = RECIPIENT_STATES.find((state) => state === value);
  if (!known) throw new InvalidFieldError('state', `must be one of ${RECIPIENT_STATES.join(', ')}`);
  return known;
}
