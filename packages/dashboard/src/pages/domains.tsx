import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { client } from '../api';
import { Form, textOf } from '../components/action';
import { Badge } from '../components/badge';
import { Dialog } from '../components/dialog';
import { List, type Column } from '../components/list';
import { Page } from '../components/page';
import { Empty } from '../components/states';
import { Time } from '../format';
import { useCan } from '../session';
import { useGo } from '../shown';
import type { Domain, TrackingDomain } from '../types';

const COLUMNS: readonly Column<Domain>[] = [
  {
    name: 'Domain',
    show: ({ id, shownDomain }) => (
      <Link class="title" href={`/domains/${id}`}>
        {shownDomain}
      </Link>
    ),
  },
  {
    name: 'Status',
    show: ({ status, failingSince }) => <StatusBadge status={status} isFailing={failingSince !== null} />,
  },
  { name: 'Notice', show: ({ notice }) => notice ?? <span class="muted">–</span> },
  { name: 'Last check', show: ({ checkedAt }) => <Time at={checkedAt} /> },
];

const TRACKING_COLUMNS: readonly Column<TrackingDomain>[] = [
  {
    name: 'Domain',
    show: ({ id, shownDomain }) => (
      <Link class="title" href={`/domains/tracking/${id}`}>
        {shownDomain}
      </Link>
    ),
  },
  {
    name: 'Status',
    show: ({ status, failingSince }) => <StatusBadge status={status} isFailing={failingSince !== null} />,
  },
  { name: 'In use since', show: ({ usedSince }) => <Time at={usedSince} none="–" /> },
  { name: 'Last check', show: ({ checkedAt }) => <Time at={checkedAt} /> },
];

function StatusBadge({ status, isFailing }: { readonly status: Domain['status']; readonly isFailing: boolean }) {
  if (isFailing) return <Badge state="failing" tone="bad" />;
  return <Badge state={status} tone={status === 'verified' ? 'good' : 'warn'} />;
}

type Added = 'sending' | 'tracking';

export default function Domains() {
  const [added, setAdded] = useState<Added>();
  const canAdd = useCan('manage');
  return (
    <Page
      title="Domains"
      hint="Mail from a verified domain is signed for it. Links can begin with your domain, too."
      actions={
        canAdd && (
          <>
            <button type="button" onClick={() => setAdded('tracking')}>
              Add tracking domain
            </button>
            <button type="button" class="primary" onClick={() => setAdded('sending')}>
              Add domain
            </button>
          </>
        )
      }
    >
      {added === 'sending' && <AddDomain onClose={() => setAdded(undefined)} />}
      {added === 'tracking' && <AddTrackingDomain onClose={() => setAdded(undefined)} />}
      <List<Domain>
        name={['domains']}
        load={(page, options) => client.domains.list(page, options).first()}
        label="Domains"
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty={
          <Empty title="No domains yet">
            <p class="muted">Without one, emails are sent from an address of the platform.</p>
          </Empty>
        }
      />
      <h2>Tracking domains</h2>
      <List<TrackingDomain>
        name={['tracking-domains']}
        load={(page, options) => client.trackingDomains.list(page, options).first()}
        label="Tracking domains"
        columns={TRACKING_COLUMNS}
        idOf={({ id }) => id}
        empty={
          <Empty title="No tracking domains yet">
            <p class="muted">Without one, links begin with the address of the platform.</p>
          </Empty>
        }
      />
    </Page>
  );
}

function AddDomain({ onClose }: { readonly onClose: () => void }) {
  const go = useGo();
  return (
    <Dialog title="Add domain" onClose={onClose}>
      <Form
        submit="Add domain"
        run={async (fields) => {
          const { id } = await client.domains.create({ domain: textOf(fields, 'domain') ?? '' });
          go(`/domains/${id}`);
        }}
      >
        <label>
          Domain of your senders
          <input name="domain" required placeholder="mail.acme.example" />
        </label>
      </Form>
    </Dialog>
  );
}

function AddTrackingDomain({ onClose }: { readonly onClose: () => void }) {
  const go = useGo();
  return (
    <Dialog title="Add tracking domain" onClose={onClose}>
      <Form
        submit="Add tracking domain"
        run={async (fields) => {
          const { id } = await client.trackingDomains.create({ domain: textOf(fields, 'domain') ?? '' });
          go(`/domains/tracking/${id}`);
        }}
      >
        <label>
          Domain of your links
          <input name="domain" required placeholder="click.acme.example" />
        </label>
        <p class="muted">A name that has no other records.</p>
      </Form>
    </Dialog>
  );
}
