import { createSign } from 'node:crypto';
import { request } from 'undici';

const PATH = '/api/providers/sendgrid/events';
const SENTENCE = '250 2.0.0 OK 1763800000 d2e1a72fcca58-7b9c4e3f1a2si1234567b3a.123 - gsmtp';

/** Sends calls of SendGrid's Event Webhook about emails in turn. Every event is new; nine of ten are deliveries. */
export class EventFeed {
  /** Number of events in calls that got a 200. */
  posted = 0;
  /** Number of calls that got another status and were repeated. */
  repeatedCalls = 0;
  #made = 0;

  constructor(agent, address, privateKey, emails) {
    Object.assign(this, { agent, url: address + PATH, privateKey, emails });
  }

  body(count) {
    const now = Math.floor(Date.now() / 1000);
    return JSON.stringify(Array.from({ length: count }, (_, index) => this.#event(this.#made + index, now)));
  }

  /** Repeats the call until it gets a 200, as SendGrid does. */
  async post(count) {
    const body = this.body(count);
    this.#made += count;
    const headers = sign(body, this.privateKey);
    while ((await this.call(body, headers)) !== 200) this.repeatedCalls++;
    this.posted += count;
  }

  /** Resolves with the status. */
  async call(body, headers) {
    const response = await request(this.url, { method: 'POST', body, headers, dispatcher: this.agent });
    await response.body.dump();
    return response.statusCode;
  }

  #event(number, timestamp) {
    const { id, address } = this.emails[number % this.emails.length];
    return {
      email: address,
      timestamp,
      'smtp-id': `<${id}@shop.test>`,
      sg_event_id: `ZGVsaXZlcmVkLTAtMzY1${number}`,
      sg_message_id: `14c5d75ce93.dfd.64b469.filter0001.${number}.0`,
      mailbeacon_email_id: id,
      mailbeacon_attempt: '1',
      ...(number % 10 === 0
        ? { event: 'deferred', response: '421 4.7.0 Try again later', attempt: '1' }
        : { event: 'delivered', response: SENTENCE }),
    };
  }
}

export function sign(body, privateKey) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  return {
    'content-type': 'application/json',
    'x-twilio-email-event-webhook-signature': createSign('sha256')
      .update(timestamp)
      .update(body)
      .sign(privateKey, 'base64'),
    'x-twilio-email-event-webhook-timestamp': timestamp,
  };
}
