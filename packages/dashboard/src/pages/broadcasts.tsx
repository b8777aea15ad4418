import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { client } from '../api';
import { Badge } from '../components/badge';
import { List, type Column } from '../components/list';
import { Page } from '../components/page';
import { Progress } from '../components/progress';
import { NothingMatches, Search, useFilters } from '../components/search';
import { Empty } from '../components/states';
import { formatCount, Time } from '../format';
import { POLL_MS } from '../live';
import { useCan } from '../session';
import { shownName } from '../shown-name';
import { NewBroadcast } from './new-broadcast';
import type { BroadcastSummary } from '../types';

const COLUMNS: readonly Column<BroadcastSummary>[] = [
  {
    name: 'Name',
    show: ({ id, name }) => (
      <Link class="title" dir="auto" href={`/broadcasts/${id}`}>
        {shownName(name)}
      </Link>
    ),
  },
  { name: 'Status', show: ({ status }) => <Badge state={status} /> },
  { name: 'Progress', show: (broadcast) => <Progress broadcast={broadcast} /> },
  { name: 'Recipients', isNumber: true, show: ({ progress }) => formatCount(progress.total) },
  {
    name: 'Begins',
    show: ({ startedAt, sendAt, status }) => <Time at={startedAt ?? (status === 'draft' ? null : sendAt)} />,
  },
];

export default function Broadcasts() {
  const [filter] = useFilters();
  const search = filter('search');
  const [isCreating, setCreating] = useState(false);
  const canCreate = useCan('send');
  return (
    <Page
      title="Broadcasts"
      hint="One message to many people, each with a copy of their own."
      actions={
        canCreate && (
          <button type="button" class="primary" onClick={() => setCreating(true)}>
            New broadcast
          </button>
        )
      }
    >
      {isCreating && <NewBroadcast close={() => setCreating(false)} />}
      <div class="filters">
        <Search name="search" label="Name" />
      </div>
      <List<BroadcastSummary>
        name={['broadcasts', search]}
        filter={search}
        load={(page, options) => client.broadcasts.list({ ...page, ...(search !== '' && { search }) }, options).first()}
        label="Broadcasts"
        columns={COLUMNS}
        idOf={({ id }) => id}
        refreshMs={POLL_MS}
        empty={
          search !== '' ? (
            <NothingMatches title="No broadcast matches" names={['search']} />
          ) : (
            <Empty title="No broadcasts yet">
              <p class="muted">
                Write a message, add recipients from a CSV file, send now or later, pause whenever you like.
              </p>
              {canCreate && (
                <button type="button" class="primary" onClick={() => setCreating(true)}>
                  Write the first one
                </button>
              )}
            </Empty>
          )
        }
      />
    </Page>
  );
}
