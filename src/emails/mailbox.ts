import { domainInAscii } from '../platform/addresses/domain-in-ascii.js';

/** One recipient or sender, `Name <local@domain>` (RFC 5322, 3.4). */
export interface ParsedMailbox {
  readonly name?: string;
  readonly address: string;
}

/** Replaces the address of an erased person. No mail reaches a domain below .invalid (RFC 6761, 6.4). */
export const ERASED_ADDRESS = 'erased@erased.invalid';

/** Longer texts in a request are not parsed, so that hostile input costs nothing. */
const MAX_TEXT = 640;
const MAX_NAME = 320;
const MAX_ADDRESS = 254;
const MAX_LOCAL_PART = 64;

/**
 * RFC 5322 dot-atom in ASCII. Quoted local parts, comments and domain literals can hide recipients, so they are
 * refused.
 */
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** Not by comparing lower case: the Kelvin sign becomes a "k". */
const ASCII = /^[\0-\x7f]*$/;
/** C0, DEL, C1 and the Unicode line and paragraph separators, all of which could end a header line. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const QUOTED_NAME = /^"((?:[^"\\]|\\.)*)"$/;
const NAME_SPECIALS = /[<>()[\]:;@\\,"]/;

/** Undefined when the text is not exactly one plain mailbox with a name of at most 320 characters. */
export function parseMailbox(text: string): ParsedMailbox | undefined {
  return text.length > MAX_TEXT ? undefined : readStoredMailbox(text);
}

/** Parses the output of `formatMailbox`, which quoting and A-labels can make longer than a request allows. */
function readStoredMailbox(text: string): ParsedMailbox | undefined {
  if (hasControlCharacters(text)) return undefined;
  const trimmed = text.trim();
  if (!trimmed.endsWith('>')) return toMailbox(trimmed);
  // Use the last one: a quoted name may contain `<`, an address cannot.
  const open = trimmed.lastIndexOf('<');
  const name = open < 0 ? undefined : readName(trimmed.slice(0, open).trim());
  return name === undefined || name.length > MAX_NAME ? undefined : toMailbox(trimmed.slice(open + 1, -1), name);
}

/** True for an address with characters beyond ASCII before its @ (RFC 6531), which few mail servers take. */
export function hasInternationalLocalPart(text: string): boolean {
  const address = text.slice(0, MAX_TEXT).slice(text.lastIndexOf('<', MAX_TEXT) + 1);
  return !ASCII.test(address.slice(0, Math.max(address.lastIndexOf('@'), 0)));
}

/** The same for a column that holds nothing else. @throws Error if the text is no mailbox */
export function requireStoredMailbox(text: string): ParsedMailbox {
  const mailbox = readStoredMailbox(text);
  if (!mailbox) throw new Error('A stored mailbox cannot be parsed');
  return mailbox;
}

export function hasControlCharacters(text: string): boolean {
  return CONTROL.test(text) || !text.isWellFormed();
}

/** The form for headers and responses; names are quoted only where necessary. */
export function formatMailbox({ name, address }: ParsedMailbox): string {
  if (!name) return address;
  const shown = NAME_SPECIALS.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name;
  return `${shown} <${address}>`;
}

/** The address of a mailbox that `formatMailbox` wrote. */
export function bareAddress(mailbox: string): string {
  return mailbox.endsWith('>') ? mailbox.slice(mailbox.lastIndexOf('<') + 1, -1) : mailbox;
}

/** Addresses that differ only in case belong to the same contact. */
export function addressKey(address: string): string {
  return address.toLowerCase();
}

/** The key of the contact that a request names, also as a mailbox. Domains are stored as A-labels. */
export function requestedAddressKey(text: string): string {
  return addressKey(parseMailbox(text)?.address ?? bareAddress(text));
}

/** The domain of an address, normalized for comparison. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

function toMailbox(addressText: string, name?: string): ParsedMailbox | undefined {
  const at = addressText.lastIndexOf('@');
  const local = addressText.slice(0, Math.max(at, 0));
  const writtenDomain = addressText.slice(at + 1);
  const domain = domainInAscii(writtenDomain);
  if (local.length > MAX_LOCAL_PART || !LOCAL_PART.test(local) || !DOMAIN.test(domain)) return undefined;
  // Keeps an ASCII domain as written. Other scripts become A-labels (RFC 5890), so they cannot imitate another
  // domain.
  const address = `${local}@${ASCII.test(writtenDomain) ? writtenDomain : domain}`;
  if (address.length > MAX_ADDRESS) return undefined;
  return name ? { name, address } : { address };
}

/** A quoted string, or words that need no quoting; empty when there is no name. */
function readName(text: string): string | undefined {
  const quoted = QUOTED_NAME.exec(text);
  if (quoted) return quoted[1]!.replace(/\\(.)/g, '$1').trim();
  return NAME_SPECIALS.test(text) ? undefined : text;
}
