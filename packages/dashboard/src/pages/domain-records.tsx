import { useState } from 'preact/hooks';
import { Badge } from '../components/badge';
import { Copyable } from '../components/copy';
import { Card } from '../components/page';
import { FORMATS, type DomainRecord, type Format } from '../record-texts';

interface DomainRecordsProps {
  readonly records: readonly DomainRecord[];
  /** False until the first check: the page itself then says what to do, once for all records. */
  readonly areChecked: boolean;
}

/** The records of a domain one by one, and all of them as text to copy. */
export function DomainRecords({ records, areChecked }: DomainRecordsProps) {
  return (
    <>
      {records.map((record) => (
        <RecordCard key={`${record.purpose}${record.name}`} record={record} isChecked={areChecked} />
      ))}
      <AllRecords records={records} />
    </>
  );
}

/** The records as the text of a zone file, or for Terraform. */
function AllRecords({ records }: { readonly records: readonly DomainRecord[] }) {
  const [format, setFormat] = useState<Format>('BIND');
  const text = records.map((record) => FORMATS[format](record)).join(format === 'BIND' ? '\n' : '\n\n');
  return (
    <Card title="All records at once">
      <label class="inline">
        Format
        <select
          class="narrow"
          value={format}
          onChange={({ currentTarget }) => setFormat(currentTarget.value as Format)}
        >
          {Object.keys(FORMATS).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <Copyable text={text} label="all records" />
    </Card>
  );
}

const PURPOSES: Readonly<Record<string, string>> = {
  ownership: 'Ownership',
  dkim: 'DKIM: signs your mail',
  spf: 'SPF: who may send',
  dmarc: 'DMARC: what receivers do with other mail',
  'return-path': 'Return path: where bounces go',
  tracking: 'Tracking: leads your links to this service',
};

function RecordCard({ record, isChecked }: { readonly record: DomainRecord; readonly isChecked: boolean }) {
  const { type, name, value, purpose, required, found, seen, advice } = record;
  return (
    <section class="card stack" aria-label={`${purpose} record`}>
      <div class="record-head">
        <h2>{PURPOSES[purpose] ?? purpose}</h2>
        <span class="actions">
          <Badge state={type} tone="plain" />
          {isChecked ? (
            <Badge state={found ? 'found' : 'not found'} tone={found ? 'good' : required ? 'bad' : 'warn'} />
          ) : (
            <Badge state="not checked" tone="plain" />
          )}
          {!required && <span class="muted">recommended</span>}
        </span>
      </div>
      <div class="record">
        <span class="muted">Name</span>
        <Copyable text={name} label={`the name of the ${purpose} record`} />
        <span class="muted">Value</span>
        <Copyable text={value} label={`the value of the ${purpose} record`} />
        {!found && seen.length > 0 && (
          <>
            <span class="muted">Found instead</span>
            <div class="stack tight">
              {seen.map((text) => (
                <pre key={text}>{text}</pre>
              ))}
            </div>
          </>
        )}
      </div>
      {isChecked && advice !== null && <p class={found ? 'hint' : 'notice warn'}>{advice}</p>}
    </section>
  );
}
