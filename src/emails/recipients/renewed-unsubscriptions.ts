import { historyKey } from './address-history.js';
import { FACT_RULES } from './fact-rules.js';
import type { Consequences } from './apply-reports.js';
import type { Report } from './reported-emails.js';

/** The subscription is all that these webhooks are about. */
const SUBSCRIPTION_WEBHOOKS = [FACT_RULES.unsubscribed.webhook, FACT_RULES.resubscribed.webhook];

/**
 * Unsubscriptions that are news although the state of their recipient stays: the organization had removed the
 * suppression, and they add it again.
 * @param added the new entries of the suppression list, by `suppressionKey`
 */
export function renewedUnsubscriptions(
  { suppressions, webhooks }: Consequences,
  added: ReadonlySet<string>,
): Consequences['webhooks'] {
  return [...suppressions].flatMap(([key, { of }]) => {
    if (!added.has(key) || of.event.fact !== 'unsubscribed' || !of.email.hasListener) return [];
    const latest = webhooks.findLast(
      ({ type, of: other }) => SUBSCRIPTION_WEBHOOKS.includes(type) && addressOf(other) === addressOf(of),
    );
    return latest?.type === 'EMAIL_UNSUBSCRIBED' ? [] : [{ type: 'EMAIL_UNSUBSCRIBED' as const, of, mayRepeat: true }];
  });
}

function addressOf({ email, addressKey }: Report): string {
  return historyKey(email.organizationId, addressKey);
}
