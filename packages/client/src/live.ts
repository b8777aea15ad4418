import { readEvents } from './event-stream.js';
import { MailbeaconError } from './mailbeacon-error.js';
import { pause } from './pause.js';
import { isWorthRetrying, retryDelayMs } from './retry-policy.js';
import type { CallOptions } from './call.js';
import type { Transport } from './transport.js';

/** The types of live changes. */
export type LiveChangeType =
  | 'email.accepted'
  | 'email.sent'
  | 'email.failed'
  | 'email.rescheduled'
  | 'email.canceled'
  | 'email.retried'
  | 'email.opened'
  | 'email.clicked'
  | 'email.deferred'
  | 'email.delivered'
  | 'email.bounced'
  | 'email.complained'
  | 'email.suppressed'
  | 'email.unsubscribed'
  | 'email.resubscribed'
  | 'broadcast.changed'
  | 'webhook.failed';

/** A change of data, or of the connection. */
export interface LiveChange {
  /**
   * `refresh`: some changes are missing, reload what you display. `paused`: none arrive until the next `ready`. Ignore
   * unknown types: there may be new ones.
   */
  readonly type: LiveChangeType | 'ready' | 'refresh' | 'paused';
  readonly at: string;
  readonly emailId?: string;
  readonly campaignId?: string;
  readonly broadcastId?: string;
  readonly webhookId?: string;
}

/** `client.live` */
export class Live {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Changes as they happen, until `signal` or the end of the loop. Reconnects automatically and continues where it
   * stopped. Throws only errors that reconnecting cannot fix, such as a revoked key.
   */
  async *follow(options: Omit<CallOptions, 'retries'> = {}): AsyncGenerator<LiveChange, never, undefined> {
    const { signal } = options;
    let lastEventId: string | undefined;
    for (let failed = 1; ; failed++) {
      let retryAfterMs: number | undefined;
      let isOpen = false;
      try {
        const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
        const call = { method: 'GET', path: '/api/live', headers, options: { ...options, retries: 0 } } as const;
        const stream = await this.#transport.stream(call);
        isOpen = true;
        for await (const { id, data } of readEvents(stream)) {
          failed = 0;
          lastEventId = id ?? lastEventId;
          yield JSON.parse(data) as LiveChange;
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof MailbeaconError) {
          retryAfterMs = error.retryAfterMs;
          if (!isWorthRetrying({ status: error.status, retryAfterMs, isRepeatable: true })) throw error;
        } else if (!isOpen || error instanceof SyntaxError) throw error;
      }
      yield { type: 'paused', at: new Date().toISOString() };
      await pause(retryDelayMs(failed + 1, retryAfterMs, Math.random()), signal);
    }
  }
}
