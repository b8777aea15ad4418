import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { client } from '../api';
import { Form, textOf } from '../components/action';
import { Badge } from '../components/badge';
import { Dialog } from '../components/dialog';
import { List, type Column } from '../components/list';
import { Page } from '../components/page';
import { Empty } from '../components/states';
import { Time } from '../format';
import { useCan } from '../session';
import type { Domain } from '../types';

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
    show: ({ status, failingSince }) => (
      <Badge
        state={failingSince === null ? status : 'failing'}
        tone={failingSince === null ? (status === 'verified' ? 'good' : 'warn') : 'bad'}
      />
    ),
  },
  { name: 'Notice', show: ({ notice }) => notice ?? <span class="muted">–</span> },
  { name: 'Last check', show: ({ checkedAt }) => <Time at={checkedAt} /> },
];

export default function Domains() {
  const [isAdding, setAdding] = useState(false);
  const canAdd = useCan('manage');
  const [, go] = useLocation();
  return (
    <Page
      title="Domains"
      hint="Mail from a verified domain is signed for it."
      actions={
        canAdd && (
          <button type="button" class="primary" onClick={() => setAdding(true)}>
            Add domain
          </button>
        )
      }
    >
      {isAdding && (
        <Dialog title="Add domain" onClose={() => setAdding(false)}>
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
      )}
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
    </Page>
  );
}
