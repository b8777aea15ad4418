import { registerDecorator } from 'class-validator';
import { hasControlCharacters } from '../mailbox.js';

/** Text for a mail header: it must not contain line breaks or other control characters (RFC 5322, 2.2). */
export function IsHeaderText(): PropertyDecorator {
  return rule(
    'isHeaderText',
    '$property must not contain line breaks or control characters',
    (value) => typeof value !== 'string' || !hasControlCharacters(value),
  );
}

/** A text of at most `maxBytes` bytes in UTF-8. */
export function HasBytesWithin(maxBytes: number, { message }: { message: string }): PropertyDecorator {
  return rule('hasBytesWithin', message, (value) => typeof value !== 'string' || Buffer.byteLength(value) <= maxBytes);
}

/** Checks for strings only; `readRecipients` validates each address. */
export function IsAddressList(): PropertyDecorator {
  return rule(
    'isAddressList',
    '$property must be an email address or an array of email addresses',
    (value) => typeof value === 'string' || (Array.isArray(value) && value.every((entry) => typeof entry === 'string')),
  );
}

function rule(name: string, message: string, validate: (value: unknown) => boolean): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: property as string,
      options: { message },
      validator: { validate },
    });
}
