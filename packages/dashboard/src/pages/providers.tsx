import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { client } from '../api';
import { Form, textOf } from '../components/action';
import { Badge } from '../components/badge';
import { Dialog } from '../components/dialog';
import { List, type Column } from '../components/list';
import { Page } from '../components/page';
import { CredentialFields, EventKeyField, numberOf, ShareFields } from '../components/provider-fields';
import { Empty } from '../components/states';
import { formatCount, formatRatio } from '../format';
import { credentialsOf, PROVIDER_KINDS, PROVIDER_TYPES, type ProviderType } from '../provider-types';
import { useCan } from '../session';
import { shownName } from '../shown-name';
import { useGo } from '../shown';
import type { Provider } from '../types';

const NONE = <span class="muted">–</span>;

const COLUMNS: readonly Column<Provider>[] = [
  {
    name: 'Name',
    show: ({ id, name }) => (
      <Link class="title" dir="auto" href={`/providers/${id}`}>
        {shownName(name)}
      </Link>
    ),
  },
  { name: 'Type', show: ({ type }) => PROVIDER_KINDS[type].name },
  { name: 'Account', show: ({ account }) => account ?? NONE },
  { name: 'State', show: (provider) => <ProviderState provider={provider} /> },
  { name: 'Weight', isNumber: true, show: ({ weight }) => (weight === null ? NONE : formatCount(weight)) },
  {
    name: 'Emails per second',
    isNumber: true,
    show: ({ perSecond }) => (perSecond === null ? NONE : formatRatio(perSecond)),
  },
];

const STATES = {
  available: ['available', 'good'],
  throttled: ['throttled', 'warn'],
  'credential-refused': ['credentials refused', 'bad'],
  failing: ['failing', 'bad'],
  unknown: ['unknown', 'plain'],
} as const;

export function ProviderState({ provider: { state } }: { readonly provider: Provider }) {
  const [name, tone] = STATES[state];
  return <Badge state={name} tone={tone} />;
}

export default function Providers() {
  const [isAdding, setAdding] = useState(false);
  const canAdd = useCan('manage');
  return (
    <Page
      title="Providers"
      hint="Mail from your verified domains goes through providers of your own, if there are any."
      actions={
        canAdd && (
          <button type="button" class="primary" onClick={() => setAdding(true)}>
            Add provider
          </button>
        )
      }
    >
      {isAdding && <AddProvider onClose={() => setAdding(false)} />}
      <List<Provider>
        name={['providers']}
        load={(page, options) => client.providers.list(page, options).first()}
        label="Providers"
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty={
          <Empty title="No providers yet">
            <p class="muted">Without one, your mail goes through the provider of the platform.</p>
          </Empty>
        }
      />
    </Page>
  );
}

function AddProvider({ onClose }: { readonly onClose: () => void }) {
  const go = useGo();
  const [type, setType] = useState<ProviderType>(PROVIDER_TYPES[0]!);
  const add = async (fields: FormData): Promise<void> => {
    const { id } = await client.providers.create({
      name: textOf(fields, 'name') ?? '',
      type,
      credentials: credentialsOf(type, fields),
      weight: numberOf(fields, 'weight'),
      perSecond: numberOf(fields, 'perSecond'),
      eventKey: textOf(fields, 'eventKey') ?? null,
    });
    go(`/providers/${id}`);
  };
  return (
    <Dialog title="Add provider" onClose={onClose}>
      <Form submit="Add provider" run={add}>
        <label>
          Type
          <select
            name="type"
            value={type}
            onChange={({ currentTarget }) => setType(currentTarget.value as ProviderType)}
          >
            {PROVIDER_TYPES.map((one) => (
              <option key={one} value={one}>
                {PROVIDER_KINDS[one].name}
              </option>
            ))}
          </select>
        </label>
        <label>
          Name
          <input name="name" required maxLength={100} placeholder="main" />
        </label>
        <CredentialFields type={type} />
        <EventKeyField type={type} />
        <ShareFields />
        <p class="hint">Credentials are stored encrypted and are not shown again.</p>
      </Form>
    </Dialog>
  );
}
