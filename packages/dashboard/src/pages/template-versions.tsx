import { useMutation } from '@tanstack/preact-query';
import { client } from '../api';
import { Badge } from '../components/badge';
import { List, type Column } from '../components/list';
import { Failure } from '../components/states';
import { Time } from '../format';
import { useCan } from '../session';
import type { TemplateContent, TemplateVersion } from '../types';

interface TemplateVersionsProps {
  readonly id: string;
  readonly current: number;
  /** Copies the content of a version into the editor. */
  take(content: Omit<TemplateContent, 'name'>): void;
}

/** Earlier versions of the template. Saving an old version again creates a new one. */
export function TemplateVersions({ id, current, take }: TemplateVersionsProps) {
  const canEdit = useCan('manage');
  const open = useMutation({
    mutationFn: (version: number) => client.templates.version(id, version),
    onSuccess: ({ subject, htmlContent, textContent }) => {
      take({ subject, htmlContent, ...(textContent !== null && { textContent }) });
      scrollTo({ top: 0 });
    },
  });
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
      show: ({ version }) =>
        canEdit && (
          <button
            type="button"
            class="small"
            aria-label={`Edit version ${version}`}
            disabled={open.isPending}
            onClick={() => open.mutate(version)}
          >
            Edit
          </button>
        ),
    },
  ];
  return (
    <section class="stack">
      <h2>Versions</h2>
      {open.isError && <Failure error={open.error} />}
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
