import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { client } from '../api';
import { HtmlPreview } from '../components/html-preview';
import { Failure, Loading } from '../components/states';
import type { TemplateContent, TemplateDetail } from '../types';

interface TemplatePreviewProps {
  readonly template: TemplateDetail;
  readonly content: TemplateContent;
  readonly isChanged: boolean;
}

/** What the template becomes with sample values. */
export function TemplatePreview({ template, isChanged }: TemplatePreviewProps) {
  const { id, version, variables: names } = template;
  const [text, setText] = useState<string>();
  const shown = text ?? JSON.stringify(sampleOf(names), null, 2);
  const variables = readObject(shown);
  const rendering = useQuery({
    queryKey: ['rendering', id, version, variables],
    queryFn: () => client.templates.render(id, { variables: variables ?? {} }),
    enabled: variables !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
  return (
    <>
      <label>
        <span>
          Sample variables <span class="hint">a JSON object</span>
        </span>
        <textarea
          class="low"
          value={shown}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          spellcheck={false}
          aria-invalid={variables === undefined}
        />
      </label>
      {variables === undefined && <p class="notice warn">This is no JSON object.</p>}
      {isChanged && <p class="hint">Version {version}. Save to see your changes.</p>}
      {rendering.isPending && <Loading />}
      {rendering.isError && <Failure error={rendering.error} />}
      {rendering.data !== undefined && !rendering.isError && (
        <>
          <p class="subject">{rendering.data.subject}</p>
          <HtmlPreview html={rendering.data.html} title={template.name} />
          <details>
            <summary>Text part</summary>
            <pre>{rendering.data.text}</pre>
          </details>
        </>
      )}
    </>
  );
}

/** A value for each variable that shows where it goes. */
function sampleOf(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, name === 'name' ? 'Ada' : name]));
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
