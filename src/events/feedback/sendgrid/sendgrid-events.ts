import { Injectable } from '@nestjs/common';
import { parseJson, ProviderEvents, type ProviderEventCounts } from '../provider-events.js';
import { parseSendGridEvent } from './parse-sendgrid-event.js';

const MAX_EVENTS = 10_000;

/** Reads and stores the events of a call of SendGrid. */
@Injectable()
export class SendGridEvents {
  constructor(private readonly events: ProviderEvents) {}

  /**
   * Resolves when every event is durable.
   * @throws InvalidEventsError, EventsNotStoredError
   */
  async store(body: Buffer): Promise<ProviderEventCounts> {
    const values = parseJson(body);
    if (!Array.isArray(values)) this.events.refuse('sendgrid', 'invalid', 'The body must be a JSON array of events');
    if (values.length > MAX_EVENTS)
      this.events.refuse('sendgrid', 'too-large', `The body has too many events: at most ${MAX_EVENTS}`);
    return this.events.store('sendgrid', values.map(parseSendGridEvent));
  }
}
