import { useMutation } from '@tanstack/preact-query';
import { client } from '../api';
import { Editor } from '../components/editor';
import { Failure } from '../components/states';
import { useOnce } from '../once';
import { isShownInEditor, placeOf } from '../place';
import { readAgain } from '../queries';
import { useCan } from '../session';
import type { TemplateContent } from '../types';

interface TemplateFormProps {
  readonly id: string;
  readonly content: TemplateContent;
  readonly isChanged: boolean;
  /** Why the content cannot be rendered. */
  readonly problem: unknown;
  change(content: TemplateContent): void;
  /** @param content as it was given to `change` */
  onSaved(content: TemplateContent): void;
}

export function TemplateForm({ id, content, isChanged, problem, change, onSaved }: TemplateFormProps) {
  const canSave = useCan('manage');
  const once = useOnce();
  const save = useMutation({
    onSettled: once.end,
    mutationFn: (content: TemplateContent) => client.templates.change(id, content),
    onSuccess: async (_, content) => {
      await readAgain();
      onSaved(content);
    },
  });
  const { textContent = '', ...others } = content;
  // The preview has the latest content, in which the error of a refused save may already be fixed.
  const wrong = problem ?? (save.variables === content ? save.error : undefined);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    once.begin(() => save.mutate(content));
  };
  return (
    <form class="stack" onSubmit={submit}>
      {(['name', 'subject'] as const).map((field) => (
        <label key={field}>
          {field === 'name' ? 'Name' : 'Subject'}
          <input
            dir="auto"
            required
            readOnly={!canSave}
            aria-invalid={field === 'subject' && placeOf(wrong, 'subject') !== undefined}
            value={content[field]}
            onInput={({ currentTarget: { value } }) => change({ ...content, [field]: value })}
          />
        </label>
      ))}
      <Editor
        label="HTML or MJML"
        hint="{{ name }} is a variable"
        rows={22}
        isReadOnly={!canSave}
        value={content.htmlContent}
        place={placeOf(wrong, 'htmlContent')}
        change={(htmlContent) => change({ ...content, htmlContent })}
      />
      <Editor
        label="Text"
        hint="derived from the HTML when empty"
        rows={5}
        isReadOnly={!canSave}
        value={textContent}
        place={placeOf(wrong, 'textContent')}
        change={(text) => change(text === '' ? others : { ...others, textContent: text })}
      />
      {save.isError && !isShownInEditor(save.error) && <Failure error={save.error} />}
      {canSave && (
        <div class="actions">
          <button type="submit" class="primary" disabled={save.isPending || !isChanged}>
            {save.isPending ? 'Saving …' : 'Save as a new version'}
          </button>
          {save.isSuccess && !isChanged && (
            <span role="status" class="muted">
              Saved as version {save.data.version}
            </span>
          )}
        </div>
      )}
    </form>
  );
}
