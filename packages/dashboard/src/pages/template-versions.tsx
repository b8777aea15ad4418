import { client } from '../api';
import { Action } from '../components/action';
import { Badge } from '../components/badge';
import { List, type Column } from '../components/list';
import { Time } from '../format';
import type { TemplateContent, TemplateVersion } from '../types';

interface TemplateVersionsProps {
  readonly id: string;
  readonly current: number;
  /** True if the editor has changes that are not saved. */
  readonly isChanged: boolean;
  /** Copies the content of a version into the editor. */
  take(content: Omit<TemplateContent, 'name'>): void;
}

/** Earlier versions of the template. Saving an old version again creates a new one. */
export function TemplateVersions({ id, current, isChanged, take }: TemplateVersionsProps) {
  const edit = async (version: number): Promise<void> => {
    const { subject, htmlContent, textContent } = await client.templates.version(id, version);
    take({ subject, htmlContent, ...(textContent !== null && { textContent }) });
    scrollTo({ top: 0 });
  };
  const columns: readonly Column<TemplateVersion>[] = [
    {
      name: 'Version',
      show: ({ version }) => (
        <>
          {version} {version === current && <Badge state="current" tone="good" />}
        </>
      ),
    },
    { name: 'Subject', show: ({ subject }) => subject },
    { name: 'Variables', show: ({ variables }) => variables.join(', ') || <span class="muted">none</span> },
    { name: 'Saved', show: ({ createdAt }) => <Time at={createdAt} /> },
    {
      name: '',
      show: ({ version }) => (
        <Action
          label="Edit"
          about={`version ${version}`}
          scope="manage"
          isSmall
          {...(isChanged && {
            question: 'Your changes in the editor are not saved. They are replaced by this version.',
          })}
          run={() => edit(version)}
        />
      ),
    },
  ];
  return (
    <section class="stack">
      <h2>Versions</h2>
      <List<TemplateVersion>
        name={['template-versions', id, current]}
        load={(page, options) => client.templates.versions(id, page, options).first()}
        label="Versions"
        columns={columns}
        idOf={({ version }) => String(version)}
        empty={<p>No version yet.</p>}
      />
    </section>
  );
}
