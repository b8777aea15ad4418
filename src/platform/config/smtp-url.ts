import { readSmtpUrl } from './smtp-server-address.js';
import { SMTP_URL_OPTIONS } from './smtp-url-options.js';
import { url, type Variable } from './setting-types.js';

/** The URL of an SMTP server. It accepts only known options. */
export function smtpUrl(
  about: Parameters<typeof url>[1] & { optional: true; example: string },
): Variable<string | undefined> {
  const address = smtpAddress(about);
  return {
    ...address,
    expectation: `${address.expectation}, with only these options after a ?: ${SMTP_URL_OPTIONS.join(', ')}`,
    read: (text) => {
      const value = address.read(text);
      return value !== undefined && isReadable(value) ? value : undefined;
    },
  };
}

const smtpAddress = (about: Parameters<typeof smtpUrl>[0]) => url(['smtp:', 'smtps:'], about);
const anyAddress = smtpAddress({ description: '', example: '', optional: true });

/** True for the URL of an SMTP server as SMTP_URL takes it. */
export function isSmtpUrl(text: string): boolean {
  return anyAddress.read(text) !== undefined && isReadable(text);
}

function isReadable(value: string): boolean {
  try {
    readSmtpUrl(value);
    return true;
  } catch {
    return false;
  }
}
