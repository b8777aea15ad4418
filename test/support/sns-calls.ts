import { createSign, randomUUID } from 'node:crypto';
import { selfSignedIdentity } from '../../src/emails/submission/submission-tls.js';
import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import { makeProviderCall, type ProviderCallResponse } from './provider-call.js';

export const SES_EVENTS_PATH = '/api/providers/ses/events';
export const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:mail-events';
export const CERTIFICATE_URL = 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem';
export const SUBSCRIBE_URL = 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=abc';

/** Signs messages as SNS does. */
export class SnsSigner {
  private constructor(
    readonly certificate: string,
    private readonly key: string,
  ) {}

  static async create(): Promise<SnsSigner> {
    const { cert, key } = await selfSignedIdentity();
    return new SnsSigner(cert, key);
  }

  /** A message as SNS posts it. @param more other fields, which are signed too */
  message(content: unknown, more: Record<string, string> = {}): Record<string, unknown> {
    const fields: Record<string, string> = {
      Type: 'Notification',
      MessageId: randomUUID(),
      TopicArn: TOPIC,
      Message: typeof content === 'string' ? content : JSON.stringify(content),
      Timestamp: new Date().toISOString(),
      SignatureVersion: '1',
      SigningCertURL: CERTIFICATE_URL,
      ...more,
    };
    if (fields.Type !== 'Notification') Object.assign(fields, { SubscribeURL: SUBSCRIBE_URL, Token: 'abc', ...more });
    const names = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
    const present = names.filter((name) => fields[name] !== undefined);
    const text = present.map((name) => `${name}\n${fields[name]}\n`).join('');
    const hash = fields.SignatureVersion === '1' ? 'sha1' : 'sha256';
    return { ...fields, Signature: createSign(hash).update(text).sign(this.key, 'base64') };
  }
}

/** Replaces the addresses of SNS for `fetch`; every other address stays as it is. */
export class SnsStub {
  readonly fetched: string[] = [];
  respond: (url: string) => Response | Promise<Response> = () => new Response('', { status: 404 });
  private readonly original = globalThis.fetch;

  constructor() {
    globalThis.fetch = async (input, init) => {
      const url = input instanceof URL ? input.href : input;
      if (typeof url !== 'string' || !url.includes('amazonaws.com')) return this.original(input, init);
      this.fetched.push(url);
      return this.respond(url);
    };
  }

  restore(): void {
    globalThis.fetch = this.original;
  }
}

let sequence = 0;

/** A delivery to new recipients as SES reports it. */
export function sesDelivery(count = 1, emailId = uuidV7(Date.now())): Record<string, unknown> {
  const recipients = Array.from({ length: count }, () => `reader${(sequence += 1)}@example.com`);
  const timestamp = new Date().toISOString();
  return {
    eventType: 'Delivery',
    mail: { timestamp, messageId: `ses-${sequence}`, tags: { mailbeacon_email_id: [emailId] } },
    delivery: { timestamp, recipients, smtpResponse: '250 2.0.0 OK' },
  };
}

export async function postToSesRoute(
  address: string,
  message: unknown,
  contentType = 'text/plain; charset=UTF-8',
): Promise<ProviderCallResponse> {
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  return (await makeProviderCall(address + SES_EVENTS_PATH, body, { 'content-type': contentType })).response;
}
