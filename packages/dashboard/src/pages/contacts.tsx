import { Link } from 'wouter-preact';
import { client } from '../api';
import { Badge } from '../components/badge';
import { List, type Column } from '../components/list';
import { Page } from '../components/page';
import { NothingMatches, Search, useFilters } from '../components/search';
import { Empty } from '../components/states';
import { formatCount, Time } from '../format';
import type { Contact } from '../types';

const COLUMNS: readonly Column<Contact>[] = [
  {
    name: 'Address',
    show: ({ email }) => (
      <Link class="title" dir="auto" href={linkTo(email)}>
        {email}
      </Link>
    ),
  },
  { name: 'Status', show: ({ status }) => <Badge state={status} /> },
  { name: 'Score', isNumber: true, show: ({ people }) => formatCount(people.engagementScore) },
  { name: 'Emails', isNumber: true, show: ({ totalEmails }) => formatCount(totalEmails) },
  { name: 'Opens', isNumber: true, show: ({ people }) => formatCount(people.opens) },
  { name: 'Clicks', isNumber: true, show: ({ people }) => formatCount(people.clicks) },
  { name: 'Last activity', show: ({ lastActivity }) => <Time at={lastActivity} /> },
];

function linkTo(email: string): string {
  return `/contacts/${encodeURIComponent(email)}`;
}

export default function Contacts() {
  const [filter] = useFilters();
  const search = filter('search');
  return (
    <Page title="Contacts" hint="Score, opens and clicks of people only.">
      <div class="filters">
        <Search name="search" label="Address" placeholder="ada, or acme.example" />
      </div>
      <List<Contact>
        name={['contacts', search]}
        filter={search}
        load={(page, options) => client.contacts.list({ ...page, ...(search !== '' && { search }) }, options).first()}
        label="Contacts"
        columns={COLUMNS}
        idOf={({ email }) => email}
        live="email."
        empty={
          search === '' ? (
            <Empty title="No contacts yet">
              <p class="muted">Every recipient becomes a contact.</p>
            </Empty>
          ) : (
            <NothingMatches title="No address matches" names={['search']} />
          )
        }
      />
    </Page>
  );
}
