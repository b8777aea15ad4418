import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { MailbeaconError } from '../../../client/src/index';
import { client } from '../api';
import { Action, Form, textOf } from '../components/action';
import { BadLines } from '../components/bad-lines';
import { Badge } from '../components/badge';
import { Dialog } from '../components/dialog';
import { Download } from '../components/download';
import { List, type Column } from '../components/list';
import { Page } from '../components/page';
import { ActiveFilters, Choice, Search, useFilters } from '../components/search';
import { Empty } from '../components/states';
import { toUtf8 } from '../csv-encoding';
import { exportName } from '../export-name';
import { plural, Time } from '../format';
import { useCan, useSession } from '../session';
import type { ImportResult, Suppression } from '../types';

const FILTERS = ['search', 'reason'];

const COLUMNS: readonly Column<Suppression>[] = [
  {
    name: 'Address',
    show: ({ address }) => (
      <Link class="title" dir="auto" href={`/contacts/${encodeURIComponent(address)}`}>
        {address}
      </Link>
    ),
  },
  { name: 'Reason', show: ({ reason }) => <Badge state={reason} /> },
  {
    name: 'Stops',
    show: ({ scope }) => (scope === 'all' ? <span class="nowrap">all mail</span> : 'mail with an unsubscribe link'),
  },
  { name: 'Note', show: ({ note }) => note ?? <span class="muted">–</span> },
  {
    name: 'Email',
    show: ({ emailId, address }) =>
      emailId === null ? (
        <span class="muted">–</span>
      ) : (
        <Link href={`/emails/${emailId}`} aria-label={`Open the email to ${address}`}>
          open
        </Link>
      ),
  },
  { name: 'Since', show: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: '',
    show: ({ address }) => (
      <Action
        label="Remove"
        about={address}
        scope="manage"
        isSmall
        question={`Mail may go to ${address} again.`}
        run={() => client.suppressions.remove(address)}
      />
    ),
  },
];

export default function Suppressions() {
  const [filter] = useFilters();
  const filters = Object.fromEntries(FILTERS.map((name) => [name, filter(name)]).filter(([, value]) => value !== ''));
  const organization = useSession().data?.organization.name ?? '';
  const [dialog, open] = useState<'add' | 'import'>();
  const canChange = useCan('manage');
  return (
    <Page
      title="Suppressions"
      hint="Addresses that get no mail, from any sender of your organization."
      actions={
        <>
          <Download
            path="/api/suppressions/export"
            query={filters}
            filename={exportName('suppressions', organization)}
          />
          {canChange && (
            <>
              <button type="button" onClick={() => open('import')}>
                Import
              </button>
              <button type="button" class="primary" onClick={() => open('add')}>
                Add addresses
              </button>
            </>
          )}
        </>
      }
    >
      {dialog === 'add' && <Add close={() => open(undefined)} />}
      {dialog === 'import' && <Import close={() => open(undefined)} />}
      <div class="filters">
        <Search name="search" label="Address" />
        <Choice name="reason" label="Reason" values={['bounce', 'complaint', 'unsubscribe', 'manual']} />
      </div>
      <ActiveFilters names={FILTERS} />
      <List<Suppression>
        name={['suppressions', filters]}
        filter={filters}
        load={(page, options) => client.suppressions.list({ ...filters, ...page }, options).first()}
        label="Suppressions"
        live="email."
        columns={COLUMNS}
        idOf={({ address }) => address}
        empty={
          Object.keys(filters).length > 0 ? (
            <Empty title="No address matches these filters" />
          ) : (
            <Empty title="No suppressed addresses">
              <p class="muted">Addresses that bounce, complain or unsubscribe appear here automatically.</p>
            </Empty>
          )
        }
      />
    </Page>
  );
}

/** The service names an address by its place, which nobody counts. */
function namingAddress(error: unknown, addresses: readonly string[]): unknown {
  if (!(error instanceof MailbeaconError)) return error;
  const place = error.details
    .map(({ field }) => /^addresses\.(\d+)$/.exec(field)?.[1])
    .find((found) => found !== undefined);
  return place === undefined ? error : new Error(`${addresses[Number(place)]} is not an email address`);
}

function Add({ close }: { readonly close: () => void }) {
  const add = async (fields: FormData): Promise<void> => {
    const addresses = (textOf(fields, 'addresses') ?? '').split(/[\s,;]+/).filter((address) => address !== '');
    const note = textOf(fields, 'note');
    try {
      await client.suppressions.add({ addresses, ...(note !== undefined && { note }) });
    } catch (error) {
      throw namingAddress(error, addresses);
    }
  };
  return (
    <Dialog title="Add addresses" onClose={close}>
      <Form submit="Suppress" run={add} onDone={close}>
        <label>
          Addresses, one per line
          <textarea name="addresses" required />
        </label>
        <label>
          Note
          <input name="note" />
        </label>
      </Form>
    </Dialog>
  );
}

function Import({ close }: { readonly close: () => void }) {
  const [result, setResult] = useState<ImportResult>();
  const upload = async (fields: FormData): Promise<void> => {
    setResult(undefined);
    const { content } = await toUtf8(fields.get('file') as File);
    setResult(await client.suppressions.import(content));
  };
  return (
    <Dialog title="Import addresses" onClose={close}>
      <Form submit="Import" run={upload}>
        <label>
          CSV file with a column named address
          <input name="file" type="file" accept=".csv,text/csv" required />
        </label>
      </Form>
      {result !== undefined && (
        <div role="status" class="stack">
          <p>
            {plural(result.added, 'address', 'addresses')} added, {result.known} known, {result.invalid} invalid.
          </p>
          <BadLines lines={result.invalidLines} total={result.invalid} />
        </div>
      )}
    </Dialog>
  );
}
