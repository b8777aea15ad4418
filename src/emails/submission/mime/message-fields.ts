import { addressParser, decodeWords, type Address } from 'postal-mime';
import { addressKey, formatMailbox } from '../../mailbox.js';
import { InvalidFieldError } from '../../../platform/errors/domain-error.js';
import type { HeaderField } from './header-fields.js';
import { MessageProblem } from './message-problem.js';

/** What the header of a message says, in the fields of POST /api/send. */
export interface MimeMessageFields {
  readonly from: string;
  readonly replyTo?: string;
  readonly subject: string;
  readonly campaignId?: string;
  readonly tags?: readonly string[];
  readonly metadata?: unknown;
  readonly unsubscribe?: boolean;
  /** Identifies the message, with angle brackets. */
  readonly messageId?: string;
  /** The fields that are sent on, by name. */
  readonly headers: Readonly<Record<string, string>>;
}

const MAX_MAILBOX_LENGTH = 2_000;
const MAX_VALUE_LENGTH = 900;
const MESSAGE_ID = /^<[\x21-\x3b\x3d\x3f-\x7e]{1,200}@[\x21-\x3b\x3d\x3f-\x7e]{1,200}>$/;
const OURS = 'x-mailbeacon-';
/** Fields that say what our own messages say themselves, or how a message came to us. */
const REPLACED = new Set([
  ...['from', 'sender', 'to', 'cc', 'bcc', 'reply-to', 'subject', 'date', 'mime-version', 'return-path', 'received'],
  ...['dkim-signature', 'domainkey-signature', 'x-google-dkim-signature', 'authentication-results', 'received-spf'],
  'message-id',
  ...['delivered-to', 'x-received', 'apparently-to'],
]);
const REPLACED_GROUPS = /^(content|resent|arc)-/;
const THREADING = new Set(['in-reply-to', 'references']);
/** Our own take their place. */
const UNSUBSCRIBE = ['list-unsubscribe', 'list-unsubscribe-post'];

/** Devices and scripts send messages without a subject, but providers take none. Mail programs show the same words. */
const NO_SUBJECT = '(no subject)';

/**
 * Translates the header of a message.
 * @param domain of the sender in the envelope, for a sender without one in the header, as of cron (RFC 6409, 8.8)
 * @throws MessageProblem, InvalidFieldError
 */
export function readMimeMessageFields(fields: readonly HeaderField[], domain?: string): MimeMessageFields {
  const header = new Header(fields);
  const from = header.mailbox('from', domain);
  if (from === undefined) throw new MessageProblem('The message has no From field');
  const replyTo = header.mailbox('reply-to');
  const unsubscribe = header.flag(`${OURS}unsubscribe`);
  const messageId = header.only('message-id') ?? '';
  return {
    from,
    ...(replyTo !== undefined && { replyTo }),
    subject: decodeWords(header.only('subject') ?? '').trim() || NO_SUBJECT,
    ...header.labels(),
    ...(MESSAGE_ID.test(messageId) && { messageId }),
    ...(unsubscribe && { unsubscribe }),
    headers: header.sentOn(unsubscribe ? UNSUBSCRIBE : []),
  };
}

class Header {
  /** By their lower-case names, in order. */
  private readonly byName = new Map<string, HeaderField[]>();

  constructor(fields: readonly HeaderField[]) {
    for (const field of fields) {
      const name = field.name.toLowerCase();
      const known = this.byName.get(name);
      if (known) known.push(field);
      else this.byName.set(name, [field]);
    }
  }

  /** @throws MessageProblem if the field has several values */
  only(name: string): string | undefined {
    const [first, second] = this.valuesOf(name);
    if (second === undefined) return first;
    throw new MessageProblem(`The message has more than one ${this.byName.get(name)![0]!.name} field`);
  }

  /** Each once: scripts add fields that their mail program adds, too. */
  private valuesOf(name: string): string[] {
    return [...new Set(this.byName.get(name)?.map(({ value }) => value))];
  }

