import { useState } from 'preact/hooks';
import { client } from '../api';
import { Action } from '../components/action';
import { Editor } from '../components/editor';
import { Card } from '../components/page';
import { TemplateChoice, useTemplateChoice } from '../components/template-choice';
import type { DraftFields } from '../draft-saves';
import { placeOf } from '../place';

interface BroadcastMessageFormProps {
  readonly fields: DraftFields;
  /** Why the last attempt to save failed. */
  readonly error: unknown;
  change(changes: Partial<DraftFields>): void;
}

export function BroadcastMessageForm({ fields, error, change }: BroadcastMessageFormProps) {
  const text = (name: 'name' | 'from' | 'replyTo' | 'subject') => ({
    dir: 'auto' as const,
    value: fields[name],
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      change({ [name]: currentTarget.value }),
  });
  return (
    <Card title="1. Message">
      <label>
        Name <input {...text('name')} required />
      </label>
      <div class="pair">
        <label>
          From <input {...text('from')} required />
        </label>
        <label>
          Reply to <input {...text('replyTo')} placeholder="the sender" />
        </label>
      </div>
      <label>
        Subject <input {...text('subject')} required />
      </label>
      <FromTemplate change={change} />
      <Editor
        label="HTML or MJML"
        hint="{{ name }} is a variable, {{ unsubscribe_url }} the unsubscribe page"
        value={fields.htmlContent}
        place={placeOf(error, 'htmlContent')}
        change={(htmlContent) => change({ htmlContent })}
      />
      <Editor
        label="Text"
        hint="derived from the HTML when empty"
        rows={4}
        value={fields.textContent}
        place={placeOf(error, 'textContent')}
        change={(textContent) => change({ textContent })}
      />
    </Card>
  );
}

/** Copies the content of a template, which can then be edited. Asks first: the draft is stored at once. */
function FromTemplate({ change }: Pick<BroadcastMessageFormProps, 'change'>) {
  const templates = useTemplateChoice();
  const [chosen, choose] = useState('');
  const take = async (): Promise<void> => {
    const { subject, htmlContent, textContent } = await client.templates.get(chosen);
    change({ subject, htmlContent, textContent: textContent ?? '' });
  };
  if (!templates.data?.length) return null;
  return (
    <>
      <TemplateChoice label="Replace the message with a template" none="Choose …" chosen={chosen} choose={choose} />
      {chosen !== '' && (
        <div class="actions">
          <Action
            label="Replace"
            scope="send"
            question="The template replaces the subject and the message of this draft. You lose what you have written."
            run={take}
            onDone={() => choose('')}
          />
        </div>
      )}
    </>
  );
}
