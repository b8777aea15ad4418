import { timeOfUuidV7 } from '../../platform/clock/uuid-v7.js';
import type { SuppressionReason } from '../../events/recipient-event.js';
import type { AddressHistory } from './address-history.js';
import { FACT_RULES } from './fact-rules.js';
import { isHard } from './recipient-state.js';
import type { Report } from './reported-emails.js';

/** Mail may have arrived between soft bounces that are far apart: plain SMTP reports no deliveries. */
const SOFT_BOUNCE_COUNTS_MS = 180 * 86_400_000;

/** Why a report suppresses its recipient, if it does. Also updates the run of soft bounces in the history. */
export function suppressionReason(
  { event }: Report,
  history: AddressHistory | undefined,
  softBounceLimit: number,
): SuppressionReason | undefined {
  if (isHard(event.fact, event.bounce)) return 'bounce';
  const isSoft = event.fact === 'bounced' && event.bounce === 'soft';
  if (history && (isSoft || event.fact === 'delivered')) {
    const at = timeOfUuidV7(event.id);
    if (isSoft && at >= history.runStart) history.softBounces.push(at);
    // It arrived after the others with the same time.
    if (!isSoft && at >= history.runStart) {
      history.runStart = at;
      history.softBounces = history.softBounces.filter((time) => time > at);
    }
    if (isSoft && recentBounces(history) >= softBounceLimit) return 'bounce';
  }
  return event.suppression ?? FACT_RULES[event.fact].suppression;
}

function recentBounces({ softBounces }: AddressHistory): number {
  const newest = Math.max(...softBounces);
  return softBounces.filter((time) => time > newest - SOFT_BOUNCE_COUNTS_MS).length;
}
