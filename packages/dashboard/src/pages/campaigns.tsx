import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { client } from '../api';
import { Form, textOf } from '../components/action';
import { Dialog } from '../components/dialog';
import { List, type Column } from '../components/list';
import { Page } from '../components/page';
import { Choice, NothingMatches, Search, useFilters } from '../components/search';
import { Empty } from '../components/states';
import { Time } from '../format';
import { useCan } from '../session';
import { shownName } from '../shown-name';
import { useGo } from '../shown';
import type { Campaign } from '../types';

const ARCHIVED = 'archived';

const COLUMNS: readonly Column<Campaign>[] = [
  {
    name: 'Name',
    show: ({ id, name }) => (
      <Link class="title" dir="auto" href={`/campaigns/${id}`}>
        {shownName(name)}
      </Link>
    ),
  },
  { name: 'Created', show: ({ createdAt }) => <Time at={createdAt} /> },
];

export default function Campaigns() {
  const [filter] = useFilters();
  const search = filter('search');
  const status = filter('status');
  const query = { ...(search !== '' && { search }), ...(status === ARCHIVED && { archived: 'true' as const }) };
  const [isCreating, setCreating] = useState(false);
  const canCreate = useCan('manage');
  return (
    <Page
      title="Campaigns"
      actions={
        canCreate && (
          <button type="button" class="primary" onClick={() => setCreating(true)}>
            New campaign
          </button>
        )
      }
    >
      {isCreating && <NewCampaign close={() => setCreating(false)} />}
      <div class="filters">
        <Search name="search" label="Name" />
        <Choice name="status" label="Status" none="active" values={[ARCHIVED]} />
      </div>
      <List<Campaign>
        name={['campaigns', query]}
        filter={query}
        load={(page, options) => client.campaigns.list({ ...page, ...query }, options).first()}
        label="Campaigns"
        live="email.accepted"
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty={
          Object.keys(query).length > 0 ? (
            <NothingMatches title="No campaign matches" names={['search', 'status']} />
          ) : (
            <Empty title="No active campaigns">
              <p class="muted">
                A campaign groups emails and adds up their numbers. A send with a new <code>campaignId</code> makes one,
                too.
              </p>
            </Empty>
          )
        }
      />
    </Page>
  );
}

function NewCampaign({ close }: { readonly close: () => void }) {
  const go = useGo();
  return (
    <Dialog title="New campaign" onClose={close}>
      <Form
        submit="Create campaign"
        run={async (fields) => {
          const { id } = await client.campaigns.create({ name: textOf(fields, 'name') ?? '' });
          go(`/campaigns/${id}`);
        }}
      >
        <label>
          Name
          <input dir="auto" name="name" required maxLength={200} />
        </label>
      </Form>
    </Dialog>
  );
}
