import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation, useParams } from 'wouter-preact';
import { client } from '../api';
import { Action } from '../components/action';
import { Badge } from '../components/badge';
import { Copyable } from '../components/copy';
import { Card, Page } from '../components/page';
import { Failure, Loading } from '../components/states';
import { Time } from '../format';
import type { Domain } from '../types';

type Record = Domain['records'][number];

export default function DomainPage() {
  const { id } = useParams<{ id: string }>();
  const [, go] = useLocation();
  const domain = useQuery({ queryKey: ['domain', id], queryFn: ({ signal }) => client.domains.get(id, { signal }) });
  if (domain.isPending) return <Loading />;
  if (domain.isError) return <Failure error={domain.error} retry={() => void domain.refetch()} />;
  const { shownDomain, status, notice, checkedAt, records } = domain.data;
  return (
    <Page
      title={shownDomain}
      hint={
        <>
          <Badge state={status} /> Last check <Time at={checkedAt} none="never" />
        </>
      }
      actions={
        <>
          <Action label="Verify" scope="manage" isPrimary run={() => client.domains.verify(id)} />
          <Action
            label="Delete"
            scope="manage"
            isDangerous
            question={`Mail from ${shownDomain} goes out under an address of the platform then.`}
            run={() => client.domains.delete(id)}
            onDone={() => go('/domains')}
          />
        </>
      }
    >
      {notice !== null && <p class="notice warn">{notice}</p>}
      {records.map((record) => (
        <RecordCard key={`${record.purpose}${record.name}`} record={record} />
      ))}
      <AsText records={records} />
    </Page>
  );
}

function RecordCard({ record }: { readonly record: Record }) {
  const { type, name, value, purpose, required, found, seen, advice } = record;
  return (
    <Card title={`${type} for ${purpose}`}>
      <p class="actions">
        <Badge state={found ? 'found' : 'not found'} tone={found ? 'good' : required ? 'bad' : 'warn'} />
        {!required && <span class="muted">recommended</span>}
      </p>
      <Copyable text={name} label={`the name of the ${purpose} record`} />
      <Copyable text={value} label={`the value of the ${purpose} record`} />
      {!found && seen.length > 0 && (
        <p>
          Found instead:{' '}
          {seen.map((text) => (
            <code key={text}>{text} </code>
          ))}
        </p>
      )}
      {advice !== null && <p class="hint">{advice}</p>}
    </Card>
  );
}

function AsText({ records }: { readonly records: readonly Record[] }) {
  const [format, setFormat] = useState<'BIND' | 'Terraform'>('BIND');
  const text = records.map(format === 'BIND' ? bind : terraform).join('\n');
  return (
    <Card title="All records">
      <label class="inline">
        Format
        <select value={format} onChange={({ currentTarget }) => setFormat(currentTarget.value as typeof format)}>
          <option>BIND</option>
          <option>Terraform</option>
        </select>
      </label>
      <Copyable text={text} label="all records" />
    </Card>
  );
}

/** Strings of a TXT record have at most 255 bytes each. */
function bind({ type, name, value }: Record): string {
  const strings = value.match(/.{1,255}/gs) ?? [''];
  const data = type === 'TXT' ? strings.map((text) => JSON.stringify(text)).join(' ') : value;
  return `${name.replace(/\.?$/, '.')} 3600 IN ${type} ${data}`;
}

function terraform({ type, name, value }: Record): string {
  const label = `${type}_${name}`.toLowerCase().replace(/[^a-z0-9]+/g, '_');
  return [
    `resource "dns_record" "${label}" {`,
    `  type  = "${type}"`,
    `  name  = "${name}"`,
    `  value = ${JSON.stringify(value)}`,
    '}',
  ].join('\n');
}
