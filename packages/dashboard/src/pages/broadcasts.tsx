import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { client } from '../api';
import { Form, textOf } from '../components/action';
import { Badge } from '../components/badge';
import { Dialog } from '../components/dialog';
import { List, type Column } from '../components/list';
import { Page } from '../components/page';
import { Progress } from '../components/progress';
import { Empty } from '../components/states';
import { formatCount, Time } from '../format';
import { useCan } from '../session';
import type { BroadcastSummary } from '../types';

const REFRESH_MS = 3_000;

const COLUMNS: readonly Column<BroadcastSummary>[] = [
  {
    name: 'Name',
    show: ({ id, name }) => (
      <Link class="title" href={`/broadcasts/${id}`}>
        {name}
      </Link>
    ),
  },
  { name: 'Status', show: ({ status }) => <Badge state={status} /> },
  { name: 'Progress', show: ({ progress }) => <Progress progress={progress} /> },
  { name: 'Recipients', isNumber: true, show: ({ progress }) => formatCount(progress.total) },
  { name: 'Started', show: ({ startedAt }) => <Time at={startedAt} /> },
];

export default function Broadcasts() {
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
      {isCreating && <Create close={() => setCreating(false)} />}
      <List<BroadcastSummary>
        name={['broadcasts']}
        load={(page, options) => client.broadcasts.list(page, options).first()}
        label="Broadcasts"
        columns={COLUMNS}
        idOf={({ id }) => id}
        linkTo={({ id }) => `/broadcasts/${id}`}
        refreshMs={REFRESH_MS}
        empty={
          <Empty title="No broadcasts yet">
            <p class="muted">
              Write a message, add recipients from a CSV file, send now or later, pause whenever you like.
            </p>
          </Empty>
        }
      />
    </Page>
  );
}

function Create({ close }: { readonly close: () => void }) {
  const [, go] = useLocation();
  const create = async (fields: FormData): Promise<void> => {
    const text = (name: string): string => textOf(fields, name) ?? '';
    const { id } = await client.broadcasts.create({
      name: text('name'),
      from: text('from'),
      subject: text('subject'),
      htmlContent: text('htmlContent'),
    });
    go(`/broadcasts/${id}`);
  };
  return (
    <Dialog title="New broadcast" onClose={close}>
      <Form submit="Create draft" run={create}>
        <label>
          Name
          <input name="name" required />
        </label>
        <label>
          From
          <input name="from" required placeholder="Ada <ada@acme.example>" />
        </label>
        <label>
          Subject
          <input name="subject" required placeholder="News for {{ name }}" />
        </label>
        <label>
          HTML or MJML
          <textarea name="htmlContent" required spellcheck={false} />
        </label>
      </Form>
    </Dialog>
  );
}
