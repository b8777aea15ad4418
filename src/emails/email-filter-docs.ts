import { query } from '../platform/openapi/parameters.js';
import { enumOf, string } from '../platform/openapi/schemas.js';
import { emailStatus } from './email-fields.js';
import { RECIPIENT_STATES } from './recipients/recipient-state.js';

/** The filter of a list and of its export. */
export const emailFilters = [
  query(
    'search',
    string('Only emails with this text in the address of a recipient or in the subject', 'reader', { minLength: 2 }),
  ),
  query('campaignId', string('Only of this campaign: its name or ID', 'Spring sale')),
  query('recipient', string('Only to this address', 'reader@example.com')),
  query('status', emailStatus),
  query('tag', string('Only with this tag', 'spring-2026')),
  query('from', string('Only from this address, as it was requested or as it was used', 'ada@acme.example')),
  query('since', string('Only accepted at this time or later: a time, or a date in UTC', '2026-03-01T09:30:00Z')),
  query('until', string('Only accepted before this time: a time, or a date in UTC', '2026-03-02')),
  query('state', enumOf(RECIPIENT_STATES, 'Only with a recipient in this state', 'bounced')),
];
