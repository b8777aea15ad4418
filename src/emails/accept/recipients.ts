import { InvalidFieldError } from '../../platform/errors/domain-error.js';
import { InternationalAddressError, RecipientsSuppressedError } from '../email-errors.js';
import { addressKey, hasInternationalLocalPart, parseMailbox, type ParsedMailbox } from '../mailbox.js';
import type { SuppressedRecipient } from '../recipients/suppressed-recipients.js';
import { plainName } from './plain-text.js';

const MAX_RECIPIENTS = 50;

export interface Recipients {
  readonly to: readonly ParsedMailbox[];
  readonly cc: readonly ParsedMailbox[];
  readonly bcc: readonly ParsedMailbox[];
}

/** The recipient fields of a request: one address or several each. */
export interface RecipientFields {
  readonly to: string | string[];
  readonly cc?: string | string[];
  readonly bcc?: string | string[];
}

/** @throws InvalidFieldError if the text is not one plain mailbox with a plain name */
export function readMailbox(field: string, text: string): ParsedMailbox {
  const mailbox = parseMailbox(text);
  if (!mailbox && hasInternationalLocalPart(text)) throw new InternationalAddressError(field);
  if (!mailbox)
    throw new InvalidFieldError(field, 'must be one email address like jane@example.com or Jane <jane@example.com>');
  const name = plainName(field, mailbox.name ?? '');
  return { ...(name && { name }), address: mailbox.address };
}

/**
 * Reads the three recipient fields. A repeated address stays where it comes first: to, cc, bcc.
 * @throws InvalidFieldError for an invalid address, for no address in `to` and for too many in total
 */
export function readRecipients(request: RecipientFields): Recipients {
  const fields = { to: asList(request.to), cc: asList(request.cc), bcc: asList(request.bcc) };
  const count = fields.to.length + fields.cc.length + fields.bcc.length;
  // The limit counts distinct addresses; this bound only keeps a huge list of duplicates from costing time.
  if (count > MAX_RECIPIENTS * 20) throw tooMany();
  const seen = new Set<string>();
  const read = (field: 'to' | 'cc' | 'bcc') =>
    fields[field]
      .map((text, index) => readMailbox(fields[field].length === 1 ? field : `${field}.${index}`, text))
      .filter(({ address }) => !seen.has(addressKey(address)) && seen.add(addressKey(address)));
  const recipients = { to: read('to'), cc: read('cc'), bcc: read('bcc') };
  if (recipients.to.length === 0) throw new InvalidFieldError('to', 'must name at least one address');
  if (seen.size > MAX_RECIPIENTS) throw tooMany();
  return recipients;
}

/**
 * One recipient must not unsubscribe another.
 * @throws InvalidFieldError
 */
export function requireOneRecipient({ to, cc, bcc }: Recipients): void {
  if (to.length + cc.length + bcc.length === 1) return;
  throw new InvalidFieldError('unsubscribe', 'needs exactly one recipient in to, cc and bcc together');
}

/** @throws RecipientsSuppressedError when every address of `to` is suppressed */
export function requireRecipientLeft({ to }: Recipients, suppressed: readonly SuppressedRecipient[]): void {
  const inTo = suppressed.filter((one) => to.some(({ address }) => address === one.address));
  if (inTo.length === to.length) throw new RecipientsSuppressedError(inTo);
}

function tooMany(): InvalidFieldError {
  return new InvalidFieldError('to', `must name at most ${MAX_RECIPIENTS} addresses, including cc and bcc`);
}

function asList(addresses: string | string[] | undefined): string[] {
  return typeof addresses === 'string' ? [addresses] : (addresses ?? []);
}
