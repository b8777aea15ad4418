import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation, useParams } from 'wouter-preact';
import { client } from '../api';
import { Action } from '../components/action';
import { Badge } from '../components/badge';
import { Card, Page } from '../components/page';
import { Failure, Loading } from '../components/states';
import { Time } from '../format';
import type { TemplateContent, TemplateDetail } from '../types';
import { useUnsaved } from '../unsaved';
import { TemplateForm } from './template-form';
import { TemplatePreview } from './template-preview';
import { TemplateVersions } from './template-versions';

export default function TemplatePage() {
  const { id } = useParams<{ id: string }>();
  const template = useQuery({
    queryKey: ['template', id],
    queryFn: ({ signal }) => client.templates.get(id, { signal }),
    refetchOnWindowFocus: false,
  });
  if (template.isPending) return <Loading rows={8} />;
  if (template.isLoadingError) return <Failure error={template.error} retry={() => void template.refetch()} />;
  return <Editing key={id} template={template.data} />;
}

function contentOf({ name, subject, htmlContent, textContent }: TemplateDetail): TemplateContent {
  return { name, subject, htmlContent, ...(textContent !== null && { textContent }) };
}

function Editing({ template }: { readonly template: TemplateDetail }) {
  const { id, version, variables, updatedAt } = template;
  const [, go] = useLocation();
  const saved = contentOf(template);
  const [content, setContent] = useState(saved);
  const [problem, setProblem] = useState<unknown>();
  const isChanged = JSON.stringify(content) !== JSON.stringify(saved);
  const discard = useUnsaved(isChanged);
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
          question={`The template “${template.name}” and its versions are deleted. Emails and broadcasts made of it stay.`}
          run={() => client.templates.delete(id)}
          onDone={() => {
            discard();
            go('/templates');
          }}
        />
      }
    >
      <div class="columns">
        <Card title="Content">
          <TemplateForm {...{ id, content, isChanged, problem }} change={setContent} />
        </Card>
        <Card title="Preview">
          <TemplatePreview {...{ id, content, variables }} onError={setProblem} />
        </Card>
      </div>
      <TemplateVersions id={id} current={version} take={(old) => setContent({ name: content.name, ...old })} />
    </Page>
  );
}
