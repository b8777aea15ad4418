import { readSmtpOptions, type SmtpUrlOptions } from './smtp-url-options.js';

/** Where the SMTP server is, who we are to it, and how the connection is made. */
export interface SmtpServerAddress extends SmtpUrlOptions {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (RFC 8314); otherwise STARTTLS is used wherever the server offers it. */
  readonly secure: boolean;
  readonly auth?: { readonly user: string; readonly pass: string };
}

/** RFC 6409 and RFC 8314: submission, without and with implicit TLS. */
const SUBMISSION_PORT = 587;
const SUBMISSIONS_PORT = 465;

/**
 * Reads `smtp://` and `smtps://` addresses with their options. Where there are credentials, STARTTLS is required unless
 * the server is on this machine or an option says otherwise: whoever strips it from the greeting must get no password.
 * @throws TypeError when `url` is not a URL or has an option that is not known
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

function isLoopback(host: string): boolean {
  return /^(localhost|(.+\.)?localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);
}

/** A password with a bare percent sign is taken as it stands. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
