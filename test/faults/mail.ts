import type { Message } from './observations.js';
import { CANARIES } from './canaries.js';

/** One email of a customer: the request, and how it must appear everywhere. */
export interface Mail {
  readonly message: Message;
  /** The body of POST /api/send. */
  readonly request: Readonly<Record<string, unknown>>;
}

export interface MailOptions {
  /** Its only recipient; without it, the number of the email decides. */
  readonly to?: string;
  readonly campaign?: string;
  /** The scheduled time, in ISO 8601. */
  readonly sendAt?: string;
}

/** Every email of a customer links here twice. Clicks on both count for one link of the campaign. */
const SHARED_URL = 'https://shop.example/sale?a=1&b=2';
/** Readers who receive many emails of a customer. */
const SHARED_READERS = 3;

/** @param customer whose emails share readers and a campaign @param number of the email, which decides its shape */
export function composeMail(customer: string, key: string, number: number, options: MailOptions = {}): Mail {
  const recipients =
    options.to === undefined ? recipientsOf(customer, key, number) : { to: [options.to], cc: [], bcc: [] };
  const urls = [`https://shop.example/${key}`, SHARED_URL, SHARED_URL];
  const campaign = options.campaign ?? customer;
  const links = urls.map((url) => `<a href="${url.replaceAll('&', '&amp;')}">a</a>`).join(' ');
  return {
    message: { ...lowerCased(recipients), subject: CANARIES.subject, campaign, urls },
    request: {
      from: `Ada <${CANARIES.sender}@acme.example>`,
      ...recipients,
      subject: CANARIES.subject,
      htmlContent: `<p>${CANARIES.body} ${links}</p>`,
      campaignId: campaign,
      metadata: { sendKey: key, note: CANARIES.metadata },
      ...(options.sendAt !== undefined && { sendAt: options.sendAt }),
    },
  };
}

interface Recipients {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
}

function recipientsOf(customer: string, key: string, number: number): Recipients {
  const own = (kind: string) => `${CANARIES.reader}${kind}-${key.toLowerCase()}@example.com`;
  const sharedReader = (domain: string) =>
    `${CANARIES.reader}-${number % SHARED_READERS}-${customer.toLowerCase()}@${domain}`;
  switch (number % 4) {
    case 1:
      return { to: [own(''), sharedReader('example.com')], cc: [], bcc: [] };
    case 2:
      return { to: [own('')], cc: [own('-cc')], bcc: [sharedReader('example.com')] };
    case 3:
      return { to: [sharedReader('Example.COM'), own(''), own('-third')], cc: [], bcc: [own('-bcc')] };
    default:
      return { to: [own('')], cc: [], bcc: [] };
  }
}

/** Addresses are compared ignoring case. */
function lowerCased({ to, cc, bcc }: Recipients): Recipients {
  const lower = (addresses: readonly string[]) => addresses.map((address) => address.toLowerCase());
  return { to: lower(to), cc: lower(cc), bcc: lower(bcc) };
}
