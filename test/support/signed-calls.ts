import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';

/** A key of SendGrid's signed Event Webhook. */
export class EventWebhookKey {
  private readonly privateKey: KeyObject;
  /** As SendGrid shows it: DER in base64. */
  readonly publicKey: string;
  readonly pem: string;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.privateKey = privateKey;
    this.publicKey = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    this.pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  }

  /** The headers of a call with this body. @param timestamp in seconds since 1970 */
  sign(body: string | Buffer, timestamp: number | string = Math.floor(Date.now() / 1000)): Record<string, string> {
    const signature = createSign('sha256').update(String(timestamp)).update(body).sign(this.privateKey, 'base64');
    return {
      'content-type': 'application/json',
      'x-twilio-email-event-webhook-signature': signature,
      'x-twilio-email-event-webhook-timestamp': String(timestamp),
    };
  }
}
