import { useQuery } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import { useLocation, useParams } from 'wouter-preact';
import { client } from '../api';
import { Action, Form, textOf } from '../components/action';
import { Card, Page } from '../components/page';
import { Failure, Loading } from '../components/states';
import { Time } from '../format';
import type { TemplateDetail } from '../types';

export default function TemplatePage() {
  const { id } = useParams<{ id: string }>();
  const [, go] = useLocation();
  const template = useQuery({
    queryKey: ['template', id],
    queryFn: ({ signal }) => client.templates.get(id, { signal }),
  });
  if (template.isPending) return <Loading />;
  if (template.isError) return <Failure error={template.error} retry={() => void template.refetch()} />;
  const { name, version, updatedAt, subject, htmlContent, textContent } = template.data;
  const save = (fields: FormData): Promise<unknown> =>
    client.templates.change(id, {
      name: textOf(fields, 'name') ?? '',
      subject: textOf(fields, 'subject') ?? '',
      htmlContent: String(fields.get('htmlContent')),
      textContent: textOf(fields, 'textContent'),
    });
  return (
    <Page
      title={name}
      hint={
        <>
          Version {version}, changed <Time at={updatedAt} />
        </>
      }
      actions={
        <Action
          label="Delete"
          scope="manage"
          isDangerous
          question="Emails and broadcasts that were made of it stay."
          run={() => client.templates.delete(id)}
          onDone={() => go('/templates')}
        />
      }
    >
      <div class="columns">
        <Card title="Content">
          <Form submit="Save as a new version" run={save}>
            <label>
              Name
              <input name="name" defaultValue={name} required />
            </label>
            <label>
              Subject
              <input name="subject" defaultValue={subject} required />
            </label>
            <label>
              HTML or MJML
              <textarea name="htmlContent" rows={20} defaultValue={htmlContent} required spellcheck={false} />
            </label>
            <label>
              Text <span class="hint">made of the HTML when empty</span>
              <textarea name="textContent" defaultValue={textContent ?? ''} />
            </label>
          </Form>
        </Card>
        <Card title="Preview">
          <Rendered template={template.data} />
        </Card>
      </div>
    </Page>
  );
}

function Rendered({ template }: { readonly template: TemplateDetail }) {
  const sample = JSON.stringify(Object.fromEntries(template.variables.map((name) => [name, name])), null, 2);
  const [text, setText] = useState(sample);
  useEffect(() => setText(sample), [sample]);
  const variables = parse(text);
  const rendering = useQuery({
    queryKey: ['rendering', template.id, template.version, variables],
    queryFn: () => client.templates.render(template.id, { variables: variables as Record<string, never> }),
    enabled: variables !== undefined,
    retry: false,
  });
  return (
    <>
      <label>
        Sample variables
        <textarea value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} spellcheck={false} />
      </label>
      {variables === undefined && <p class="notice warn">This is no JSON object.</p>}
      {rendering.isError && <Failure error={rendering.error} />}
      {rendering.data !== undefined && (
        <>
          <p>
            <strong>{rendering.data.subject}</strong>
          </p>
          <pre>{rendering.data.text}</pre>
          <iframe class="preview" sandbox="" srcdoc={rendering.data.html} title={`Preview: ${template.name}`} />
        </>
      )}
    </>
  );
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
