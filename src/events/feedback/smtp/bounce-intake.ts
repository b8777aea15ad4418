import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../platform/clock/clock.js';
import { readReturnPath, type ReturnPath } from '../../../links/return-path.js';
import type { SigningKeys } from '../../../links/signing-keys.js';
import type { EventAppender } from '../../stream/event-appender.js';
import type { BounceTransport, BounceMetrics, BounceResult } from './bounce-metrics.js';
import { findReportedReturnPath, findReturnPath } from './find-return-path.js';
import { readMailMessage, type MailMessage } from './mail-message.js';
import { eventsOf } from './notification-events.js';
import { readNotification } from './read-notification.js';

/** A message that a mail server passed on. */
export interface ArrivedMessage {
  readonly transport: BounceTransport;
  readonly raw: Buffer;
  /** Envelope sender; empty for a bounce. Undefined if unknown. */
  readonly sender?: string;
  /** Return paths of the envelope. Undefined if unknown: then the return path is read from header fields. */
  readonly paths?: readonly ReturnPath[];
}

/** The address for abuse reports of services with which one address is registered for all mail. */
const FEEDBACK_LOCAL_PART = 'fbl';

/** Turns notifications of mail servers into durable events. */
export class BounceIntake {
  /** Ends with the message that is read last. */
  private reading: Promise<MailMessage | undefined> = Promise.resolve(undefined);

  constructor(
    private readonly keys: () => SigningKeys,
    private readonly domain: string,
    private readonly appender: Pick<EventAppender, 'append'>,
    private readonly metrics: BounceMetrics,
    private readonly clock: Clock,
  ) {}

  /** Parses an address as a return path. Undefined unless one of our keys signed it. */
  pathOf(address: string): ReturnPath | undefined {
    return readReturnPath(this.keys(), address, this.domain);
  }

  isFeedbackAddress(address: string): boolean {
    return address.toLowerCase() === `${FEEDBACK_LOCAL_PART}@${this.domain}`;
  }

  /**
   * Resolves once the events of a message are durable.
   * @throws when an event could not be stored: the server has to repeat the message
   */
  async take({ transport, raw, sender, paths }: ArrivedMessage): Promise<Exclude<BounceResult, 'lost'>> {
    const message = await this.read(raw);
    if (message === undefined) return this.count(transport, 'other', 'ignored');
    const notification = readNotification(message, sender);
    const named = this.pathsOf(message, paths);
    if (named.length === 0) return this.count(transport, notification.kind, 'unnamed');
    const now = this.clock.now();
    const events = named.flatMap((path) => eventsOf(notification, path, message, now));
    try {
      await Promise.all(events.map((event) => this.appender.append(event)));
    } catch (error) {
      this.metrics.countNotification(transport, notification.kind, 'lost');
      throw error;
    }
    return this.count(transport, notification.kind, events.length > 0 ? 'stored' : 'ignored');
  }

  /**
   * Reads one message per turn of the event loop. A hostile one can keep the processor busy for half a second, and
   * those of many connections together would keep health checks waiting until the process counts as dead.
   */
  private read(raw: Buffer): Promise<MailMessage | undefined> {
    this.reading = this.reading.then(() => setImmediate()).then(() => readMailMessage(raw));
    return this.reading;
  }

  private pathsOf(message: MailMessage, paths: readonly ReturnPath[] | undefined): readonly ReturnPath[] {
    if (paths !== undefined && paths.length > 0) return paths;
    const find = paths === undefined ? findReturnPath : findReportedReturnPath;
    const found = find(this.keys(), this.domain, message);
    return found ? [found] : [];
  }

  private count<Result extends BounceResult>(
    transport: BounceTransport,
    kind: Parameters<BounceMetrics['countNotification']>[1],
    result: Result,
  ): Result {
    this.metrics.countNotification(transport, kind, result);
    return result;
  }
}
