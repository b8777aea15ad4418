import { Link } from 'wouter-preact';
import { client } from '../api';
import { Badge } from '../components/badge';
import { Clipped } from '../components/clipped';
import { List, type Column } from '../components/list';
import { Page } from '../components/page';
import { Choice, Search, useFilters } from '../components/search';
import { Empty } from '../components/states';
import { FirstEmail } from '../components/first-email';
import { formatCount, Time } from '../format';
import type { EmailSummary } from '../types';

const COLUMNS: readonly Column<EmailSummary>[] = [
  { name: 'Status', show: ({ status }) => <Badge state={status} /> },
  { name: 'To', show: ({ recipient }) => <Clipped text={recipient} /> },
  {
    name: 'Subject',
    isWide: true,
    show: ({ id, subject }) => (
      <Link class="title" href={`/emails/${id}`}>
        {subject}
      </Link>
    ),
  },
  { name: 'Campaign', show: ({ campaign }) => campaign ?? <span class="muted">–</span> },
  { name: 'Opens', isNumber: true, show: ({ people }) => formatCount(people.opens) },
  { name: 'Clicks', isNumber: true, show: ({ people }) => formatCount(people.clicks) },
  { name: 'Accepted', show: ({ createdAt }) => <Time at={createdAt} /> },
];

export default function Emails() {
  const [filter] = useFilters();
  const names = ['recipient', 'status', 'state', 'tag', 'from', 'campaignId'];
  const filters = Object.fromEntries(names.map((name) => [name, filter(name)]).filter(([, value]) => value !== ''));
  const isFiltered = names.some((name) => filter(name) !== '');
  return (
    <Page title="Emails" hint="Opens and clicks by people. Press / to search, j and k to move, Enter to open.">
      <div class="filters">
        <Search name="recipient" label="Recipient" placeholder="reader@example.com" />
        <Choice
          name="status"
          label="Status"
          values={['queued', 'scheduled', 'sent', 'failed', 'canceled', 'tracked']}
        />
        <Choice
          name="state"
          label="Recipient's state"
          values={['delivered', 'bounced', 'complained', 'deferred', 'suppressed', 'failed']}
        />
        <Search name="tag" label="Tag" />
      </div>
      <List<EmailSummary>
        name={['emails', filters]}
        load={(page, options) => client.emails.list({ ...filters, ...page }, options).first()}
        label="Emails"
        columns={COLUMNS}
        idOf={({ id }) => id}
        linkTo={({ id }) => `/emails/${id}`}
        live="email."
        empty={isFiltered ? <Empty title="No email matches these filters" /> : <FirstEmail />}
      />
    </Page>
  );
}
