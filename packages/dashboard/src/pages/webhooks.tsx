import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { client } from '../api';
import { Form } from '../components/action';
import { Badge } from '../components/badge';
import { Dialog } from '../components/dialog';
import { List, type Column } from '../components/list';
import { Page } from '../components/page';
import { ShownOnce } from '../components/shown-once';
import { Empty } from '../components/states';
import { WebhookFields, webhookOf } from '../components/webhook-fields';
import { Time } from '../format';
import { useCan } from '../session';
import type { Webhook } from '../types';

const COLUMNS: readonly Column<Webhook>[] = [
  {
    name: 'Address',
    show: ({ id, url }) => (
      <Link class="title" href={`/webhooks/${id}`}>
        {url}
      </Link>
    ),
  },
  { name: 'State', show: (webhook) => <WebhookState webhook={webhook} /> },
  { name: 'Events', show: ({ events }) => events.join(', ') },
  { name: 'Created', show: ({ createdAt }) => <Time at={createdAt} /> },
];

export function WebhookState({ webhook: { enabled, failingSince } }: { readonly webhook: Webhook }) {
  if (!enabled) return <Badge state="disabled" tone="bad" />;
  return failingSince === null ? <Badge state="enabled" tone="good" /> : <Badge state="failing" tone="warn" />;
}

export default function Webhooks() {
  const [isCreating, setCreating] = useState(false);
  const canCreate = useCan('manage');
  return (
    <Page
      title="Webhooks"
      actions={
        canCreate && (
          <button type="button" class="primary" onClick={() => setCreating(true)}>
            New webhook
          </button>
        )
      }
    >
      {isCreating && <Create close={() => setCreating(false)} />}
      <List<Webhook>
        name={['webhooks']}
        load={(page, options) => client.webhooks.list(page, options).first()}
        label="Webhooks"
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty={
          <Empty title="No webhooks yet">
            <p class="muted">A webhook posts the events that you choose to your backend, signed and with retries.</p>
          </Empty>
        }
      />
    </Page>
  );
}

function Create({ close }: { readonly close: () => void }) {
  const [secret, setSecret] = useState<string>();
  const create = async (fields: FormData): Promise<void> => {
    setSecret((await client.webhooks.create(webhookOf(fields))).secret);
  };
  return (
    <Dialog title="New webhook" onClose={close}>
      {secret === undefined ? (
        <Form submit="Create webhook" run={create}>
          <WebhookFields />
        </Form>
      ) : (
        <>
          <p>The secret of the signatures. It is shown only now.</p>
          <ShownOnce text={secret} label="the secret" close={close} />
        </>
      )}
    </Dialog>
  );
}
