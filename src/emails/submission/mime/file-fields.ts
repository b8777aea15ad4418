import { isMessageType } from '../../../providers/message-parts.js';
import type { MimeEntity } from './read-entity.js';

const TOKEN = /^[A-Za-z0-9!#$&^_.+'*%`|~-]{1,60}$/;
const KEPT_PARAMETERS = ['charset', 'method', 'component'];
const MAX_NAME = 255;
/** Extensions for files that have no name. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['image/gif', 'gif'],
  ['image/jpeg', 'jpg'],
  ['image/png', 'png'],
  ['message/global', 'eml'],
  ['message/rfc822', 'eml'],
  ['text/calendar', 'ics'],
  ['text/csv', 'csv'],
  ['text/html', 'html'],
  ['text/plain', 'txt'],
  ['text/rfc822-headers', 'txt'],
]);

/**
 * Path separators and control characters become underscores, so that a message is not refused for the name of a file.
 */
export function safeFilename(name: string): string {
  return (
    name
      .toWellFormed()
      // eslint-disable-next-line no-control-regex
      .replace(/[/\\\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '_')
      .trim()
      .slice(-MAX_NAME)
  );
}

/** Some providers refuse a message for a file whose name ends with .bin. */
export function extensionOf(type: string): string {
  return EXTENSIONS.get(type) ?? (isMessageType(type) ? 'txt' : 'dat');
}

/** Without parameters that are not kept, or not safe. */
export function safeContentType({ type, typeParameters }: MimeEntity): string {
  const [main = '', sub = ''] = type.split('/');
  if (!TOKEN.test(main) || !TOKEN.test(sub)) return 'application/octet-stream';
  const kept = KEPT_PARAMETERS.flatMap((name) => {
    const value = typeParameters.get(name);
    return value !== undefined && TOKEN.test(value) ? [`; ${name}=${value}`] : [];
  });
  return `${type}${kept.join('')}`;
}
