import { isUtf8 } from 'node:buffer';
import { isEnhancedStatus } from '../../../providers/enhanced-status.js';
import { BOUNCE_KINDS, RECIPIENT_FACTS, type RecipientEvent, type SuppressionReason } from '../../recipient-event.js';

/**
 * The fields of a recipient event's record after the head that all records share:
 *
 *     fact u8, bounce u8, suppression u8   places in the lists below, counted from 1; 0 for none
 *     recipient kind u8, number u16        0: the number is the position; 1: the number is the address' length
 *     status length u8                     0 for none
 *     address (UTF-8), status (ASCII), and up to the record's end the reason (UTF-8)
 *
 * Codes are stored, so new facts, kinds and reasons go to the end of their lists.
 */
const SUPPRESSIONS = ['bounce', 'complaint', 'unsubscribe', 'manual'] as const satisfies readonly SuppressionReason[];
const POSITION = 0;
const ADDRESS = 1;
const FIXED_BYTES = 7;
const MAX_NUMBER = 0xffff;
/** Longer reasons are cut: some servers send whole conversations. */
const MAX_REASON_BYTES = 1_000;
const PRINTABLE_ASCII = /^[\x21-\x7e]*$/;

const encoder = new TextEncoder();
const scratch = new Uint8Array(MAX_REASON_BYTES);

/**
 * The length of what follows the head.
 * @throws RangeError when a field does not fit the format
 */
export function recipientLength({ email, recipient, smtpStatus, reason }: RecipientEvent): number {
  const isAddress = typeof recipient === 'string';
  const number = isAddress ? Buffer.byteLength(recipient) : recipient;
  if (!(number >= 0 && number <= MAX_NUMBER)) throw new RangeError('The recipient is out of range');
  if (!PRINTABLE_ASCII.test(email)) throw new RangeError('The email must be an ID or a tracking ID');
  return FIXED_BYTES + (isAddress ? number : 0) + storedStatus(smtpStatus).length + reasonLength(reason ?? '');
}

/** Returns the end of the record. */
export function writeRecipient(target: Buffer, start: number, event: RecipientEvent): number {
  const { recipient } = event;
  const isAddress = typeof recipient === 'string';
  const status = storedStatus(event.smtpStatus);
  let at = start;
  target[at++] = codeOf(RECIPIENT_FACTS, event.fact);
  target[at++] = codeOf(BOUNCE_KINDS, event.bounce);
  target[at++] = codeOf(SUPPRESSIONS, event.suppression);
  target[at++] = isAddress ? ADDRESS : POSITION;
  at = target.writeUInt16BE(isAddress ? Buffer.byteLength(recipient) : recipient, at);
  target[at++] = status.length;
  if (isAddress) at += target.write(recipient, at);
  at += target.write(status, at, 'latin1');
  // Writes whole characters only.
  return at + target.write(event.reason ?? '', at, Math.min(MAX_REASON_BYTES, target.length - at));
}

/** @returns undefined when the bytes are malformed, and 'unknown' when a code is of a newer build */
export function readRecipient(
  source: Buffer,
  start: number,
  end: number,
  of: Pick<RecipientEvent, 'id' | 'email'>,
): RecipientEvent | 'unknown' | undefined {
  const addressStart = start + FIXED_BYTES;
  if (addressStart > end) return undefined;
  const kind = source[start + 3];
  const number = source.readUInt16BE(start + 4);
  const statusStart = addressStart + (kind === ADDRESS ? number : 0);
  const reasonStart = statusStart + source[start + 6]!;
  if (kind !== POSITION && kind !== ADDRESS) return 'unknown';
  if (reasonStart > end || end - reasonStart > MAX_REASON_BYTES || !PRINTABLE_ASCII.test(of.email)) return undefined;
  if (!isUtf8(source.subarray(addressStart, statusStart)) || !isUtf8(source.subarray(reasonStart, end)))
    return undefined;
  const smtpStatus = source.toString('latin1', statusStart, reasonStart);
  if (smtpStatus !== storedStatus(smtpStatus)) return undefined;
  const fact = RECIPIENT_FACTS[source[start]! - 1];
  const bounce = BOUNCE_KINDS[source[start + 1]! - 1];
  const suppression = SUPPRESSIONS[source[start + 2]! - 1];
  if (!fact || (source[start + 1] && !bounce) || (source[start + 2] && !suppression)) return 'unknown';
  return {
    type: 'recipient',
    ...of,
    recipient: kind === ADDRESS ? source.toString('utf8', addressStart, statusStart) : number,
    fact,
    ...(bounce && { bounce }),
    ...(suppression && { suppression }),
    ...(smtpStatus !== '' && { smtpStatus }),
    ...(end > reasonStart && { reason: source.toString('utf8', reasonStart, end) }),
  };
}

/** Sources pass on text from servers. Anything that is not an enhanced status code is not stored. */
function storedStatus(status: string | undefined): string {
  return status !== undefined && isEnhancedStatus(status) ? status : '';
}

/** The bytes of the whole characters that fit. */
function reasonLength(reason: string): number {
  const bytes = Buffer.byteLength(reason);
  return bytes <= MAX_REASON_BYTES ? bytes : encoder.encodeInto(reason, scratch).written;
}

function codeOf<Name>(names: readonly Name[], name: Name | undefined): number {
  return name === undefined ? 0 : names.indexOf(name) + 1;
}
