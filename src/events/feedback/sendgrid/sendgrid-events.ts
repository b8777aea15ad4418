import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain-error.js';
import type { RecipientEvent } from '../../recipient-event.js';
import { EventAppender } from '../../stream/event-appender.js';
import { ProviderEventMetrics } from '../provider-event-metrics.js';
import { parseSendGridEvent, type SendGridEventType } from './parse-sendgrid-event.js';

const MAX_EVENTS = 10_000;

/** The numbers of events of a call that were stored, and that were ignored. */
export interface ProviderEventCounts {
  readonly stored: number;
  readonly ignored: number;
}

/** A signed call whose body is not a list of events. */
class InvalidEventListError extends DomainError {
  constructor(kind: 'invalid' | 'too-large', message: string) {
    super(kind, message);
  }
}

class EventsNotStoredError extends DomainError {
  override readonly retryAfterSeconds = 5;

  constructor() {
    super('unavailable', 'Not every event could be stored: please send all of them again');
  }
}

/** Stores the events of a call. A repeated call has the same event IDs, so it changes nothing. */
@Injectable()
export class SendGridEvents {
  constructor(
    private readonly appender: EventAppender,
    private readonly metrics: ProviderEventMetrics,
  ) {}

  /**
   * Resolves when every event is durable.
   * @throws InvalidEventListError, EventsNotStoredError
   */
  async store(body: Buffer): Promise<ProviderEventCounts> {
    const values = this.readList(body);
    const stored = await Promise.all(values.map((value) => this.storeOne(value)));
    if (stored.includes('lost')) {
      this.metrics.countCall('sendgrid', 'lost');
      throw new EventsNotStoredError();
    }
    this.metrics.countCall('sendgrid', 'stored');
    const count = stored.filter((result) => result === 'stored').length;
    return { stored: count, ignored: values.length - count };
  }

  private readList(body: Buffer): unknown[] {
    const values = parseJson(body);
    if (Array.isArray(values) && values.length <= MAX_EVENTS) return values;
    this.metrics.countCall('sendgrid', 'invalid');
    if (!Array.isArray(values)) throw new InvalidEventListError('invalid', 'The body must be a JSON array of events');
    throw new InvalidEventListError('too-large', `The body has too many events: at most ${MAX_EVENTS}`);
  }

  private async storeOne(value: unknown): Promise<'stored' | 'lost' | 'ignored'> {
    const { type, outcome } = parseSendGridEvent(value);
    if (typeof outcome !== 'string') return this.append(type, outcome);
    this.metrics.countEvent('sendgrid', type, outcome);
    return 'ignored';
  }

  private async append(type: SendGridEventType, event: RecipientEvent): Promise<'stored' | 'lost' | 'ignored'> {
    try {
      await this.appender.append(event);
      this.metrics.countEvent('sendgrid', type, 'stored');
      return 'stored';
    } catch (error) {
      // An event that does not fit the stream's format will never fit, so repeating the call would not help.
      if (!(error instanceof RangeError)) return 'lost';
      this.metrics.countEvent('sendgrid', type, 'malformed');
      return 'ignored';
    }
  }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
