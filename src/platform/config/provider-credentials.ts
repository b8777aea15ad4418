import { readDomain } from './setting-formats.js';
import { isSmtpUrl } from './smtp-url.js';

/** What each type of provider needs to deliver mail, by the names of its fields in PROVIDERS. */
export interface ProviderCredentials {
  smtp: { readonly url: string };
  sendgrid: { readonly apiKey: string };
  ses: {
    readonly region: string;
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
    /** Decides which events SES reports, and where. */
    readonly configurationSet?: string;
  };
  postmark: { readonly serverToken: string; readonly messageStream?: string };
  /** `domain` is the one in Mailgun's account that sends. */
  mailgun: { readonly apiKey: string; readonly domain: string };
  resend: { readonly apiKey: string };
}

export type ProviderType = keyof ProviderCredentials;

type Field = readonly [requirement: 'required' | 'optional', isValid: (text: string) => boolean, expectation: string];

const isWord = (text: string) => /^[\x21-\x7e]{1,4000}$/.test(text);
const WORD: Field = ['required', isWord, 'a string without spaces'];
const OPTIONAL_WORD: Field = ['optional', isWord, 'a string without spaces'];

const FIELDS: { [Type in ProviderType]: Readonly<Record<string, Field>> } = {
  smtp: {
    url: ['required', isSmtpUrl, 'the URL of an SMTP server, such as smtps://user:password@smtp.example.com:465'],
  },
  sendgrid: { apiKey: WORD },
  ses: {
    region: ['required', (text) => /^[a-z]{2}(-[a-z]+)+-\d+$/.test(text), 'a region such as eu-west-1'],
    accessKeyId: WORD,
    secretAccessKey: WORD,
    sessionToken: OPTIONAL_WORD,
    configurationSet: OPTIONAL_WORD,
  },
  postmark: { serverToken: WORD, messageStream: OPTIONAL_WORD },
  mailgun: { apiKey: WORD, domain: ['required', (text) => readDomain(text) !== undefined, 'a domain name'] },
  resend: { apiKey: WORD },
};

/** All types of providers. */
export const PROVIDER_TYPES = Object.keys(FIELDS) as ProviderType[];

/** The names of the credentials of a type, in the order in which they are documented. */
export function credentialNames(type: ProviderType): readonly string[] {
  return Object.keys(FIELDS[type]);
}

/**
 * Reads the credentials of a type from the fields of an object, and ignores its other fields.
 * @param refuse called with the name of a field and what is wrong, without the value
 */
export function readCredentials<Type extends ProviderType>(
  type: Type,
  fields: Readonly<Record<string, unknown>>,
  refuse: (field: string, problem: string) => never,
): ProviderCredentials[Type] {
  const credentials: Record<string, string> = {};
  for (const [name, [requirement, isValid, expectation]] of Object.entries(FIELDS[type])) {
    const text = fields[name];
    if (text === undefined && requirement === 'optional') continue;
    if (typeof text !== 'string' || !isValid(text)) return refuse(name, `must be ${expectation}`);
    credentials[name] = text;
  }
  return credentials as unknown as ProviderCredentials[Type];
}
