import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation, useParams } from 'wouter-preact';
import { client } from '../api';
import { Action, Form, textOf } from '../components/action';
import { Badge } from '../components/badge';
import { Copyable } from '../components/copy';
import { Dialog } from '../components/dialog';
import { List, type Column } from '../components/list';
import { Card, Page } from '../components/page';
import { Empty, Failure, Loading } from '../components/states';
import { formatCount, Time } from '../format';
import type { WebhookDelivery } from '../types';
import { WebhookState } from './webhooks';

const REFRESH_MS = 5_000;

export default function WebhookPage() {
  const { id } = useParams<{ id: string }>();
  const [, go] = useLocation();
  const [secret, setSecret] = useState<string>();
  const [isReplaying, setReplaying] = useState(false);
  const webhook = useQuery({ queryKey: ['webhook', id], queryFn: ({ signal }) => client.webhooks.get(id, { signal }) });
  if (webhook.isPending) return <Loading />;
  if (webhook.isError) return <Failure error={webhook.error} retry={() => void webhook.refetch()} />;
  const { data } = webhook;
  const rotate = async (): Promise<void> => {
    setSecret((await client.webhooks.rotateSecret(id)).secret);
  };
  return (
    <Page
      title={data.url}
      hint={<WebhookState webhook={data} />}
      actions={
        <>
          <Action label="Send a test" scope="manage" isPrimary run={() => client.webhooks.test(id)} />
          <button type="button" onClick={() => setReplaying(true)}>
            Replay
          </button>
          <Action
            label={data.enabled ? 'Disable' : 'Enable'}
            scope="manage"
            run={() => client.webhooks.change(id, { enabled: !data.enabled })}
          />
          <Action
            label="Rotate secret"
            scope="manage"
            question="Signatures are made with a new secret from now on."
            run={rotate}
          />
          <Action
            label="Delete"
            scope="manage"
            isDangerous
            question="Deliveries that wait are not made."
            run={() => client.webhooks.delete(id)}
            onDone={() => go('/webhooks')}
          />
        </>
      }
    >
      {secret !== undefined && (
        <Card title="New secret, shown only now">
          <Copyable text={secret} label="the secret" />
        </Card>
      )}
      {isReplaying && (
        <Dialog title="Replay missed deliveries" onClose={() => setReplaying(false)}>
          <Form
            submit="Replay"
            run={(fields) =>
              client.webhooks.replay(id, { since: new Date(textOf(fields, 'since') ?? '').toISOString() })
            }
            onDone={() => setReplaying(false)}
          >
            <label>
              Failed since
              <input name="since" type="datetime-local" required />
            </label>
          </Form>
        </Dialog>
      )}
      <p>
        {data.events.map((event) => (
          <Badge key={event} state={event} />
        ))}
      </p>
      <List<WebhookDelivery>
        name={['deliveries', id]}
        load={(page, options) => client.webhooks.deliveries(id, page, options).first()}
        label="Deliveries"
        columns={columns(id)}
        idOf={(delivery) => delivery.id}
        refreshMs={REFRESH_MS}
        empty={<Empty title="No deliveries yet" />}
      />
    </Page>
  );
}

function columns(webhookId: string): readonly Column<WebhookDelivery>[] {
  return [
    { name: 'Status', show: ({ status }) => <Badge state={status} /> },
    { name: 'Event', show: ({ type }) => type },
    { name: 'Created', show: ({ createdAt }) => <Time at={createdAt} /> },
    { name: 'Attempts', isNumber: true, show: ({ attemptCount }) => formatCount(attemptCount) },
    { name: 'Last answer', show: ({ attempts }) => <LastAttempt attempt={attempts.at(-1)} /> },
    {
      name: '',
      show: ({ id, status }) =>
        status === 'failed' && (
          <Action label="Retry" scope="manage" isSmall run={() => client.webhooks.retryDelivery(webhookId, id)} />
        ),
    },
  ];
}

function LastAttempt({ attempt }: { readonly attempt: WebhookDelivery['attempts'][number] | undefined }) {
  if (attempt === undefined) return <span class="muted">none yet</span>;
  const { status, error, answer, durationMs } = attempt;
  return (
    <>
      {status ?? error} <span class="hint">in {durationMs} ms</span>
      {answer !== null && <div class="hint mono">{answer}</div>}
    </>
  );
}
