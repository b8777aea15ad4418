import { useEffect, useRef, useState } from 'preact/hooks';
import { client } from '../api';
import { BadLines } from '../components/bad-lines';
import { ColumnMapping } from '../components/column-mapping';
import { Failure } from '../components/states';
import { mappingProblem, readPasted, readTable, toUpload, type CsvTable } from '../csv-columns';
import { CsvFault } from '../csv-rows';
import { formatBytes, formatCount, plural } from '../format';
import { useOnce } from '../once';
import { queries } from '../queries';
import type { UploadedRecipients } from '../types';
import { useUnsaved } from '../unsaved';

export interface AddRecipientsProps {
  /** Of the broadcast. */
  readonly id: string;
  /** Says whether there are recipients that were chosen or pasted, and not added. */
  setUnadded(hasUnadded: boolean): void;
}

/** Adds the recipients of a file, or pasted ones. */
export function AddRecipients({ id, setUnadded }: AddRecipientsProps) {
  const [chosen, choose] = useState<CsvTable>();
  const [text, setText] = useState('');
  const [result, setResult] = useState<UploadedRecipients & Pick<CsvTable, 'addresses'>>();
  const [error, setError] = useState<unknown>();
  const [isAdding, setAdding] = useState(false);
  const once = useOnce();
  const latest = useRef<File | string>();
  const fileInput = useRef<HTMLInputElement>(null);
  const hasUnadded = chosen !== undefined || text !== '';
  useUnsaved(hasUnadded);
  useEffect(() => setUnadded(hasUnadded), [hasUnadded]);
  const read = async (source: File | string): Promise<void> => {
    latest.current = source;
    setResult(undefined);
    setError(undefined);
    try {
      const table = isEmpty(source) ? undefined : await tableOf(source);
      // A small file is read sooner than a large one that was chosen before it.
      if (latest.current === source) choose(table);
    } catch (failure) {
      if (latest.current !== source) return;
      choose(undefined);
      setError(failure instanceof CsvFault ? failure : new Error(`The file could not be read: ${String(failure)}`));
    }
  };
  /** Text that was pasted before a file was chosen is still to be added. */
  const offerRest = async (added: File | string | undefined): Promise<void> => {
    fileInput.current!.value = '';
    if (added instanceof File && text !== '') {
      latest.current = text;
      choose(await readPasted(text));
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
      const invalid = added.invalid.map((one) => ({ ...one, line: one.line + shift }));
      setResult({ ...added, invalid, addresses: table.addresses });
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
            Or paste <span class="hint">addresses or a table</span>
          </span>
          <textarea
            class="low"
            value={text}
            placeholder={'email,name\nada@example.com,Ada'}
            spellcheck={false}
            onInput={({ currentTarget: { value } }) => {
              setText(value);
              fileInput.current!.value = '';
              void read(value);
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
          {chosen.addresses === undefined && (
            <ColumnMapping columns={chosen.columns} change={(columns) => choose({ ...chosen, columns })} />
          )}
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
            <span class="muted">
              {chosen.addresses === undefined
                ? formatBytes(chosen.content.size)
                : plural(chosen.addresses.length, 'address', 'addresses')}
            </span>
          </div>
          {isAdding && <progress aria-label="Adding recipients" />}
        </>
      )}
      {error !== undefined && <Failure error={error} />}
      {result !== undefined && (
        <div role="status" class="stack">
          <p class={`notice ${result.invalidTotal > 0 ? 'warn' : 'good'}`}>
            {plural(result.added, 'recipient')} added, {formatCount(result.repeated)} repeated,{' '}
            {formatCount(result.suppressed)} suppressed,{' '}
            {result.addresses === undefined
              ? plural(result.invalidTotal, 'bad line')
              : plural(result.invalidTotal, 'bad address', 'bad addresses')}
            .
          </p>
          <BadLines lines={result.invalid} total={result.invalidTotal} names={result.addresses} />
        </div>
      )}
    </div>
  );
}

function isEmpty(source: File | string): boolean {
  return source === '' || (source instanceof File && source.size === 0);
}

function tableOf(source: File | string): Promise<CsvTable> {
  return typeof source === 'string' ? readPasted(source) : readTable(source);
}
