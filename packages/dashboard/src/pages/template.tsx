import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation, useParams } from 'wouter-preact';
import { client } from '../api';
import { Action } from '../components/action';
import { Badge } from '../components/badge';
import { Card, Page } from '../components/page';
import { PageFailure } from '../components/page-failure';
import { Loading } from '../components/states';
import { Time } from '../format';
import { REFRESH_MS } from '../live';
import { quoted } from '../quoted';
import { contentOf, isSame, TemplateSaves } from '../template-saves';
import type { TemplateContent, TemplateDetail } from '../types';
import { discardUnsaved, useUnsaved } from '../unsaved';
import { TemplateForm } from './template-form';
import { TemplatePreview } from './template-preview';
import { TemplateVersions } from './template-versions';

export default function TemplatePage() {
  const { id } = useParams<{ id: string }>();
  const template = useQuery({
    queryKey: ['template', id],
    queryFn: ({ signal }) => client.templates.get(id, { signal }),
    refetchInterval: REFRESH_MS,
    refetchOnWindowFocus: false,
    // An editor never begins with a version from the cache, which others may have replaced.
    gcTime: 0,
  });
  if (template.isPending) return <Loading rows={8} />;
  if (template.isLoadingError)
    return (
      <PageFailure error={template.error} list={['/templates', 'Templates']} retry={() => void template.refetch()} />
    );
  return <Editing key={id} template={template.data} />;
}

interface Edited {
  readonly content: TemplateContent;
  /** The version that it changes. */
  readonly base: number;
}

function Editing({ template }: { readonly template: TemplateDetail }) {
  const { id, version, variables, updatedAt } = template;
  const [, go] = useLocation();
  const saved = contentOf(template);
  // Without changes, the editor follows new versions of others, which it would otherwise offer to replace.
  const [edited, setEdited] = useState<Edited>();
  const content = edited?.content ?? saved;
  const [problem, setProblem] = useState<unknown>();
  const isChanged = edited !== undefined && !isSame(content, saved);
  const [saves] = useState(() => new TemplateSaves(id));
  // The newest version may be that of a save whose response was lost.
  const base = isChanged && !saves.isOwn(template) ? edited.base : version;
  const change = (to: TemplateContent): void => setEdited(isSame(to, saved) ? undefined : { content: to, base });
  useUnsaved(isChanged);
  return (
    <Page
      title={template.name}
      hint={
        <>
          Version {version}, saved <Time at={updatedAt} /> {isChanged && <Badge state="not saved yet" tone="warn" />}
        </>
      }
      actions={
        <Action
          label="Delete"
          scope="manage"
          isDangerous
          question={`The template ${quoted(template.name)} and its versions are deleted. Emails and broadcasts made from it stay.`}
          run={() => client.templates.delete(id)}
          onDone={() => {
            discardUnsaved();
            go('/templates');
          }}
        />
      }
    >
      <div class="columns">
        <Card title="Content">
          <TemplateForm
            {...{ id, content, base, version, isChanged, problem, saves, change }}
            onSaved={(base) => setEdited((now) => now && { ...now, base })}
            onShown={(shown) => setEdited((now) => (now?.content === shown ? undefined : now))}
            loadNewest={() => setEdited(undefined)}
          />
        </Card>
        <Card title="Preview">
          <TemplatePreview {...{ id, content, variables }} onError={setProblem} />
        </Card>
      </div>
      <TemplateVersions
        id={id}
        current={version}
        isChanged={isChanged}
        take={(old) => change({ name: content.name, ...old })}
      />
    </Page>
  );
}
