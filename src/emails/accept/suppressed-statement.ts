import { Statement } from '../../platform/database/statement.js';
import { strongestSuppression } from '../../suppressions/suppression-check.sql.js';

/** The suppressed recipients among those of some emails, by their positions from 0. */
export const FIND_SUPPRESSED = new Statement(
  'find-suppressed',
  { organizationId: 'uuid', keys: 'text[]', unsubscribes: 'boolean[]' },
  `select t.place::integer - 1 as place, found.reason
     from unnest(:keys, :unsubscribes) with ordinality as t (key, unsubscribe, place)
    cross join lateral (${strongestSuppression(':organizationId', 't.key', 't.unsubscribe')}) as found
    order by t.place`,
);
