/** One event of SendGrid's Event Webhook, as the tests post it and the model reads it. */
export interface Report {
  readonly email: string;
  /** The address in lower case. */
  readonly address: string;
  readonly type: ReportType;
  /** In seconds since 1970. No two reports about one address have the same second. */
  readonly at: number;
  /** The explanation by the provider. */
  readonly text: string;
}

/** SendGrid's event type; for a bounce and a drop, with the detail that decides their meaning. */
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

/** The event in SendGrid's format. Half of the events spell the address in mixed case. */
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
