import { useMutation } from '@tanstack/preact-query';
import { useRef, useState } from 'preact/hooks';
import { announce } from '../announce';
import { client } from '../api';
import { Badge } from '../components/badge';
import { Dialog } from '../components/dialog';
import { List, type Column } from '../components/list';
import { Failure } from '../components/states';
import { Time } from '../format';
import { useOnce } from '../once';
import { useCan } from '../session';
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
export function TemplateVersions(props: TemplateVersionsProps) {
  const { id, current } = props;
  const canEdit = useCan('manage');
  const { load, loaded, keep, put } = useEarlierVersion(props);
  const columns: readonly Column<TemplateVersion>[] = [
    {
      name: 'Version',
      show: ({ version }) => (
        <>
          {version} {version === current && <Badge state="current" tone="good" />}
        </>
      ),
    },
    { name: 'Subject', show: ({ subject }) => <bdi>{subject}</bdi> },
    { name: 'Variables', show: ({ variables }) => variables.join(', ') || <span class="muted">none</span> },
    { name: 'Saved', show: ({ createdAt }) => <Time at={createdAt} /> },
    {
      name: '',
      show: ({ version }) => (
        <>
          {canEdit && (
            <button
              type="button"
              class="small"
              disabled={load.isPending && load.variables !== version}
              aria-disabled={load.isPending}
              aria-label={`Edit version ${version}`}
              onClick={() => load.begin(version)}
            >
              {load.isPending && load.variables === version ? 'Edit …' : 'Edit'}
            </button>
          )}
          {load.isError && load.variables === version && <Failure error={load.error} />}
        </>
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
      {loaded && (
        <Dialog
          title="Edit"
          question="Your changes in the editor are not saved. This version replaces them."
          onClose={keep}
        >
          <div class="actions">
            <button type="button" class="primary" onClick={() => put(loaded)}>
              Edit
            </button>
            <button type="button" onClick={keep}>
              Keep as it is
            </button>
          </div>
        </Dialog>
      )}
    </section>
  );
}

type EarlierVersion = Awaited<ReturnType<typeof client.templates.version>>;

/**
 * Loads an earlier version into the editor. If that has changes by then, the version is `loaded`, and waits for `put`.
 */
function useEarlierVersion(props: TemplateVersionsProps) {
  const [loaded, setLoaded] = useState<EarlierVersion>();
  const once = useOnce();
  // The user can go on typing while the version is loaded.
  const latest = useRef(props);
  latest.current = props;
  const put = ({ version, subject, htmlContent, textContent }: EarlierVersion): void => {
    setLoaded(undefined);
    latest.current.take({ subject, htmlContent, ...(textContent !== null && { textContent }) });
    scrollTo({ top: 0 });
    announce(`Edit version ${version}: done`);
  };
  const load = useMutation({
    mutationFn: (version: number) => client.templates.version(props.id, version),
    onSettled: once.end,
    onSuccess: (content) => (latest.current.isChanged ? setLoaded(content) : put(content)),
  });
  const begin = (version: number): void => once.begin(() => load.mutate(version));
  return { load: { ...load, begin }, loaded, keep: () => setLoaded(undefined), put };
}
