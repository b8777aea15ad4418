import { useQuery } from '@tanstack/preact-query';
import { client } from '../api';
import { Editor } from '../components/editor';
import { Card } from '../components/page';
import { placeOf } from '../place';
import type { DraftFields } from './broadcast-draft';

interface BroadcastMessageFormProps {
  readonly fields: DraftFields;
  /** Why the last attempt to save failed. */
  readonly error: unknown;
  change(changes: Partial<DraftFields>): void;
}

export function BroadcastMessageForm({ fields, error, change }: BroadcastMessageFormProps) {
  const text = (name: 'name' | 'from' | 'replyTo' | 'subject') => ({
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

/** Copies the content of a template, which can then be edited. */
function FromTemplate({ change }: Pick<BroadcastMessageFormProps, 'change'>) {
  const templates = useQuery({
    queryKey: ['templates', 'choice'],
    queryFn: async ({ signal }) => (await client.templates.list({ limit: 100 }, { signal }).first()).items,
  });
  const take = async (id: string): Promise<void> => {
    const { subject, htmlContent, textContent } = await client.templates.get(id);
    change({ subject, htmlContent, textContent: textContent ?? '' });
  };
  if (!templates.data?.length) return null;
  return (
    <label>
      Replace the message with a template
      <select value="" onChange={({ currentTarget }) => void take(currentTarget.value)}>
        <option value="">Choose …</option>
        {templates.data.map(({ id, name, version }) => (
          <option key={id} value={id}>
            {name} (version {version})
          </option>
        ))}
      </select>
    </label>
  );
}
