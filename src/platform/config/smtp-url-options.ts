/** Options of nodemailer that an address may carry, as in `smtp://host?requireTLS=true`. */
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

const yesOrNo: Reader = (text) => ({ true: true, false: false })[text];
const count: Reader = (text) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined);
const word: Reader = (text) => (/^[\w.:-]{1,253}$/.test(text) ? text : undefined);

/** No others: among those of nodemailer are some that would log mail, or open files and addresses that mail names. */
const readers: Readonly<Record<string, Reader>> = {
  requireTLS: yesOrNo,
  ignoreTLS: yesOrNo,
  opportunisticTLS: yesOrNo,
  name: word,
  authMethod: word,
  connectionTimeout: count,
  greetingTimeout: count,
  socketTimeout: count,
  maxConnections: count,
  maxMessages: count,
  'tls.rejectUnauthorized': yesOrNo,
  'tls.servername': word,
  'tls.minVersion': (text) => (/^TLSv1\.[23]$/.test(text) ? text : undefined),
};

export const SMTP_URL_OPTIONS = Object.keys(readers);

/** @throws TypeError naming the option that is not known or has a wrong value */
export function readSmtpOptions(parameters: URLSearchParams): SmtpUrlOptions {
  const options: Record<string, unknown> = {};
  const tls: Record<string, unknown> = {};
  for (const [name, text] of parameters) {
    const value = Object.hasOwn(readers, name) ? readers[name]!(text) : undefined;
    if (value === undefined)
      throw new TypeError(`SMTP_URL has an option ${name} that is not known, or a wrong value of it`);
    if (name.startsWith('tls.')) tls[name.slice('tls.'.length)] = value;
    else options[name] = value;
  }
  return { ...options, ...(Object.keys(tls).length > 0 && { tls }) } as SmtpUrlOptions;
}
