import { useState } from 'preact/hooks';
import { client } from '../api';
import { Action, Form, textOf } from '../components/action';
import { Badge } from '../components/badge';
import { Dialog } from '../components/dialog';
import { List, type Column } from '../components/list';
import { Page } from '../components/page';
import { ShownOnce } from '../components/shown-once';
import { Empty } from '../components/states';
import { Time } from '../format';
import { quoted } from '../quoted';
import { useIsOwner } from '../session';
import { shownName } from '../shown-name';
import type { Key } from '../types';

/** What each scope allows. */
const SCOPES: Readonly<Record<Key['scopes'][number], string>> = {
  send: 'send mail',
  read: 'read everything',
  manage: 'change everything else',
};

const COLUMNS: readonly Column<Key>[] = [
  {
    name: 'Name',
    show: ({ name, id }) => (name === null ? <span class="mono">{id}</span> : <bdi>{shownName(name)}</bdi>),
  },
  {
    name: 'Scopes',
    show: ({ scopes }) => (
      <div class="badges">
        {scopes.map((scope) => (
          <Badge key={scope} state={SCOPES[scope]} />
        ))}
      </div>
    ),
  },
  { name: 'Senders', show: ({ allowedDomains }) => allowedDomains?.join(', ') ?? 'all' },
  { name: 'Networks', show: ({ allowedAddresses }) => allowedAddresses?.join(', ') ?? 'all' },
  { name: 'Last used', show: ({ lastUsedAt }) => <Time at={lastUsedAt} none="never" /> },
  { name: 'Expires', show: ({ expiresAt }) => <Time at={expiresAt} none="never" /> },
  { name: '', show: (key) => <Revoke apiKey={key} /> },
];

function Revoke({ apiKey: { id, name } }: { readonly apiKey: Key }) {
  const isOwner = useIsOwner();
  if (!isOwner) return null;
  return (
    <Action
      label="Revoke"
      about={shownName(name ?? id)}
      scope="manage"
      isSmall
      isDangerous
      question={`Requests with ${quoted(name ?? id)} are refused within 5 seconds. This cannot be undone.`}
      run={() => client.keys.revoke(id)}
    />
  );
}

export default function Keys() {
  const [isCreating, setCreating] = useState(false);
  const canCreate = useIsOwner();
  return (
    <Page
      title="API keys"
      actions={
        canCreate && (
          <button type="button" class="primary" onClick={() => setCreating(true)}>
            New key
          </button>
        )
      }
    >
      {isCreating && <Create close={() => setCreating(false)} />}
      <List<Key>
        name={['keys']}
        load={(page, options) => client.keys.list(page, options).first()}
        label="API keys"
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty={
          <Empty title="No keys yet">
            <p class="muted">Your backend sends its key with every request.</p>
          </Empty>
        }
      />
    </Page>
  );
}

function Create({ close }: { readonly close: () => void }) {
  const [key, setKey] = useState<string>();
  const create = async (fields: FormData): Promise<void> => {
    const list = (name: string): string[] | undefined => textOf(fields, name)?.split(/[\s,;]+/);
    const expires = textOf(fields, 'expiresAt');
    const scopes = fields.getAll('scopes') as Key['scopes'];
    if (scopes.length === 0) throw new Error('Choose at least one thing that the key may do.');
    const { key: created } = await client.keys.create({
      name: textOf(fields, 'name') ?? '',
      scopes,
      expiresAt: expires === undefined ? undefined : new Date(expires).toISOString(),
      allowedDomains: list('allowedDomains'),
      allowedAddresses: list('allowedAddresses'),
    });
    setKey(created);
  };
  return (
    <Dialog title="New key" onClose={close}>
      {key === undefined ? (
        <Form submit="Create key" run={create}>
          <label>
            Name
            <input name="name" required placeholder="Shop backend" />
          </label>
          <fieldset class="stack">
            <legend>It may</legend>
            {Object.entries(SCOPES).map(([scope, meaning]) => (
              <label key={scope} class="inline">
                <input type="checkbox" name="scopes" value={scope} defaultChecked={scope === 'send'} /> {meaning}
              </label>
            ))}
          </fieldset>
          <label>
            Sender domains <span class="hint">leave empty to allow all</span>
            <input name="allowedDomains" placeholder="acme.example" />
          </label>
          <label>
            Networks of clients <span class="hint">leave empty to allow all</span>
            <input name="allowedAddresses" placeholder="192.0.2.0/24" />
          </label>
          <label>
            Expires <span class="hint">in your time zone; never when empty</span>
            <input name="expiresAt" type="datetime-local" />
          </label>
        </Form>
      ) : (
        <>
          <p>Copy the key now. It is never shown again.</p>
          <ShownOnce text={key} label="the key" close={close} />
        </>
      )}
    </Dialog>
  );
}
