import type { EngagementEvent, SingleEvent } from '../engagement-event.js';
import type { LiveReport } from '../live/live-message.js';
import type { EventOfEmail } from './event-rows.js';
import type { SumOfEmail } from './event-sums.js';

/** The live message about an event of an email. */
export function liveReportOf({ event, email }: EventOfEmail | SumOfEmail): LiveReport {
  const { organizationId, id: emailId, campaignId } = email;
  return { type: `email.${kindOf(event)}`, organizationId, emailId, campaignId };
}

/** A sum becomes one message, of the type that it probably has more of: clients reread both counts in any case. */
function kindOf(event: EngagementEvent): SingleEvent['type'] {
  if (event.type !== 'summed') return event.type;
  return event.opens > 0 ? 'opened' : 'clicked';
}
