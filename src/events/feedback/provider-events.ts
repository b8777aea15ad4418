import { Injectable } from '@nestjs/common';
import { DomainError } from '../../platform/errors/domain-error.js';
import type { RecipientEvent } from '../recipient-event.js';
import { EventAppender } from '../stream/event-appender.js';
import type { EventAccount } from './event-calls.js';
import { InvalidSignatureError } from './provider-call-errors.js';
import type { ParsedProviderEvent } from './provider-event-fields.js';
import { ProviderEventMetrics } from './provider-event-metrics.js';

/** The numbers of events of a call that were stored, and that were ignored. */
export interface ProviderEventCounts {
  readonly stored: number;
  readonly ignored: number;
}

/** A verified call whose body is not in the provider's format. */
class InvalidEventsError extends DomainError {
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

/** Stores the events of a provider's call. A repeated call has the same event IDs, so it changes nothing. */
@Injectable()
export class ProviderEvents {
  constructor(
    private readonly appender: EventAppender,
    private readonly metrics: ProviderEventMetrics,
  ) {}

  /**
   * Resolves when every event is durable.
   * @throws EventsNotStoredError
   */
  async store(account: EventAccount, events: readonly ParsedProviderEvent[]): Promise<ProviderEventCounts> {
    const results = await Promise.all(events.map((event) => this.storeOne(account, event)));
    if (results.includes('lost')) {
      this.metrics.countCall(account, 'lost');
      throw new EventsNotStoredError();
    }
    this.metrics.countCall(account, 'stored');
    const stored = results.filter((result) => result === 'stored').length;
    return { stored, ignored: events.length - stored };
  }

  /** Refuses a call that is not verified. @throws InvalidSignatureError */
  refuseSignature(account: EventAccount, outcome: 'unsigned' | 'stale' | 'wrong-signature'): never {
    this.metrics.countCall(account, outcome);
    throw new InvalidSignatureError();
  }

  /** Refuses a verified call whose body has too many values to be parsed. @throws InvalidEventsError */
  refuseValues(account: EventAccount): never {
    this.refuse(account, 'too-large', 'The body has too many values');
  }

  /** Refuses a verified call whose body is not in the provider's format. @throws InvalidEventsError */
  refuse(account: EventAccount, kind: 'invalid' | 'too-large', message: string): never {
    this.metrics.countCall(account, 'invalid');
    throw new InvalidEventsError(kind, message);
  }

  private async storeOne(account: EventAccount, { type, outcome }: ParsedProviderEvent): Promise<Result> {
    if (typeof outcome !== 'string') return this.append(account, type, outcome);
    this.metrics.countEvent(account, type, outcome);
    return 'ignored';
  }

  private async append(account: EventAccount, type: string, event: RecipientEvent): Promise<Result> {
    try {
      await this.appender.append(event);
      this.metrics.countEvent(account, type, 'stored');
      return 'stored';
    } catch (error) {
      // An event that does not fit the stream's format will never fit, so repeating the call would not help.
      if (!(error instanceof RangeError)) return 'lost';
      this.metrics.countEvent(account, type, 'malformed');
      return 'ignored';
    }
  }
}

type Result = 'stored' | 'lost' | 'ignored';
