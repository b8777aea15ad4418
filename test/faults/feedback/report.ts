/** One event of SendGrid's Event Webhook, as the driver posts it and as the model reads it. */
export interface Report {
  readonly email: string;
  /** The address in lower case. */
  readonly address: string;
  readonly type: ReportType;
  /** In seconds since 1970. Two reports of one address never share a second. */
  readonly at: number;
  /** The sentence of the provider. */
  readonly text: string;
}

/** SendGrid's type of event; a bounce and a drop with what decides their meaning. */
export type ReportType =
  | 'deferred'
  | 'delivered'
  | 'bounce hard'
  | 'bounce soft'
  | 'spamreport'
  | 'unsubscribe'
  | 'group_resubscribe'
  | 'dropped: Bounced Address'
  | 'dropped: Spam Content';

/** The fields that depend on the type. */
const FIELDS: Readonly<Record<ReportType, (text: string) => Readonly<Record<string, string>>>> = {
  deferred: (text) => ({ event: 'deferred', response: text, attempt: '3' }),
  delivered: (text) => ({ event: 'delivered', response: text }),
  'bounce hard': (text) => ({ event: 'bounce', type: 'bounce', status: '5.1.1', reason: text }),
  'bounce soft': (text) => ({ event: 'bounce', type: 'blocked', status: '5.7.1', reason: text }),
  spamreport: (text) => ({ event: 'spamreport', reason: text }),
  unsubscribe: (text) => ({ event: 'unsubscribe', reason: text }),
  group_resubscribe: (text) => ({ event: 'group_resubscribe', reason: text }),
  'dropped: Bounced Address': () => ({ event: 'dropped', reason: 'Bounced Address' }),
  'dropped: Spam Content': () => ({ event: 'dropped', reason: 'Spam Content' }),
};

export function statusOf(type: ReportType): string | null {
  return type === 'bounce hard' ? '5.1.1' : type === 'bounce soft' ? '5.7.1' : null;
}

/** As SendGrid writes it. Every other copy of an address has another spelling. */
export function toSendGridEvent({ email, address, type, at, text }: Report): Readonly<Record<string, unknown>> {
  return {
    email: at % 2 === 0 ? address : address.replace('example.com', 'Example.COM'),
    timestamp: at,
    sg_event_id: `${email}/${address}/${at}`,
    mailbeacon_email_id: email,
    mailbeacon_attempt: '1',
    ...FIELDS[type](text),
  };
}
