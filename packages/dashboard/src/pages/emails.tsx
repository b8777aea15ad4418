import { Clipped } from '../components/clipped';
import { EMAIL_COLUMNS } from '../components/email-columns';
import { List, type Column } from '../components/list';
import { Page } from '../components/page';
import { ActiveFilters, Choice, DateFilter, Search, useFilters } from '../components/search';
import { Empty } from '../components/states';
import { FirstEmail } from '../components/first-email';
import { withInstants } from '../dates';
import { findEmails } from '../find-emails';
import { formatCount, Time } from '../format';
import { useShortcuts } from '../shortcuts';
import type { Email, EmailSummary } from '../types';

const COLUMNS: readonly Column<EmailSummary>[] = [
  ...EMAIL_COLUMNS,
  {
    name: 'Campaign',
    show: ({ campaign }) =>
      campaign === null ? <span class="muted">–</span> : <Clipped text={campaign} isSecondary />,
  },
  { name: 'Opens', isNumber: true, show: ({ people }) => formatCount(people.opens) },
  { name: 'Clicks', isNumber: true, show: ({ people }) => formatCount(people.clicks) },
  { name: 'Accepted', show: ({ createdAt }) => <Time at={createdAt} /> },
];

/** The compiler checks that these are all statuses and states of the API. */
const STATUSES: Readonly<Record<Email['status'], true>> = {
  ...{ queued: true, scheduled: true, sending: true, sent: true, failed: true, canceled: true, tracked: true },
};
const STATES: Readonly<Record<Email['recipients'][number]['state'], true>> = {
  ...{ pending: true, sent: true, delivered: true, deferred: true, bounced: true, complained: true },
  ...{ suppressed: true, failed: true, canceled: true },
};

const NAMES = ['search', 'recipient', 'status', 'state', 'tag', 'from', 'campaignId', 'since', 'until'];
const WITHOUT_FIELD = { recipient: 'To', from: 'From', campaignId: 'Campaign' };
const MIN_SEARCH = 2;

export default function Emails() {
  const [filter] = useFilters();
  const hasShortcuts = useShortcuts();
  const filters = Object.fromEntries(NAMES.map((name) => [name, filter(name)]).filter(([, value]) => value !== ''));
  return (
    <Page
      title="Emails"
      hint={
        <>
          Opens and clicks by people.
          {hasShortcuts && <span class="keys"> Press / to search, j and k to move, Enter to open.</span>}
        </>
      }
    >
      <div class="filters">
        <Search name="search" label="Address, subject or ID" placeholder="ada@example.com" minLength={MIN_SEARCH} />
        <Choice name="status" label="Status" values={Object.keys(STATUSES)} />
        <Choice name="state" label="Recipient's state" values={Object.keys(STATES)} />
        <Search name="tag" label="Tag" isSecond />
        <DateFilter name="since" label="From" />
        <DateFilter name="until" label="Before" />
      </div>
      <ActiveFilters names={NAMES} hidden={WITHOUT_FIELD} />
      <List<EmailSummary>
        name={['emails', filters]}
        filter={filters}
        load={(page, options) => findEmails(withInstants(filters), page, options)}
        label="Emails"
        columns={COLUMNS}
        idOf={({ id }) => id}
        live="email."
        empty={Object.keys(filters).length > 0 ? <NothingFound /> : <FirstEmail />}
      />
    </Page>
  );
}

function NothingFound() {
  return (
    <Empty title="No email matches these filters">
      <p class="muted">
        A search finds addresses, IDs and recent subjects. For older emails, search for the address of a recipient, or
        choose days.
      </p>
    </Empty>
  );
}