  mailbox(name: string, domain?: string): string | undefined {
    const value = this.only(name);
    if (value === undefined || value === '') return undefined;
    const addresses = value.length > MAX_MAILBOX_LENGTH ? [] : addressParser(value, { flatten: true });
    const [only] = addresses;
    const isOne = new Set(addresses.map(({ address = '' }) => addressKey(address))).size === 1;
    if (addresses.length === 1 && !only!.address?.includes('@')) return completed(only!, name, domain);
    if (!only?.address || !isOne) throw new MessageProblem(`${labelOf(name)} must have exactly one address`);
    return formatMailbox({ address: only.address, ...(only.name && { name: only.name }) });
  }

  flag(name: string): boolean {
    const value = this.only(name)?.toLowerCase();
    if (value === undefined || value === 'false') return false;
    if (value === 'true') return true;
    throw new InvalidFieldError(labelOf(name), 'must be true or false');
  }

  labels(): Pick<MimeMessageFields, 'campaignId' | 'tags' | 'metadata'> {
    for (const name of this.byName.keys()) {
      if (name.startsWith(OURS) && !['campaign', 'tags', 'metadata', 'unsubscribe'].includes(name.slice(OURS.length)))
        throw new MessageProblem(`${this.byName.get(name)![0]!.name} is none of our fields`);
    }
    const campaign = this.only(`${OURS}campaign`);
    const tags = this.only(`${OURS}tags`);
    const metadata = this.only(`${OURS}metadata`);
    return {
      ...(campaign !== undefined && { campaignId: decodeWords(campaign) }),
      ...(tags !== undefined && { tags: tags.split(/[\s,]+/).filter((tag) => tag !== '') }),
      ...(metadata !== undefined && { metadata: parseMetadata(decodeWords(metadata)) }),
    };
  }

  /** @param replaced names of further fields that are left out */
  sentOn(replaced: readonly string[]): Record<string, string> {
    const sent: [name: string, value: string][] = [];
    for (const [name, [field]] of this.byName) {
      if (REPLACED.has(name) || REPLACED_GROUPS.test(name) || name.startsWith(OURS) || replaced.includes(name))
        continue;
      const values = this.valuesOf(name).filter((one) => one !== '');
      const value = THREADING.has(name) ? readIds(values.join(' ')) : encodeWords(values.join(', '));
      if (value !== '') sent.push([field!.name, value]);
    }
    return Object.fromEntries(sent);
  }
}

/** The address with the domain. The parser takes a word alone for a name. */
function completed({ address = '', name }: Address, field: string, domain?: string): string {
  const local = address || name;
  if (!domain || /\s/.test(local))
    throw new MessageProblem(`${labelOf(field)} must have an address with a domain, like root@example.com`);
  return formatMailbox({ address: `${local}@${domain}`, ...(address && name && { name }) });
}

/** Words without an ID, which early programs wrote, are left out (RFC 5322, 4.5.4). */
function readIds(written: string): string {
  const ids = written.match(/<[^\s<>@]+@[^\s<>@]+>/g) ?? [];
  const [first = ''] = ids;
  // Of a long thread, the first and the latest messages count (RFC 5322, 3.6.4, allows to leave out others).
  let [from, length] = [ids.length, first.length];
  while (from > 1 && length + 1 + ids[from - 1]!.length <= MAX_VALUE_LENGTH) length += 1 + ids[--from]!.length;
  return [first, ...ids.slice(Math.max(from, 1))].join(' ');
}

/** Text beyond ASCII, which programs may send as it is, as encoded words (RFC 2047). */
function encodeWords(value: string): string {
  if (/^[\x20-\x7e]*$/.test(value)) return value;
  const pieces = value.match(/[^]{1,10}/gu) ?? [];
  return pieces.map((piece) => `=?utf-8?B?${Buffer.from(piece).toString('base64')}?=`).join(' ');
}

function parseMetadata(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidFieldError('X-Mailbeacon-Metadata', 'must be JSON');
  }
}

/** As in documentation: Reply-To. */
function labelOf(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
