import { historyKey } from './address-history.js';
import { FACT_RULES } from './fact-rules.js';
import type { Consequences, RecipientNews } from './apply-reports.js';
import type { Report } from './reported-emails.js';

/** The subscription is all that these webhooks are about. */
const SUBSCRIPTION_WEBHOOKS = [FACT_RULES.unsubscribed.webhook, FACT_RULES.resubscribed.webhook];

/**
 * Decisions that are news although the state of their recipient stays, because they change the suppression list: the
 * organization had removed the entry, or the recipient had decided otherwise through another email. So the latest
 * webhook about an address shows its decision.
 * @param changed the entries of the list that are added or removed, by `suppressionKey`
 */
export function subscriptionNews(
  { suppressions, webhooks }: Consequences,
  changed: ReadonlySet<string>,
): readonly RecipientNews[] {
  return [...suppressions].flatMap(([key, { of }]) => {
    const { fact } = of.event;
    if ((fact !== 'unsubscribed' && fact !== 'resubscribed') || !of.email.hasListener) return [];
    const type = FACT_RULES[fact].webhook!;
    const latest = latestAbout(of, webhooks);
    const isNews = latest === undefined ? changed.has(key) : latest.type !== type;
    return isNews ? [{ type, of, mayRepeat: true }] : [];
  });
}

/** Of the webhooks about the subscription of this address. IDs of events sort by their time. */
function latestAbout(of: Report, webhooks: readonly RecipientNews[]): RecipientNews | undefined {
  return webhooks
    .filter((one) => SUBSCRIPTION_WEBHOOKS.includes(one.type) && addressOf(one.of) === addressOf(of))
    .reduce<RecipientNews | undefined>(
      (latest, one) => (latest && latest.of.event.id > one.of.event.id ? latest : one),
      undefined,
    );
}

function addressOf({ email, addressKey }: Report): string {
  return historyKey(email.organizationId, addressKey);
}
