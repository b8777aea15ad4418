import { InvalidFieldError } from '../../platform/errors/domain-error.js';

/** A name and this many characters fit into one line of 998 (RFC 5322, 2.1.1), which can end only at a blank. */
const MAX_WORD = 900;
const PRINTABLE = /^ *[\x21-\x7e][\x20-\x7e]*$/;
const MESSAGE_IDS = /^\s*(?:<[^\s<>@]+@[^\s<>@]+>\s*)+$/;
const NAMES = ['references', 'in-reply-to', 'auto-submitted', 'precedence'];
/**
 * Headers that carry our own values, or that mail services interpret as commands: a client could replace the recipients
 * of a message, or have it tracked a second time.
 */
const RESERVED = /^x-(mailbeacon|smtpapi|sg|ses|mailgun|mc|mj|msys|pm|mailin|resend)(-|$)/;

/** Custom headers of the sender, by name. */
export type MessageHeaders = Readonly<Record<string, string>>;

/** Which headers a message may have. */
interface HeaderRules {
  readonly max: number;
  readonly maxValue: number;
  readonly name: RegExp;
  /** @param key name in lower case */
  readonly allows: (key: string) => boolean;
}

const OF_REQUESTS: HeaderRules = {
  max: 20,
  maxValue: MAX_WORD,
  name: /^[A-Za-z][A-Za-z0-9-]{0,75}$/,
  allows: (key) => /^x-[a-z0-9]/.test(key) || NAMES.includes(key),
};

/** Mail programs and relays add many fields. Those that we write ourselves are left out before. */
const OF_MIME: HeaderRules = {
  max: 50,
  // Such as Autocrypt, which has a public key.
  maxValue: 10_000,
  name: /^[A-Za-z][A-Za-z0-9_-]{0,75}$/,
  allows: () => true,
};

/**
 * Checks headers that are added to a message unchanged.
 * @returns null when there are none
 * @throws InvalidFieldError
 */
export function readHeaders(headers: Readonly<Record<string, unknown>> | undefined): MessageHeaders | null {
  return check(headers, OF_REQUESTS);
}

/** The same for the header of a MIME message, without the fields that we write ourselves. @throws InvalidFieldError */
export function readMimeHeaders(headers: Readonly<Record<string, string>>): MessageHeaders | null {
  return check(headers, OF_MIME);
}

function check(headers: Readonly<Record<string, unknown>> | undefined, rules: HeaderRules): MessageHeaders | null {
  const entries = Object.entries(headers ?? {});
  if (entries.length === 0) return null;
  if (entries.length > rules.max) {
    throw new InvalidFieldError('headers', `must have at most ${rules.max} entries`);
  }
  const names = new Set<string>();
  for (const [name, value] of entries) {
    const key = requireName(name, rules);
    if (names.has(key)) throw new InvalidFieldError(`headers.${name}`, 'must be given once; header names ignore case');
    names.add(key);
    requireValue(name, value, rules);
  }
  return headers as MessageHeaders;
}

function requireName(name: string, { name: pattern, allows }: HeaderRules): string {
  if (!pattern.test(name)) {
    throw new InvalidFieldError('headers', 'must have names of at most 76 letters, digits and hyphens');
  }
  const key = name.toLowerCase();
  if (RESERVED.test(key)) throw new InvalidFieldError(`headers.${name}`, 'is reserved for mail services');
  if (allows(key)) return key;
  throw new InvalidFieldError(
    `headers.${name}`,
    'is not allowed: only X-…, References, In-Reply-To, Auto-Submitted and Precedence are',
  );
}

function requireValue(name: string, value: unknown, { maxValue }: HeaderRules): void {
  if (typeof value !== 'string' || value.length > maxValue || !PRINTABLE.test(value)) {
    throw new InvalidFieldError(`headers.${name}`, `must be 1 to ${maxValue} printable ASCII characters`);
  }
  if (value.split(' ').some((word) => word.length > MAX_WORD)) {
    throw new InvalidFieldError(`headers.${name}`, `must have a blank after at most ${MAX_WORD} characters`);
  }
  const key = name.toLowerCase();
  if ((key === 'references' || key === 'in-reply-to') && !MESSAGE_IDS.test(value)) {
    throw new InvalidFieldError(`headers.${name}`, 'must be message IDs like <id@example.com>');
  }
}
