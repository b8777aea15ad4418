import { Counter, type Registry } from 'prom-client';

/**
 * All outcomes of a request to the unsubscribe page: the page was shown, a choice was stored, or the reason why not.
 * `unrecognized` is a form without a choice; `wrong-domain` a tracking domain of another organization; `incomplete` a
 * client that disconnected; `delayed` a choice that neither Redis nor the disk stored in time.
 */
const UNSUBSCRIBE_OUTCOMES = [
  'page',
  'head',
  'unsubscribed',
  'resubscribed',
  'unrecognized',
  'too-large',
  'incomplete',
  'over-limit',
  'invalid',
  'wrong-domain',
  'method',
  'lost',
  'delayed',
] as const;
export type UnsubscribeOutcome = (typeof UNSUBSCRIBE_OUTCOMES)[number];

export class UnsubscribeMetrics {
  private readonly requests: Counter<'outcome'>;

  constructor(registry: Registry) {
    this.requests = new Counter({
      name: 'mailbeacon_unsubscribe_requests_total',
      help: 'Requests to the unsubscribe page by outcome',
      labelNames: ['outcome'],
      registers: [registry],
    });
    for (const outcome of UNSUBSCRIBE_OUTCOMES) this.requests.inc({ outcome }, 0);
  }

  count(outcome: UnsubscribeOutcome): void {
    this.requests.inc({ outcome });
  }
}
