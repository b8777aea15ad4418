import { integer, type Described } from '../../platform/openapi/schemas.js';
import type { CampaignFact } from './fact-rules.js';

/** Counters of recipients by what became of them. */
export const factCounts: Readonly<Record<CampaignFact, Described>> = {
  delivered: integer('Recipients whose server accepted the email', 22),
  deferred: integer('Recipients whose server wanted the email later, even if it was delivered since', 1),
  bounced: integer('Recipients from whom the email came back', 1),
  complained: integer('Recipients who reported the email as spam', 0),
  unsubscribed: integer('Recipients who unsubscribed by the email and did not take it back', 1),
  suppressed: integer('Recipients that were left out because of a suppression list', 0),
};
