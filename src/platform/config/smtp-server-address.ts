import { readSmtpOptions, type SmtpUrlOptions } from './smtp-url-options.js';

/** Address, credentials and connection options of an SMTP server. */
export interface SmtpServerAddress extends SmtpUrlOptions {
  readonly host: string;
  readonly port: number;
  /** Implicit TLS (RFC 8314). Otherwise STARTTLS is used if the server offers it. */
  readonly secure: boolean;
  readonly auth?: { readonly user: string; readonly pass: string };
}

/** Ports for submission without and with implicit TLS (RFC 6409, RFC 8314). */
const SUBMISSION_PORT = 587;
const SUBMISSIONS_PORT = 465;

/**
 * Reads `smtp://` and `smtps://` URLs with their options. With credentials, STARTTLS is required unless the server is
 * on this machine or an option disables it. Otherwise an attacker could strip STARTTLS and read the password.
 * @throws TypeError when `url` is not a URL or has an unknown option
 */
export function readSmtpUrl(url: string): SmtpServerAddress {
  const { protocol, hostname, port, username, password, searchParams } = new URL(url);
  const secure = protocol === 'smtps:';
  const host = hostname.replace(/^\[|\]$/g, '');
  const options = readSmtpOptions(searchParams);
  const isExposed = !secure && username !== '' && !isLoopback(host);
  return {
    host,
    port: port === '' ? (secure ? SUBMISSIONS_PORT : SUBMISSION_PORT) : Number(port),
    secure,
    ...(username !== '' && { auth: { user: decode(username), pass: decode(password) } }),
    ...(isExposed && options.ignoreTLS !== true && { requireTLS: true }),
    ...options,
  };
}

export function isLoopback(host: string): boolean {
  return /^(localhost|(.+\.)?localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);
}

/** Takes a password with a bare percent sign literally. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
