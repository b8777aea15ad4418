import type { WebhookReceiver } from '../../support/webhook-receiver.js';

/** What the receiver was told about emails that were sent. Reads each announcement once, however often it is asked. */
export class Announcements {
  private readonly ids = new Map<string, string[]>();
  private read = 0;

  constructor(private readonly receiver: WebhookReceiver) {}

  /** The webhook ids under which the sending of an email was announced, in their order. */
  of(emailId: string): readonly string[] {
    this.readOn();
    return this.ids.get(emailId) ?? [];
  }

  private readOn(): void {
    const { received } = this.receiver;
    for (; this.read < received.length; this.read++) {
      const { id, body } = received[this.read]!;
      const { type, data } = JSON.parse(body) as { type: string; data: { id: string } };
      if (type === 'EMAIL_SENT') this.ids.set(data.id, [...(this.ids.get(data.id) ?? []), id]);
    }
  }
}
