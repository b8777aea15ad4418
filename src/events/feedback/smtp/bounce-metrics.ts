import { Counter, Gauge, type Registry } from 'prom-client';
import { NOTIFICATION_KINDS, type NotificationKind } from './read-notification.js';

/** The protocols by which notifications arrive. */
const BOUNCE_TRANSPORTS = ['smtp', 'http'] as const;
export type BounceTransport = (typeof BOUNCE_TRANSPORTS)[number];

/**
 * Outcomes of a notification:
 *
 *     stored   its events are durable
 *     ignored  it reports nothing about a recipient, or does not name the recipient
 *     unnamed  it contains none of our return paths
 *     lost     an event could not be stored; the mail server repeats the notification
 */
export const BOUNCE_RESULTS = ['stored', 'ignored', 'unnamed', 'lost'] as const;
export type BounceResult = (typeof BOUNCE_RESULTS)[number];

/** Why the listener rejected a client. */
export const BOUNCE_REFUSALS = ['unknown-recipient', 'too-many-connections', 'too-many-messages', 'too-large'] as const;
export type BounceRefusal = (typeof BOUNCE_REFUSALS)[number];

/** Metrics of the bounces of plain SMTP. */
export class BounceMetrics {
  private readonly notifications: Counter<'transport' | 'kind' | 'result'>;
  private readonly refusals: Counter<'reason'>;

  constructor(private readonly registry: Registry) {
    const registers = [registry];
    this.notifications = new Counter({
      name: 'mailbeacon_bounce_notifications_total',
      help: 'Notifications of mail servers by how they arrived, their kind and their outcome; after lost, the server repeats them',
      labelNames: ['transport', 'kind', 'result'],
      registers,
    });
    // Starts the series at zero: otherwise `increase()` misses the first notification.
    for (const kind of NOTIFICATION_KINDS) {
      for (const result of BOUNCE_RESULTS) {
        for (const transport of BOUNCE_TRANSPORTS) this.notifications.inc({ transport, kind, result }, 0);
      }
    }
    this.refusals = new Counter({
      name: 'mailbeacon_bounce_refusals_total',
      help: 'Refusals of the bounce listener by reason; unknown-recipient means that none of our keys signed the address',
      labelNames: ['reason'],
      registers,
    });
    for (const reason of BOUNCE_REFUSALS) this.refusals.inc({ reason }, 0);
  }

  countNotification(transport: BounceTransport, kind: NotificationKind, result: BounceResult): void {
    this.notifications.inc({ transport, kind, result });
  }

  countRefusal(reason: BounceRefusal): void {
    this.refusals.inc({ reason });
  }

  observeConnections(read: () => number): void {
    new Gauge({
      name: 'mailbeacon_bounce_connections',
      help: 'Open connections of the bounce listener',
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }
}
