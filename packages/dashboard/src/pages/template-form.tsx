import { useMutation } from '@tanstack/preact-query';
import { hasStatus } from '../api';
import { Action } from '../components/action';
import { Editor } from '../components/editor';
import { Failure } from '../components/states';
import { useOnce } from '../once';
import { isShownInEditor, placeOf } from '../place';
import { readAgain } from '../queries';
import { useCan } from '../session';
import type { TemplateSaves } from '../template-saves';
import type { TemplateContent } from '../types';

interface TemplateFormProps {
  readonly id: string;
  readonly content: TemplateContent;
  /** The version that the content changes. */
  readonly base: number;
  /** The newest version. */
  readonly version: number;
  readonly isChanged: boolean;
  /** Why the content cannot be rendered. */
  readonly problem: unknown;
  readonly saves: TemplateSaves;
  change(content: TemplateContent): void;
  /** @param version the version that the save created, which newer content changes */
  onSaved(version: number): void;
  /** Called once the page has the version that was saved. @param content as it was given to `change` */
  onShown(content: TemplateContent): void;
  /** Gives up the changes. */
  loadNewest(): void;
}

export function TemplateForm(props: TemplateFormProps) {
  const { id, content, base, version, isChanged, problem, saves, change } = props;
  const canSave = useCan('manage');
  const once = useOnce();
  const save = useMutation({
    onSettled: once.end,
    mutationFn: (change: Pick<TemplateFormProps, 'content' | 'version'>) => saves.save(change.content, change.version),
    onSuccess: async (stored, { content }) => {
      props.onSaved(stored.version);
      await readAgain();
      props.onShown(content);
    },
    onError: (error) => hasStatus(error, 409) && void readAgain(['template', id]),
  });
  // While it saves, the newest version can be its own.
  const isOutdated = isChanged && base !== version && !save.isPending;
  // Refused because of a version that the page has by now.
  const isKnown = hasStatus(save.error, 409) && save.variables?.version !== version;
  const { textContent = '', ...others } = content;
  // The preview has the latest content, in which the error of a refused save may already be fixed.
  const wrong = problem ?? (save.variables?.content === content ? save.error : undefined);
  const begin = (version: number): void => once.begin(() => save.mutate({ content, version }));
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!isOutdated) begin(base);
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
      {save.isError && !isShownInEditor(save.error) && !isKnown && <Failure error={save.error} />}
      {isOutdated && <SavedMeanwhile {...{ id, version }} load={props.loadNewest} saveOver={() => begin(version)} />}
      {canSave && !isOutdated && (
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

interface SavedMeanwhileProps {
  readonly id: string;
  readonly version: number;
  load(): void;
  saveOver(): void;
}

/** Nothing is saved, and what was typed stays, until the user has chosen between the two versions. */
function SavedMeanwhile({ id, version, load, saveOver }: SavedMeanwhileProps) {
  return (
    <div class="notice bad" role="alert">
      <p>
        Version {version} was saved meanwhile, by somebody else or by you in another tab. It does not have your changes,
        which are not saved.
      </p>
      <p>
        {/* The opener gives its organization to the tab. */}
        <a href={`/templates/${id}`} target="_blank" rel="opener">
          See version {version} in another tab
        </a>
      </p>
      <div class="actions">
        <Action
          label={`Load version ${version}`}
          scope="manage"
          question="It replaces what you have typed."
          run={() => Promise.resolve(load())}
        />
        <button type="button" onClick={saveOver}>
          Save mine as version {version + 1}
        </button>
      </div>
    </div>
  );
}
