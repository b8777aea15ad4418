import { useQuery } from '@tanstack/preact-query';
import { useRef } from 'preact/hooks';
import { client } from '../api';
import { auditActions } from '../audit-actions';
import { Badge } from '../components/badge';
import { Clipped } from '../components/clipped';
import { Download } from '../components/download';
import { List, type Column } from '../components/list';
import { Page } from '../components/page';
import { ActiveFilters, Choice, DateFilter, Search, useFilters } from '../components/search';
import { Empty } from '../components/states';
import { withInstants } from '../dates';
import { exportName } from '../export-name';
import { Time } from '../format';
import { people } from '../people-calls';
import { useSession } from '../session';
import type { AuditEntry } from '../types';

const FILTERS = ['actor', 'action', 'target', 'since', 'until'];

/** Names of the actors, by "key:ID" and "user:ID". */
type Names = ReadonlyMap<string, string>;

export default function Audit() {
  const [filter] = useFilters();
  const filters = Object.fromEntries(FILTERS.map((name) => [name, filter(name)]).filter(([, value]) => value !== ''));
  const organization = useSession().data?.organization.name ?? '';
  const { names, readMissing } = useNames();
  return (
    <Page
      title="Audit"
      hint="Who changed what. Entries never change."
      actions={
        <Download path="/api/audit/export" query={withInstants(filters)} filename={exportName('audit', organization)} />
      }
    >
      <div class="filters">
        <Choice name="actor" label="By" values={['user', 'key', 'operator']} />
        <Choice name="action" label="Action" values={auditActions} />
        <Search name="target" label="Item" placeholder="webhook, or webhook:ID" />
        <DateFilter name="since" label="From" />
        <DateFilter name="until" label="Before" />
      </div>
      <ActiveFilters names={FILTERS} />
      <List<AuditEntry>
        name={['audit', filters]}
        filter={filters}
        load={async (page, options) => {
          const read = await client.audit.list({ ...withInstants(filters), ...page }, options).first();
          readMissing(read.items);
          return read;
        }}
        label="Audit"
        columns={columns(names ?? new Map())}
        idOf={({ id }) => id}
        empty={
          Object.keys(filters).length > 0 ? (
            <Empty title="No entry matches these filters" />
          ) : (
            <Empty title="Nothing has changed yet" />
          )
        }
      />
    </Page>
  );
}

/** The names, and what reads them again for entries about keys and users that are newer than they are. */
function useNames() {
  const { data: names, refetch } = useQuery({
    queryKey: ['names'],
    queryFn: ({ signal }) => readNames(signal),
    staleTime: 60_000,
  });
  /** Deleted ones stay without a name. */
  const asked = useRef(new Set<string>());
  const readMissing = (entries: readonly AuditEntry[]): void => {
    if (names === undefined) return;
    const missing = entries
      .flatMap(({ actor, target }) => [actor, target])
      .filter(({ kind }) => kind === 'key' || kind === 'user')
      .map(({ kind, id }) => `${kind}:${id}`)
      .filter((one) => !names.has(one) && !asked.current.has(one));
    for (const one of missing) asked.current.add(one);
    const forget = (): void => missing.forEach((one) => asked.current.delete(one));
    if (missing.length > 0) void refetch().then(({ isError }) => isError && forget());
  };
  return { names, readMissing };
}

async function readNames(signal: AbortSignal): Promise<Names> {
  const names = new Map<string, string>();
  for await (const { id, name } of client.keys.list({ limit: 100 }, { signal })) if (name) names.set(`key:${id}`, name);
  for await (const { id, email } of people.list({ limit: 100 }, { signal })) names.set(`user:${id}`, email);
  return names;
}

function columns(names: Names): readonly Column<AuditEntry>[] {
  return [
    { name: 'Time', show: ({ at }) => <Time at={at} /> },
    {
      name: 'By',
      show: ({ actor: { kind, id } }) => (
        <>
          {names.get(`${kind}:${id}`) ?? <span class="mono">{id}</span>} <Badge state={kind} />
        </>
      ),
    },
    { name: 'Action', show: ({ action }) => action },
    {
      name: 'Item',
      show: ({ target: { kind, id } }) => (
        <>
          <Clipped text={names.get(`${kind}:${id}`) ?? kind} isSecondary />
          {id !== null && <Id id={id} />}
        </>
      ),
    },
    { name: 'Details', show: ({ details }) => <Details details={details} /> },
    {
      name: 'Request',
      show: ({ requestId }) => (requestId === null ? <span class="muted">–</span> : <Id id={requestId} />),
    },
  ];
}

function Details({ details }: { readonly details: AuditEntry['details'] }) {
  if (details === null) return <span class="muted">–</span>;
  return (
    <dl class="facts small">
      {Object.entries(details).map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd key={name}>{textOf(value)}</dd>
        </>
      ))}
    </dl>
  );
}

/** Short enough for a table; hovering and copying give the whole text. */
function Id({ id }: { readonly id: string }) {
  return (
    <div class="hint mono id" title={id}>
      {id}
    </div>
  );
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
