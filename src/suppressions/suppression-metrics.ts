import { Counter, type Registry } from 'prom-client';
import { SUPPRESSION_REASONS } from '../events/recipient-event.js';

/** When the suppression list is read. */
const STAGES = ['acceptance', 'claim'];

const NAME = 'mailbeacon_suppressed_recipients_total';

/** Counts recipients that are left out of emails. A process with several roles has one such counter. */
export function suppressedRecipientsCounter(registry: Registry): Counter<'at' | 'reason'> {
  const known = registry.getSingleMetric(NAME) as Counter<'at' | 'reason'> | undefined;
  if (known) return known;
  const counter = new Counter({
    name: NAME,
    help: 'Recipients left out because their address is suppressed',
    labelNames: ['at', 'reason'],
    registers: [registry],
  });
  // Starts every series at zero: otherwise `increase()` misses the first event.
  for (const at of STAGES) for (const reason of SUPPRESSION_REASONS) counter.inc({ at, reason }, 0);
  return counter;
}
