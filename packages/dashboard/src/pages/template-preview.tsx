import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import { canPass, client } from '../api';
import { HtmlPreview } from '../components/html-preview';
import { Failure, Loading } from '../components/states';
import { isShownInEditor } from '../place';
import { useSettled } from '../settled';
import type { TemplateContent } from '../types';

interface TemplatePreviewProps {
  readonly id: string;
  /** The content of the editor, saved or not. */
  readonly content: TemplateContent;
  /** The variables of the saved version. */
  readonly variables: readonly string[];
  /** Why it cannot be rendered, or undefined. */
  onError(error: unknown): void;
}

/** The template rendered with sample values, shortly after each change. */
export function TemplatePreview({ id, content, variables: names, onError }: TemplatePreviewProps) {
  const [text, setText] = useState<string>();
  const shown = text ?? JSON.stringify(sampleOf(names), null, 2);
  const variables = readObject(shown);
  const { subject, htmlContent, textContent } = content;
  const draft = useSettled(JSON.stringify({ subject, htmlContent, textContent, variables: variables ?? {} }));
  const rendering = useQuery({
    queryKey: ['rendering', id, draft],
    queryFn: ({ signal }) => client.templates.renderDraft(JSON.parse(draft) as TemplateContent, { signal }),
    enabled: variables !== undefined && htmlContent.trim() !== '' && subject.trim() !== '',
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
  });
  const { error } = rendering;
  useEffect(() => onError(error ?? undefined), [error]);
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
      {variables === undefined && <p class="notice warn">This is not a JSON object.</p>}
      {rendering.isLoading && <Loading />}
      {rendering.isError &&
        (isShownInEditor(error) ? (
          <p class="muted">The preview returns once the error in the template is fixed.</p>
        ) : (
          <Failure error={error} {...(canPass(error) && { retry: () => void rendering.refetch() })} />
        ))}
      {rendering.data !== undefined && !rendering.isError && (
        <>
          <p class="subject" dir="auto">
            {rendering.data.subject}
          </p>
          <HtmlPreview html={rendering.data.html} title={content.name} />
          <details>
            <summary>Text part</summary>
            <pre dir="auto">{rendering.data.text}</pre>
          </details>
        </>
      )}
    </>
  );
}

/** A sample value for each variable that shows its place. */
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
