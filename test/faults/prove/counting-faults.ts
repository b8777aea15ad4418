import type { PlantedFault } from './planted-fault.js';
import { NO_FAULT, POISONED_ENTRIES, PROVIDER_EVENTS, REDIS_RESTORED, REPEATED_ENTRIES } from './proof-setups.js';

const ACCEPTANCE = 'emails/accept/acceptance-statement.ts';
const DELTAS = 'events/ingest/counter-deltas.ts';
const COUNTERS = 'events/ingest/count-events.ts';

/** Mistakes in what is stored and counted. */
export const COUNTING_FAULTS: readonly PlantedFault[] = [
  {
    name: 'opens are counted as clicks',
    patches: [{ file: DELTAS, search: 'deltas.opens++;', replace: 'deltas.clicks++;' }],
    setup: NO_FAULT,
  },
  {
    name: 'relabelled events leave their counters behind',
    patches: [{ file: DELTAS, search: 'this.addMachine(hit, deltas, to, 1);', replace: '' }],
    setup: NO_FAULT,
  },
  {
    name: 'machines of contacts are never counted',
    patches: [
      {
        file: COUNTERS,
        search: 'machine_opens = contacts.machine_opens + new.machine_opens,',
        replace: '',
      },
    ],
    setup: NO_FAULT,
  },
  {
    name: 'clicks of the links of an email are never counted',
    patches: [{ file: COUNTERS, search: 'if (links.length > 0)', replace: 'if (links.length < 0)' }],
    setup: NO_FAULT,
  },
  {
    name: 'clicks of the links of a campaign are never counted',
    patches: [{ file: COUNTERS, search: 'if (campaignLinks.length > 0)', replace: 'if (campaignLinks.length < 0)' }],
    setup: NO_FAULT,
  },
  {
    name: 'an email counts seven times more for its contacts',
    patches: [
      {
        file: 'contacts/count-contacts.sql.ts',
        search: 'emails = contacts.emails + excluded.emails',
        replace: 'emails = contacts.emails + 7 + excluded.emails',
      },
    ],
    setup: NO_FAULT,
  },
  {
    name: 'an email counts five times more for its campaign',
    patches: [
      {
        file: ACCEPTANCE,
        search: 'set emails = campaign_totals.emails + excluded.emails',
        replace: 'set emails = campaign_totals.emails + 5 + excluded.emails',
      },
    ],
    setup: NO_FAULT,
  },
  {
    name: '`sent` events are thrown away',
    patches: [
      {
        file: 'emails/delivery/delivery-notifier.ts',
        search: 'this.events.appendInTime(event).catch(() => undefined)',
        replace: 'Promise.resolve(event)',
      },
    ],
    setup: NO_FAULT,
  },
  {
    name: "of an email's contacts only the first is stored",
    patches: [
      {
        file: ACCEPTANCE,
        search: 'select email_id, array_agg(contact_id order by place) as contact_ids from member',
        replace: 'select email_id, (array_agg(contact_id order by place))[1:1] as contact_ids from member',
      },
    ],
    setup: NO_FAULT,
  },
  {
    name: 'an email that failed still counts',
    patches: [
      {
        file: 'emails/delivery/move-to-failed.ts',
        search: 'await uncountEmails(sql, [emailId], email.campaign_id, email.contact_ids);',
        replace: '',
      },
    ],
    setup: NO_FAULT,
  },
  {
    name: 'an email that is sent again leaves its contacts out of its campaign',
    patches: [
      {
        file: 'emails/read/retry-statement.ts',
        search: 'where email.campaign_id is not null order by contact.id',
        replace: 'where false order by contact.id',
      },
    ],
    setup: NO_FAULT,
  },
  {
    name: 'events of every contact bear the first one',
    patches: [{ file: 'events/ingest/event-rows.ts', search: 'contactIds[ordinal - 1]', replace: 'contactIds[0]' }],
    setup: NO_FAULT,
  },
  {
    name: 'a click is stored for the next link of its email',
    patches: [
      {
        file: 'roles/tracking/tracking-edge.ts',
        search: "{ type: 'clicked', id: hit.id, emailTrackingId, linkPosition: position, url }",
        replace: "{ type: 'clicked', id: hit.id, emailTrackingId, linkPosition: position + 1, url }",
      },
    ],
    setup: NO_FAULT,
  },
  {
    name: 'a click leads somewhere else',
    patches: [
      {
        file: 'roles/tracking/tracking-edge.ts',
        search: 'hit.location = locationOf(url);',
        replace: "hit.location = locationOf(url + '#');",
      },
    ],
    setup: NO_FAULT,
  },
  {
    name: 'events that come again are counted again',
    patches: [
      {
        file: 'events/ingest/flush-batch.ts',
        search: 'const result = await store(sql, fresh, emails, windows, budget);',
        replace: `const again = new CounterDeltas();
    for (const { event } of batch) {
      const email = emails.get(event.emailTrackingId);
      if (email && !fresh.some((one) => one.event.id === event.id)) again.add(event, email);
    }
    await countEvents(sql, again);
    const result = await store(sql, fresh, emails, windows, budget);`,
      },
    ],
    setup: REPEATED_ENTRIES,
  },
  {
    name: 'bad events are dropped instead of set aside',
    patches: [
      { file: 'events/dead-letters/dead-letters.ts', search: 'if (letters.length === 0) return;', replace: 'return;' },
    ],
    setup: POISONED_ENTRIES,
  },
  {
    name: 'what is in a spool is thrown away',
    patches: [
      {
        file: 'events/stream/entry-store.ts',
        search: 'this.spool.append(entry).then(() => resolve(true), reject);',
        replace: 'resolve(true);',
      },
    ],
    setup: REDIS_RESTORED,
  },
  {
    name: 'reports about recipients are acknowledged before they are stored',
    patches: [
      {
        file: 'roles/flusher/flusher.ts',
        search: 'await this.store(entries);\n    await this.slow.acknowledge(entries.entryIds);',
        replace: 'await this.slow.acknowledge(entries.entryIds);\n    await this.store(entries);',
      },
    ],
    setup: PROVIDER_EVENTS,
  },
  {
    name: 'a recipient counts again for its campaign whenever a fact is reported again',
    patches: [
      {
        file: 'emails/recipients/apply-reports.ts',
        search: 'count(report, countedFacts(before?.facts ?? 0), countedFacts(after.facts), counts);',
        replace: 'count(report, 0, countedFacts(after.facts), counts);',
      },
    ],
    setup: PROVIDER_EVENTS,
  },
  {
    name: 'an earlier fact that is reported late hides a stronger one',
    patches: [
      {
        file: 'emails/recipients/recipient-state.ts',
        search: 'if (ours !== theirs || ours === 0) return ours > theirs;',
        replace: 'if (ours !== theirs || ours === 0) return true;',
      },
    ],
    setup: PROVIDER_EVENTS,
  },
];
