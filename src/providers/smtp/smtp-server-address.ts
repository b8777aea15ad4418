/** Where the SMTP server is and who we are to it. */
export interface SmtpServerAddress {
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
 * Reads `smtp://` and `smtps://` addresses. Path and query are ignored on purpose: in other programs they carry
 * transport options, among them ones that would switch certificate checks or the access limits off.
 * @throws TypeError when `url` is not a URL.
 */
export function readSmtpUrl(url: string): SmtpServerAddress {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? SUBMISSIONS_PORT : SUBMISSION_PORT) : Number(port),
    secure,
    ...(username !== '' && { auth: { user: decode(username), pass: decode(password) } }),
  };
}

/** A password with a bare percent sign is taken as it stands. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
