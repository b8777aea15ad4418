import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation, useParams } from 'wouter-preact';
import { client } from '../api';
import { Action, Form, textOf } from '../components/action';
import { Copyable } from '../components/copy';
import { Dialog } from '../components/dialog';
import { Card, Page } from '../components/page';
import { PageFailure } from '../components/page-failure';
import { CredentialFields, EventKeyField, numberOf, ShareFields } from '../components/provider-fields';
import { Loading } from '../components/states';
import { formatCount, formatRatio, Time } from '../format';
import { REFRESH_MS } from '../live';
import { credentialsOf, PROVIDER_KINDS } from '../provider-types';
import { quoted } from '../quoted';
import { pauseWords } from '../sending-words';
import { useCan } from '../session';
import type { Provider } from '../types';
import { ProviderState } from './providers';

type Dialogs = 'credentials' | 'share' | 'events';

export default function ProviderPage() {
  const { id } = useParams<{ id: string }>();
  const [opened, open] = useState<Dialogs>();
  const close = (): void => open(undefined);
  const query = useQuery({
    queryKey: ['provider', id],
    queryFn: ({ signal }) => client.providers.get(id, { signal }),
    refetchInterval: REFRESH_MS,
  });
  if (query.isPending) return <Loading />;
  if (query.isLoadingError)
    return <PageFailure error={query.error} list={['/providers', 'Providers']} retry={() => void query.refetch()} />;
  const provider = query.data;
  return (
    <Page
      title={provider.name}
      hint={
        <>
          <ProviderState provider={provider} /> {PROVIDER_KINDS[provider.type].name}
        </>
      }
      actions={<Actions provider={provider} open={open} />}
    >
      {opened === 'credentials' && <ChangeCredentials provider={provider} close={close} />}
      {opened === 'share' && <ChangeShare provider={provider} close={close} />}
      {opened === 'events' && <ChangeEventKey provider={provider} close={close} />}
      <Pause provider={provider} />
      <Card title="Account">
        <dl class="facts">
          <dt>Account</dt>
          <dd>{provider.account ?? '–'}</dd>
          <dt>Weight</dt>
          <dd>{provider.weight === null ? 'none' : formatCount(provider.weight)}</dd>
          <dt>Emails per second</dt>
          <dd>{provider.perSecond === null ? 'no limit' : formatRatio(provider.perSecond)}</dd>
          <dt>Changed</dt>
          <dd>
            <Time at={provider.changedAt} />
          </dd>
        </dl>
      </Card>
      {PROVIDER_KINDS[provider.type].eventKey !== undefined && <Events provider={provider} open={open} />}
    </Page>
  );
}

interface ActionsProps {
  readonly provider: Provider;
  open(dialog: Dialogs): void;
}

function Actions({ provider: { id, name }, open }: ActionsProps) {
  const canManage = useCan('manage');
  const [, go] = useLocation();
  if (!canManage) return null;
  return (
    <>
      <button type="button" onClick={() => open('share')}>
        Change
      </button>
      <button type="button" onClick={() => open('credentials')}>
        Change credentials
      </button>
      <Action
        label="Delete"
        scope="manage"
        isDangerous
        question={`No more mail goes through ${quoted(name)}, and its credentials are deleted. After the last one, mail goes through the provider of the platform.`}
        run={() => client.providers.delete(id)}
        onDone={() => go('/providers')}
      />
    </>
  );
}

function Pause({ provider: { state, pausedUntil } }: { readonly provider: Provider }) {
  const words = pauseWords(state);
  if (words === undefined) return null;
  return (
    <p class={`notice ${state === 'throttled' ? 'warn' : 'bad'}`}>
      The provider {words.why}. {words.todo} Sending is retried <Time at={pausedUntil} />.
    </p>
  );
}

function Events({ provider: { type, eventsUrl }, open }: ActionsProps) {
  const canManage = useCan('manage');
  return (
    <Card title="Events">
      {eventsUrl === null ? (
        <p class="muted">
          Deliveries, bounces and complaints are not reported. Add the key that verifies them:{' '}
          {PROVIDER_KINDS[type].eventKey}.
        </p>
      ) : (
        <>
          <p>Enter this address at the provider, so that it reports deliveries, bounces and complaints.</p>
          <Copyable text={eventsUrl} label="the address for events" />
          {type === 'postmark' && (
            <p class="muted">Put user and password in front of its host: https://user:password@…</p>
          )}
        </>
      )}
      {canManage && (
        <div class="actions">
          <button type="button" onClick={() => open('events')}>
            {eventsUrl === null ? 'Add key' : 'Change key'}
          </button>
        </div>
      )}
    </Card>
  );
}

interface ChangeProps {
  readonly provider: Provider;
  close(): void;
}

function ChangeCredentials({ provider: { id, type }, close }: ChangeProps) {
  return (
    <Dialog title="Change credentials" onClose={close}>
      <Form
        submit="Change credentials"
        run={(fields) => client.providers.change(id, { credentials: credentialsOf(type, fields) })}
        onDone={close}
      >
        <p class="muted">The old ones are replaced as a whole. Workers use the new ones within seconds.</p>
        <CredentialFields type={type} />
      </Form>
    </Dialog>
  );
}

function ChangeShare({ provider, close }: ChangeProps) {
  // As the form began: the page reads the provider again in the meantime.
  const [opened] = useState(provider);
  // Only what was changed, so that a change of somebody else meanwhile stays.
  const change = async (fields: FormData): Promise<void> => {
    const name = textOf(fields, 'name') ?? opened.name;
    const [weight, perSecond] = [numberOf(fields, 'weight'), numberOf(fields, 'perSecond')];
    const changes = {
      ...(name !== opened.name && { name }),
      ...(weight !== opened.weight && { weight }),
      ...(perSecond !== opened.perSecond && { perSecond }),
    };
    if (Object.keys(changes).length > 0) await client.providers.change(opened.id, changes);
  };
  return (
    <Dialog title="Change provider" onClose={close}>
      <Form submit="Save" run={change} onDone={close}>
        <label>
          Name
          <input name="name" required maxLength={100} defaultValue={opened.name} />
        </label>
        <ShareFields provider={opened} />
      </Form>
    </Dialog>
  );
}

function ChangeEventKey({ provider: { id, type }, close }: ChangeProps) {
  return (
    <Dialog title="Key of the events" onClose={close}>
      <Form
        submit="Save"
        run={(fields) => client.providers.change(id, { eventKey: textOf(fields, 'eventKey') ?? null })}
        onDone={close}
      >
        <EventKeyField type={type} isRequired />
        <p class="muted">While a key changes, give both, separated by a comma.</p>
      </Form>
    </Dialog>
  );
}
