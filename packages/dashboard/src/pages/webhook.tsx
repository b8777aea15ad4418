import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation, useParams } from 'wouter-preact';
import { client } from '../api';
import { Action, Form } from '../components/action';
import { Badge } from '../components/badge';
import { Dialog } from '../components/dialog';
import { Page } from '../components/page';
import { PageFailure } from '../components/page-failure';
import { ShownOnce } from '../components/shown-once';
import { Loading } from '../components/states';
import { WebhookFields, webhookOf } from '../components/webhook-fields';
import { Time } from '../format';
import { useRefreshMs } from '../live';
import { useCan } from '../session';
import type { Webhook } from '../types';
import { ReplayDeliveries } from './replay-deliveries';
import { WebhookDeliveries } from './webhook-deliveries';
import { WebhookState } from './webhooks';

export default function WebhookPage() {
  const { id } = useParams<{ id: string }>();
  const canManage = useCan('manage');
  const [secret, setSecret] = useState<string>();
  const [isReplaying, setReplaying] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const webhook = useQuery({
    queryKey: ['webhook', id],
    queryFn: ({ signal }) => client.webhooks.get(id, { signal }),
    refetchInterval: useRefreshMs(),
  });
  if (webhook.isPending) return <Loading />;
  if (webhook.isLoadingError)
    return <PageFailure error={webhook.error} list={['/webhooks', 'Webhooks']} retry={() => void webhook.refetch()} />;
  const { data } = webhook;
  return (
    <Page
      title={data.url}
      hint={<Since webhook={data} />}
      actions={
        canManage && (
          <>
            <Action
              label="Send a test"
              scope="manage"
              isPrimary={data.enabled}
              isDisabled={!data.enabled}
              run={() => client.webhooks.test(id)}
            />
            <button type="button" disabled={!data.enabled} onClick={() => setReplaying(true)}>
              Replay
            </button>
            <button type="button" onClick={() => setEditing(true)}>
              Edit
            </button>
            <Changes webhook={data} showSecret={setSecret} />
          </>
        )
      }
    >
      {!data.enabled && <p class="notice warn">It gets no events, tests or retries until you enable it.</p>}
      {secret !== undefined && (
        <Dialog title="New secret" onClose={() => setSecret(undefined)}>
          <p>It is shown only now. For 24 hours, deliveries are also signed with the old one.</p>
          <ShownOnce text={secret} label="the secret" close={() => setSecret(undefined)} />
        </Dialog>
      )}
      {isEditing && <Edit webhook={data} close={() => setEditing(false)} />}
      {isReplaying && <ReplayDeliveries id={id} close={() => setReplaying(false)} />}
      <p class="actions">
        {data.events.map((event) => (
          <Badge key={event} state={event} tone="plain" />
        ))}
        {data.people && <Badge state="people only" tone="info" />}
      </p>
      <WebhookDeliveries id={id} isEnabled={data.enabled} />
    </Page>
  );
}

const REASONS = {
  requested: 'by a user',
  gone: 'because the receiver responded with 410',
  failing: 'after five days of failures',
} as const;

function Since({ webhook }: { readonly webhook: Webhook }) {
  const { disabledAt, disabledReason, failingSince } = webhook;
  return (
    <>
      <WebhookState webhook={webhook} />{' '}
      {disabledAt !== null && (
        <>
          since <Time at={disabledAt} /> {disabledReason !== null && REASONS[disabledReason]}
        </>
      )}
      {disabledAt === null && failingSince !== null && (
        <>
          since <Time at={failingSince} />
        </>
      )}
    </>
  );
}

interface EditProps {
  readonly webhook: Webhook;
  close(): void;
}

function Edit({ webhook, close }: EditProps) {
  // As the form began: the page reads the webhook again in the meantime.
  const [opened] = useState(webhook);
  // Only what was changed, so that a change of somebody else meanwhile stays.
  const save = async (fields: FormData): Promise<void> => {
    const { url, events, people } = webhookOf(fields);
    const changes = {
      ...(url !== opened.url && { url }),
      ...(String([...events].sort()) !== String([...opened.events].sort()) && { events }),
      ...(people !== opened.people && { people }),
    };
    if (Object.keys(changes).length > 0) await client.webhooks.change(opened.id, changes);
  };
  return (
    <Dialog title="Edit webhook" onClose={close}>
      <Form submit="Save" run={save} onDone={close}>
        <WebhookFields webhook={opened} />
      </Form>
    </Dialog>
  );
}

interface ChangesProps {
  readonly webhook: Webhook;
  showSecret(secret: string): void;
}

function Changes({ webhook: { id, url, enabled }, showSecret }: ChangesProps) {
  const [, go] = useLocation();
  return (
    <>
      <Action
        label={enabled ? 'Disable' : 'Enable'}
        scope="manage"
        isPrimary={!enabled}
        {...(enabled && { question: 'It receives no events until you enable it; pending ones are delivered then.' })}
        run={() => client.webhooks.change(id, { enabled: !enabled })}
      />
      <Action
        label="Rotate secret"
        scope="manage"
        question="Signatures are made with a new secret from now on. For 24 hours, deliveries are also signed with the old one."
        run={() => client.webhooks.rotateSecret(id)}
        showResult={({ secret }) => showSecret(secret)}
      />
      <Action
        label="Delete"
        scope="manage"
        isDangerous
        question={`Pending deliveries to ${url} and its log are deleted.`}
        run={() => client.webhooks.delete(id)}
        onDone={() => go('/webhooks')}
      />
    </>
  );
}
