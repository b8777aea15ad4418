import { integer, type Described } from '../../platform/openapi/schemas.js';
import type { CampaignFact } from './fact-rules.js';

/** Counters of recipients by fact. */
export const factCounts: Readonly<Record<CampaignFact, Described>> = {
  delivered: integer('Recipients whose server accepted the email', 22),
  deferred: integer('Recipients whose server asked to retry later, even if the email was delivered afterwards', 1),
  bounced: integer('Recipients whose email bounced', 1),
  complained: integer('Recipients who reported the email as spam', 0),
  unsubscribed: integer('Recipients who unsubscribed through the email and did not take it back', 1),
  suppressed: integer('Recipients that were left out because of a suppression list', 0),
};
