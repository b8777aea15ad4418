/** Nodemailer options that the URL may contain, as in `smtp://host?requireTLS=true`. */
export interface SmtpUrlOptions {
  readonly requireTLS?: boolean;
  readonly ignoreTLS?: boolean;
  readonly opportunisticTLS?: boolean;
  readonly name?: string;
  readonly authMethod?: string;
  readonly connectionTimeout?: number;
  readonly greetingTimeout?: number;
  readonly socketTimeout?: number;
  readonly maxConnections?: number;
  readonly maxMessages?: number;
  readonly tls?: Readonly<Record<string, string | boolean>>;
}

type Reader = (text: string) => string | number | boolean | undefined;

const bool: Reader = (text) => ({ true: true, false: false })[text];
const count: Reader = (text) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined);
const word: Reader = (text) => (/^[\w.:-]{1,253}$/.test(text) ? text : undefined);

/** An allowlist: some nodemailer options would log mail, or open files and URLs that a message references. */
const readers: Readonly<Record<string, Reader>> = {
  requireTLS: bool,
  ignoreTLS: bool,
  opportunisticTLS: bool,
  name: word,
  authMethod: word,
  connectionTimeout: count,
  greetingTimeout: count,
  socketTimeout: count,
  maxConnections: count,
  maxMessages: count,
  'tls.rejectUnauthorized': bool,
  'tls.servername': word,
  'tls.minVersion': (text) => (/^TLSv1\.[23]$/.test(text) ? text : undefined),
};

export const SMTP_URL_OPTIONS = Object.keys(readers);

/** @throws TypeError with the name of an option that is unknown or has an invalid value */
export function readSmtpOptions(parameters: URLSearchParams): SmtpUrlOptions {
  const options: Record<string, unknown> = {};
  const tls: Record<string, unknown> = {};
  for (const [name, text] of parameters) {
    const value = Object.hasOwn(readers, name) ? readers[name]!(text) : undefined;
    if (value === undefined) throw new TypeError(`SMTP_URL has an unknown option ${name}, or an invalid value for it`);
    if (name.startsWith('tls.')) tls[name.slice('tls.'.length)] = value;
    else options[name] = value;
  }
  return { ...options, ...(Object.keys(tls).length > 0 && { tls }) } as SmtpUrlOptions;
}
