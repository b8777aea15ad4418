import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { client } from '../api';
import { Form, textOf } from '../components/action';
import { Dialog } from '../components/dialog';
import { List, type Column } from '../components/list';
import { Page } from '../components/page';
import { NothingMatches, Search, useFilters } from '../components/search';
import { Empty } from '../components/states';
import { formatCount, Time } from '../format';
import { useCan } from '../session';
import { shownName } from '../shown-name';
import { useGo } from '../shown';
import type { Template } from '../types';

const COLUMNS: readonly Column<Template>[] = [
  {
    name: 'Name',
    show: ({ id, name }) => (
      <Link class="title" dir="auto" href={`/templates/${id}`}>
        {shownName(name)}
      </Link>
    ),
  },
  { name: 'Version', isNumber: true, show: ({ version }) => formatCount(version) },
  { name: 'Variables', show: ({ variables }) => variables.join(', ') || <span class="muted">none</span> },
  { name: 'Changed', show: ({ updatedAt }) => <Time at={updatedAt} /> },
];

export default function Templates() {
  const [filter] = useFilters();
  const search = filter('search');
  const [isCreating, setCreating] = useState(false);
  const canCreate = useCan('manage');
  return (
    <Page
      title="Templates"
      actions={
        canCreate && (
          <button type="button" class="primary" onClick={() => setCreating(true)}>
            New template
          </button>
        )
      }
    >
      {isCreating && <NewTemplate close={() => setCreating(false)} />}
      <div class="filters">
        <Search name="search" label="Name" />
      </div>
      <List<Template>
        name={['templates', search]}
        filter={search}
        load={(page, options) => client.templates.list({ ...page, ...(search !== '' && { search }) }, options).first()}
        label="Templates"
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty={
          search !== '' ? (
            <NothingMatches title="No template matches" names={['search']} />
          ) : (
            <Empty title="No templates yet">
              <p class="muted">A template is a message with variables, in HTML or MJML, for sends and broadcasts.</p>
            </Empty>
          )
        }
      />
    </Page>
  );
}

function NewTemplate({ close }: { readonly close: () => void }) {
  const go = useGo();
  return (
    <Dialog title="New template" onClose={close}>
      <Form
        submit="Create template"
        run={async (fields) => {
          const { id } = await client.templates.create({
            name: textOf(fields, 'name') ?? '',
            subject: textOf(fields, 'subject') ?? '',
            htmlContent: '<p>Hello {{ name }}</p>',
          });
          go(`/templates/${id}`);
        }}
      >
        <label>
          Name
          <input dir="auto" name="name" required />
        </label>
        <label>
          Subject
          <input dir="auto" name="subject" required />
        </label>
      </Form>
    </Dialog>
  );
}
