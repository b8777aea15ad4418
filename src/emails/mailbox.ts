import { domainToASCII } from 'node:url';

/** A display name and an address: `Name <local@domain>` (RFC 5322, 3.4), one recipient or sender. */
export interface ParsedMailbox {
  readonly name?: string;
  readonly address: string;
}

/** Longest text of a request that is looked at, so that hostile input costs nothing. */
const MAX_TEXT = 640;
const MAX_NAME = 320;
const MAX_ADDRESS = 254;
const MAX_LOCAL_PART = 64;

/** RFC 5322 dot-atom in ASCII: quoted local parts, comments and domain literals hide recipients and are refused. */
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** C0, DEL, C1 and the Unicode line and paragraph separators: nothing that could end a header line. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const QUOTED_NAME = /^"((?:[^"\\]|\\.)*)"$/;
const NAME_SPECIALS = /[<>()[\]:;@\\,"]/;

/** Undefined when the text is not exactly one plain mailbox with a name of at most 320 characters. */
export function parseMailbox(text: string): ParsedMailbox | undefined {
  return text.length > MAX_TEXT ? undefined : readStoredMailbox(text);
}

/** For what `formatMailbox` wrote, which quoting and A-labels can make longer than what a request may hold. */
export function readStoredMailbox(text: string): ParsedMailbox | undefined {
  if (hasControlCharacters(text)) return undefined;
  const trimmed = text.trim();
  if (!trimmed.endsWith('>')) return toMailbox(trimmed);
  // The last one: a quoted name may hold others, an address none.
  const open = trimmed.lastIndexOf('<');
  const name = open < 0 ? undefined : readName(trimmed.slice(0, open).trim());
  return name === undefined || name.length > MAX_NAME ? undefined : toMailbox(trimmed.slice(open + 1, -1), name);
}

export function hasControlCharacters(text: string): boolean {
  return CONTROL.test(text) || !text.isWellFormed();
}

/** The form that headers and answers show; names are quoted only where they must be. */
export function formatMailbox({ name, address }: ParsedMailbox): string {
  if (!name) return address;
  const shown = NAME_SPECIALS.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name;
  return `${shown} <${address}>`;
}

/** The address of a mailbox that `formatMailbox` wrote. */
export function bareAddress(mailbox: string): string {
  return mailbox.endsWith('>') ? mailbox.slice(mailbox.lastIndexOf('<') + 1, -1) : mailbox;
}

/** Addresses are the same contact when they differ in case only. */
export function addressKey(address: string): string {
  return address.toLowerCase();
}

/** The domain of an address in the form in which domains are compared. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

function toMailbox(addressText: string, name?: string): ParsedMailbox | undefined {
  const at = addressText.lastIndexOf('@');
  const local = addressText.slice(0, Math.max(at, 0));
  const writtenDomain = addressText.slice(at + 1);
  const domain = domainToASCII(writtenDomain);
  if (local.length > MAX_LOCAL_PART || !LOCAL_PART.test(local) || !DOMAIN.test(domain)) return undefined;
  // As written where that is ASCII; other alphabets travel as A-labels (RFC 5890), and so cannot pass for others.
  const address = `${local}@${writtenDomain.toLowerCase() === domain ? writtenDomain : domain}`;
  if (address.length > MAX_ADDRESS) return undefined;
  return name ? { name, address } : { address };
}

/** A quoted string, or words without the characters that would need quoting; empty when there is no name. */
function readName(text: string): string | undefined {
  const quoted = QUOTED_NAME.exec(text);
  if (quoted) return quoted[1]!.replace(/\\(.)/g, '$1').trim();
  return NAME_SPECIALS.test(text) ? undefined : text;
}
