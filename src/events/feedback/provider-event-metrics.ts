import { Inject, Injectable } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import type { EventKeyType } from '../../organizations/providers/event-key.js';
import { METRICS } from '../../platform/health/metrics.js';
import type { EventAccount } from './event-calls.js';

/**
 * Outcomes of a provider's call:
 *
 *     stored           all its events are durable, or ignored for a reason
 *     unsigned         the signature, or the user and password, is missing or malformed
 *     stale            the time of the signature is too long ago, or ahead
 *     wrong-signature  none of our keys made the signature, or the user and password are not ours
 *     no-certificate   the certificate of the signature could not be fetched; the provider repeats the call
 *     invalid          verified, but not in the provider's format, or too many events or values
 *     limited          the organization reports too many events; the provider repeats the call
 *     lost             an event could not be stored; the provider repeats the call
 */
const CALL_OUTCOMES = [
  'stored',
  'unsigned',
  'stale',
  'wrong-signature',
  'no-certificate',
  'invalid',
  'limited',
  'lost',
] as const;
type CallOutcome = (typeof CALL_OUTCOMES)[number];

/** Providers that report events. */
export const REPORTING_PROVIDERS = [
  'sendgrid',
  'mailgun',
  'postmark',
  'resend',
  'ses',
] as const satisfies readonly EventKeyType[];

/** Whose account reports: the service's own, or that of any organization. */
const OWNERS = ['service', 'organization'] as const;

/** Metrics of the events that providers report, and of their calls. */
@Injectable()
export class ProviderEventMetrics {
  private readonly calls: Counter<'provider' | 'owner' | 'outcome'>;
  private readonly events: Counter<'provider' | 'owner' | 'type' | 'result'>;

  constructor(@Inject(METRICS) registry: Registry) {
    const registers = [registry];
    this.calls = new Counter({
      name: 'mailbeacon_provider_event_calls_total',
      help: 'Calls of providers that report events, by outcome and by who owns the account; after lost and limited, the provider repeats the call',
      labelNames: ['provider', 'owner', 'outcome'],
      registers,
    });
    // Starts the series at zero: otherwise `increase()` misses the first call.
    for (const owner of OWNERS)
      for (const provider of REPORTING_PROVIDERS)
        for (const outcome of CALL_OUTCOMES) this.calls.inc({ provider, owner, outcome }, 0);
    this.events = new Counter({
      name: 'mailbeacon_provider_events_total',
      help: "Events that providers reported, by the provider's type: stored, or the reason for which they were ignored",
      labelNames: ['provider', 'owner', 'type', 'result'],
      registers,
    });
  }

  countCall(account: EventAccount, outcome: CallOutcome): void {
    this.calls.inc({ ...labelsOf(account), outcome });
  }

  /** @param type and `result` from closed sets */
  countEvent(account: EventAccount, type: string, result: string): void {
    this.events.inc({ ...labelsOf(account), type, result });
  }
}

function labelsOf({ type, organizationId }: EventAccount): {
  readonly provider: EventKeyType;
  readonly owner: (typeof OWNERS)[number];
} {
  return { provider: type, owner: organizationId === undefined ? 'service' : 'organization' };
}
