import { InvalidFieldError } from '../../platform/errors/domain-error.js';
import { addressKey, parseMailbox, type ParsedMailbox } from '../mailbox.js';
import { plainName } from './plain-text.js';

export const MAX_RECIPIENTS = 50;

export interface Recipients {
  readonly to: readonly ParsedMailbox[];
  readonly cc: readonly ParsedMailbox[];
  readonly bcc: readonly ParsedMailbox[];
}

/** One address or several, as requests give them. */
export interface RecipientFields {
  readonly to: string | string[];
  readonly cc?: string | string[];
  readonly bcc?: string | string[];
}

/** @throws InvalidFieldError naming the field when the text is not one plain mailbox with a plain name */
export function readMailbox(field: string, text: string): ParsedMailbox {
  const mailbox = parseMailbox(text);
  if (!mailbox)
    throw new InvalidFieldError(field, 'must be one email address like jane@example.com or Jane <jane@example.com>');
  const name = plainName(field, mailbox.name ?? '');
  return { ...(name && { name }), address: mailbox.address };
}

/**
 * Reads the three recipient fields. An address that is repeated stays where it comes first: to, cc, bcc.
 * @throws InvalidFieldError for a text that is no address, for none in `to` and for too many in all
 */
export function readRecipients(request: RecipientFields): Recipients {
  const fields = { to: asList(request.to), cc: asList(request.cc), bcc: asList(request.bcc) };
  const count = fields.to.length + fields.cc.length + fields.bcc.length;
  // Repeats are removed before the limit counts, but nobody needs to repeat himself a thousand times.
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

function tooMany(): InvalidFieldError {
  return new InvalidFieldError('to', `must name at most ${MAX_RECIPIENTS} addresses, cc and bcc counted`);
}

function asList(addresses: string | string[] | undefined): string[] {
  return typeof addresses === 'string' ? [addresses] : (addresses ?? []);
}
