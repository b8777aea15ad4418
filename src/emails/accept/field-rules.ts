import { fieldRule } from '../../platform/http/field-rule.js';
import { hasControlCharacters } from '../mailbox.js';

/** Text for a mail header: it must not contain line breaks or other control characters (RFC 5322, 2.2). */
export function IsHeaderText(): PropertyDecorator {
  return fieldRule(
    'isHeaderText',
    '$property must not contain line breaks or control characters',
    (value) => typeof value !== 'string' || !hasControlCharacters(value),
  );
}

/** A text of at most `maxBytes` bytes in UTF-8. */
export function HasBytesWithin(maxBytes: number, { message }: { message: string }): PropertyDecorator {
  return fieldRule(
    'hasBytesWithin',
    message,
    (value) => typeof value !== 'string' || Buffer.byteLength(value) <= maxBytes,
  );
}

/** Checks for strings only; `readRecipients` validates each address. */
export function IsAddressList(): PropertyDecorator {
  return fieldRule(
    'isAddressList',
    '$property must be an email address or an array of email addresses',
    (value) => typeof value === 'string' || (Array.isArray(value) && value.every((entry) => typeof entry === 'string')),
  );
}

export const MAX_TAGS = 10;
export const TAG = /^[A-Za-z0-9_-]{1,64}$/;

export function IsTagList(): PropertyDecorator {
  return fieldRule(
    'isTagList',
    `$property must be an array of at most ${MAX_TAGS} words of 1 to 64 letters, digits, hyphens and underscores`,
    (value) => Array.isArray(value) && value.length <= MAX_TAGS && value.every(isTag),
  );
}

export function isTag(value: unknown): value is string {
  return typeof value === 'string' && TAG.test(value);
}
