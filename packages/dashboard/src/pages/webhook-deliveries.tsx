import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { client } from '../api';
import { Action } from '../components/action';
import { Badge } from '../components/badge';
import { Copyable } from '../components/copy';
import { Dialog } from '../components/dialog';
import { List, type Column } from '../components/list';
import { Empty, Failure, Loading } from '../components/states';
import { formatCount, Time } from '../format';
import { POLL_MS } from '../live';
import type { WebhookDelivery } from '../types';

interface WebhookDeliveriesProps {
  readonly id: string;
  /** A disabled webhook gets no retries. */
  readonly isEnabled: boolean;
}

export function WebhookDeliveries({ id, isEnabled }: WebhookDeliveriesProps) {
  const [shown, show] = useState<string>();
  return (
    <section class="stack">
      <h2>Deliveries</h2>
      {shown !== undefined && <Delivery webhookId={id} id={shown} close={() => show(undefined)} />}
      <List<WebhookDelivery>
        name={['deliveries', id]}
        load={(page, options) => client.webhooks.deliveries(id, page, options).first()}
        label="Deliveries"
        columns={columns(id, isEnabled, show)}
        idOf={(delivery) => delivery.id}
        refreshMs={POLL_MS}
        empty={
          <Empty title="No deliveries yet">
            <p class="muted">
              {isEnabled ? 'Send a test, or an email: its events appear here.' : 'It gets none while it is disabled.'}
            </p>
          </Empty>
        }
      />
    </section>
  );
}

function columns(
  webhookId: string,
  isEnabled: boolean,
  show: (id: string) => void,
): readonly Column<WebhookDelivery>[] {
  return [
    { name: 'Status', show: ({ status }) => <Badge state={status} /> },
    { name: 'Event', show: ({ type }) => type },
    { name: 'Created', show: ({ createdAt }) => <Time at={createdAt} /> },
    { name: 'Attempts', isNumber: true, show: ({ attemptCount }) => formatCount(attemptCount) },
    { name: 'Last response', show: ({ attempts: [latest] }) => <Attempt attempt={latest} /> },
    {
      name: '',
      show: ({ id, type, createdAt }) => (
        <div class="actions">
          <button
            type="button"
            class="small"
            aria-label={`Show the request of ${nameOf(type, createdAt)}`}
            onClick={() => show(id)}
          >
            Show
          </button>
          <Action
            label="Retry"
            about={nameOf(type, createdAt)}
            scope="manage"
            isSmall
            isDisabled={!isEnabled}
            run={() => client.webhooks.retryDelivery(webhookId, id)}
          />
        </div>
      ),
    },
  ];
}

/** Many deliveries have the same type. */
function nameOf(type: string, createdAt: string): string {
  return `${type} of ${new Date(createdAt).toLocaleString()}`;
}

function Attempt({ attempt }: { readonly attempt: WebhookDelivery['attempts'][number] | undefined }) {
  if (attempt === undefined) return <span class="muted">none yet</span>;
  const { status, error, durationMs } = attempt;
  return (
    <>
      {status ?? error} <span class="hint">in {formatCount(durationMs)} ms</span>
    </>
  );
}

interface DeliveryProps {
  readonly webhookId: string;
  readonly id: string;
  readonly close: () => void;
}

/** The request of a delivery, and every response to it. */
function Delivery({ webhookId, id, close }: DeliveryProps) {
  const delivery = useQuery({
    queryKey: ['delivery', id],
    queryFn: ({ signal }) => client.webhooks.delivery(webhookId, id, { signal }),
    refetchInterval: POLL_MS,
  });
  return (
    <Dialog title="Delivery" onClose={close}>
      {delivery.isPending && <Loading />}
      {delivery.isError && <Failure error={delivery.error} retry={() => void delivery.refetch()} />}
      {delivery.data !== undefined && (
        <>
          <p>
            <Badge state={delivery.data.status} /> {delivery.data.type}
            {delivery.data.nextAttemptAt !== null && (
              <span class="muted">
                {' '}
                next attempt <Time at={delivery.data.nextAttemptAt} />
              </span>
            )}
          </p>
          <h3>Request</h3>
          <Copyable text={readable(delivery.data.body)} label="the body of the request" />
          <h3>Responses</h3>
          {delivery.data.attempts.length === 0 && <p class="muted">No attempt yet.</p>}
          <ol class="timeline">
            {delivery.data.attempts.map((attempt) => (
              <li key={attempt.number} class={attempt.error === null ? 'good' : 'bad'}>
                <div class="what">
                  <span>
                    <strong>{attempt.status ?? 'No response'}</strong>{' '}
                    <span class="muted">in {formatCount(attempt.durationMs)} ms</span>
                  </span>
                  <span class="muted">
                    <Time at={attempt.at} />
                  </span>
                </div>
                {attempt.error !== null && <span class="hint">{attempt.error}</span>}
                {attempt.answer !== null && attempt.answer !== '' && <pre>{attempt.answer}</pre>}
              </li>
            ))}
          </ol>
        </>
      )}
      <div class="actions">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
