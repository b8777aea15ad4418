import { useEffect, useRef, useState } from 'preact/hooks';
import { client } from '../api';
import { BadLines } from '../components/bad-lines';
import { ColumnMapping } from '../components/column-mapping';
import { PastedList } from '../components/pasted-list';
import { Failure } from '../components/states';
import { mappingProblem, readPasted, readTable, toUpload, type CsvTable } from '../csv-columns';
import { CsvFault } from '../csv-rows';
import { formatBytes, formatCount, plural } from '../format';
import { useOnce } from '../once';
import { readAgain } from '../queries';
import { settling } from '../settled';
import type { UploadedRecipients } from '../types';
import { useUnsaved } from '../unsaved';

export interface AddRecipientsProps {
  /** Of the broadcast. */
  readonly id: string;
  /** Says whether there are recipients that were chosen or pasted, and not added. */
  setUnadded(hasUnadded: boolean): void;
}

type Source = File | string;

interface Chosen extends CsvTable {
  readonly source: Source;
}

/** Text of more characters is read once it has not changed for a moment, because that takes noticeable time. */
const LONG_TEXT = 65_536;

/** Adds the recipients of a file, or pasted ones. */
export function AddRecipients({ id, setUnadded }: AddRecipientsProps) {
  const [chosen, choose] = useState<Chosen>();
  const [text, setText] = useState('');
  const [result, setResult] = useState<UploadedRecipients & Pick<CsvTable, 'addresses'>>();
  const [error, setError] = useState<unknown>();
  const [isAdding, setAdding] = useState(false);
  const once = useOnce();
  const latest = useRef<Source>();
  const fileInput = useRef<HTMLInputElement>(null);
  const hasUnadded = chosen !== undefined || text !== '';
  useUnsaved(hasUnadded);
  useEffect(() => setUnadded(hasUnadded), [hasUnadded]);
  const offer = async (source: Source): Promise<void> => {
    try {
      const table = await readSource(source);
      // A small file is read sooner than a large one that was chosen before it.
      if (latest.current === source) choose(table);
    } catch (failure) {
      if (latest.current !== source) return;
      choose(undefined);
      setError(failure instanceof CsvFault ? failure : new Error(`The file could not be read: ${String(failure)}`));
    }
  };
  const read = async (source: Source): Promise<void> => {
    latest.current = source;
    setResult(undefined);
    setError(undefined);
    // While a large file or text is read, what was given before it must not be added in its place.
    if (source instanceof File || chosen?.source instanceof File) choose(undefined);
    else if (source.length > LONG_TEXT) await settling();
    if (latest.current === source) await offer(source);
  };
  /** Text that was pasted before a file was chosen is still to be added. */
  const offerRest = async (added: Source): Promise<void> => {
    setText((now) => (now === added ? '' : now));
    // Another file or text may have been given meanwhile.
    if (latest.current !== added) return;
    fileInput.current!.value = '';
    latest.current = added instanceof File ? text : '';
    await offer(latest.current);
  };
  const add = async (table: Chosen): Promise<void> => {
    setAdding(true);
    setError(undefined);
    try {
      const added = await client.broadcasts.addRecipientsFromCsv(id, await toUpload(table));
      const shift = table.hasNames ? 0 : -1;
      const invalid = added.invalid.map((one) => ({ ...one, line: one.line + shift }));
      setResult({ ...added, invalid, addresses: table.addresses });
      // More can be added, however long the page takes to refresh.
      void readAgain();
      await offerRest(table.source);
    } catch (cause) {
      setError(cause);
    } finally {
      setAdding(false);
      once.end();
    }
  };
  const problem = chosen && mappingProblem(chosen.columns);
  const isOutdated = typeof chosen?.source === 'string' && chosen.source !== text;
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
          {chosen.addresses === undefined ? (
            <ColumnMapping columns={chosen.columns} change={(columns) => choose({ ...chosen, columns })} />
          ) : (
            <PastedList addresses={chosen.addresses} />
          )}
          {problem !== undefined && <p class="notice warn">{problem}</p>}
          <div class="actions">
            <button
              type="button"
              class="primary"
              disabled={isAdding || isOutdated || problem !== undefined}
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

/** Undefined if it is empty. @throws CsvFault */
async function readSource(source: Source): Promise<Chosen | undefined> {
  if (source === '' || (source instanceof File && source.size === 0)) return undefined;
  const table = await (typeof source === 'string' ? readPasted(source) : readTable(source));
  return { ...table, source };
}
