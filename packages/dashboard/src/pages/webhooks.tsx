import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { webhookEventNames } from '../../../client/src/index';
import { client } from '../api';
import { Form, textOf } from '../components/action';
import { Badge } from '../components/badge';
import { Copyable } from '../components/copy';
import { Dialog } from '../components/dialog';
import { List, type Column } from '../components/list';
import { Page } from '../components/page';
import { Empty } from '../components/states';
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
    const events = fields.getAll('events') as Webhook['events'];
    const webhook = await client.webhooks.create({
      url: textOf(fields, 'url') ?? '',
      events,
      people: fields.has('people'),
    });
    setSecret(webhook.secret);
  };
  return (
    <Dialog title="New webhook" onClose={close}>
      {secret === undefined ? (
        <Form submit="Create webhook" run={create} labels={{ url: 'Address' }}>
          <label>
            Address
            <input name="url" type="url" required placeholder="https://acme.example/hooks/mail" />
          </label>
          <p class="hint">
            The address first gets a POST of the type <code>ENDPOINT_CHALLENGE</code>, and must return its{' '}
            <code>data.challenge</code> as text within 5 seconds. So it proves that it is yours.
          </p>
          <fieldset class="stack">
            <legend>Events</legend>
            {webhookEventNames.map((event) => (
              <label key={event} class="inline">
                <input type="checkbox" name="events" value={event} defaultChecked /> {event}
              </label>
            ))}
          </fieldset>
          <label class="inline">
            <input type="checkbox" name="people" /> Opens and clicks by people only
          </label>
        </Form>
      ) : (
        <>
          <p>The secret of the signatures. It is shown only now.</p>
          <Copyable text={secret} label="the secret" />
          <div class="actions">
            <button type="button" onClick={close}>
              Done
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}
