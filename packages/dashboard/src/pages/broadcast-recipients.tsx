import { useEffect, useRef, useState } from 'preact/hooks';
import { client } from '../api';
import { Badge } from '../components/badge';
import { BadLines } from '../components/bad-lines';
import { ColumnMapping } from '../components/column-mapping';
import { List, type Column } from '../components/list';
import { Card } from '../components/page';
import { Failure } from '../components/states';
import { mappingProblem, readTable, toUpload, type CsvTable } from '../csv-columns';
import { CsvFault } from '../csv-rows';
import { formatBytes, formatCount, plural } from '../format';
import { useOnce } from '../once';
import { queries } from '../queries';
import type { UploadedRecipients, WaitingRecipient } from '../types';
import { useUnsaved } from '../unsaved';

interface BroadcastRecipientsProps {
  readonly id: string;
  readonly total: number;
  preview(address: string): void;
  /** Says whether there are recipients that were chosen or pasted, and not added. */
  setUnadded(hasUnadded: boolean): void;
}

export function BroadcastRecipients({ id, total, preview, setUnadded }: BroadcastRecipientsProps) {
  return (
    <Card title={`3. Recipients${total > 0 ? `: ${formatCount(total)}` : ''}`}>
      <AddRecipients id={id} setUnadded={setUnadded} />
      {total > 0 && (
        // Scrolls by itself: in the page, further recipients would load above the button that sends.
        <div class="bounded tall">
          <List<WaitingRecipient>
            name={['recipients', id, total]}
            load={(page, options) => client.broadcasts.recipients(id, page, options).first()}
            label="Recipients"
            columns={columns(preview)}
            idOf={({ to }) => to}
            empty={<p>Every recipient has an email.</p>}
          />
        </div>
      )}
    </Card>
  );
}

function columns(preview: (address: string) => void): readonly Column<WaitingRecipient>[] {
  return [
    {
      name: 'Address',
      show: ({ to, suppressed }) => (
        <>
          {to} {suppressed && <Badge state="suppressed" />}
        </>
      ),
    },
    {
      name: 'Variables',
      show: ({ variables }) => (
        <span class="hint">
          {Object.entries(variables ?? {})
            .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
            .join(', ') || 'none'}
        </span>
      ),
    },
    {
      name: '',
      show: ({ to }) => (
        <button type="button" class="small" aria-label={`Preview as ${to}`} onClick={() => preview(to)}>
          Preview
        </button>
      ),
    },
  ];
}

function AddRecipients({ id, setUnadded }: Pick<BroadcastRecipientsProps, 'id' | 'setUnadded'>) {
  const [chosen, choose] = useState<CsvTable>();
  const [text, setText] = useState('');
  const [result, setResult] = useState<UploadedRecipients>();
  const [error, setError] = useState<unknown>();
  const [isAdding, setAdding] = useState(false);
  const once = useOnce();
  const latest = useRef<Blob>();
  const fileInput = useRef<HTMLInputElement>(null);
  const hasUnadded = chosen !== undefined || text !== '';
  useUnsaved(hasUnadded);
  useEffect(() => setUnadded(hasUnadded), [hasUnadded]);
  const read = async (file: Blob): Promise<void> => {
    latest.current = file;
    setResult(undefined);
    setError(undefined);
    try {
      const table = file.size === 0 ? undefined : await readTable(file);
      // A small file is read sooner than a large one that was chosen before it.
      if (latest.current === file) choose(table);
    } catch (failure) {
      if (latest.current !== file) return;
      choose(undefined);
      setError(failure instanceof CsvFault ? failure : new Error(`The file could not be read: ${String(failure)}`));
    }
  };
  /** Text that was pasted before a file was chosen is still to be added. */
  const offerRest = async (added: Blob | undefined): Promise<void> => {
    fileInput.current!.value = '';
    if (added instanceof File && text !== '') {
      latest.current = new Blob([text]);
      choose(await readTable(latest.current));
    } else {
      choose(undefined);
      setText('');
    }
  };
  const add = async (table: CsvTable): Promise<void> => {
    setAdding(true);
    setError(undefined);
    const { current: source } = latest;
    try {
      const added = await client.broadcasts.addRecipientsFromCsv(id, await toUpload(table));
      const shift = table.hasNames ? 0 : -1;
      setResult({ ...added, invalid: added.invalid.map((one) => ({ ...one, line: one.line + shift })) });
      // Another file or text may have been given meanwhile.
      if (latest.current === source) await offerRest(source);
      await queries.invalidateQueries();
    } catch (cause) {
      setError(cause);
    } finally {
      setAdding(false);
      once.end();
    }
  };
  const problem = chosen && mappingProblem(chosen.columns);
  return (
    <div class="stack">
      <div class="columns">
        <label>
          CSV file
          <input
            ref={fileInput}
            type="file"
            accept=".csv,.tsv,.txt,text/csv,text/plain"
            // A browser reports no change if the same file is chosen again, such as with its bad lines corrected.
            onClick={({ currentTarget }) => (currentTarget.value = '')}
            onChange={({ currentTarget: { files } }) => void (files?.[0] && read(files[0]))}
          />
        </label>
        <label>
          <span>
            Or paste <span class="hint">addresses, one per line, or a table</span>
          </span>
          <textarea
            class="low"
            value={text}
            placeholder={'email,name\nada@example.com,Ada'}
            spellcheck={false}
            onInput={({ currentTarget: { value } }) => {
              setText(value);
              fileInput.current!.value = '';
              void read(new Blob([value]));
            }}
          />
        </label>
      </div>
      {chosen !== undefined && (
        <>
          {chosen.encoding !== 'utf-8' && (
            <p class="notice">
              This file is not UTF-8. It was read as {chosen.encoding}: check that the names in it look right.
            </p>
          )}
          <ColumnMapping columns={chosen.columns} change={(columns) => choose({ ...chosen, columns })} />
          {problem !== undefined && <p class="notice warn">{problem}</p>}
          <div class="actions">
            <button
              type="button"
              class="primary"
              disabled={isAdding || problem !== undefined}
              onClick={() => once.begin(() => void add(chosen))}
            >
              {isAdding ? 'Adding …' : 'Add recipients'}
            </button>
            <span class="muted">{formatBytes(chosen.content.size)}</span>
          </div>
          {isAdding && <progress aria-label="Adding recipients" />}
        </>
      )}
      {error !== undefined && <Failure error={error} />}
      {result !== undefined && (
        <div role="status" class="stack">
          <p class={`notice ${result.invalidTotal > 0 ? 'warn' : 'good'}`}>
            {plural(result.added, 'recipient')} added, {formatCount(result.repeated)} repeated,{' '}
            {formatCount(result.suppressed)} suppressed, {plural(result.invalidTotal, 'bad line')}.
          </p>
          <BadLines lines={result.invalid} total={result.invalidTotal} />
        </div>
      )}
    </div>
  );
}
